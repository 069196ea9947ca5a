#include "config/prices/operator_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::config {
namespace {

Time At(const char* text) { return *ParseTime(text); }

std::string FileOf(const std::string& text) {
  const auto path = ScratchDirectory("operator_file") / "o.csv";
  std::ofstream(path) << text;
  return path.string();
}

// The expected publication time is 18:00 in Brussels on the day before the hour's day there, in
// winter and in summer.
TEST(OperatorFile, WithoutATimeOfPublicationTheRuleOfTheEuropeanUnionHolds) {
  const auto hours =
      *LoadOperators(FileOf("timestamp,load_mw,wind_mw,solar_mw\n"
                            "2026-01-14T22:00Z,1,1,1\n"  // still the 14th in Brussels
                            "2026-01-14T23:00Z,1,1,1\n"  // the 15th
                            "2026-06-30T22:00Z,1,1,1\n"  // the 1st of July
                            "2026-06-30T23:00Z,1,1,1\n"),
                     "");
  ASSERT_EQ(hours.size(), 4U);
  EXPECT_EQ(hours[0].published, At("2026-01-13T17:00Z"));
  EXPECT_EQ(hours[1].published, At("2026-01-14T17:00Z"));
  EXPECT_EQ(hours[2].published, At("2026-06-30T16:00Z"));
  EXPECT_EQ(hours[3].published, At("2026-06-30T16:00Z"));
}

TEST(OperatorFile, WhatAFileSaysItselfHolds) {
  const auto hours =
      *LoadOperators(FileOf("timestamp,load_mw,wind_mw,solar_mw,published\n2026-01-14T22:00Z,1,1,1,"
                            "2026-01-13T10:00Z\n"),
                     "");
  EXPECT_EQ(hours.at(0).published, At("2026-01-13T10:00Z"));
  EXPECT_FALSE(LoadOperators("/nowhere/o.csv", ""));
}

TEST(OperatorFile, AFolderHasItsQuantitiesInFilesOfTheirOwn) {
  const auto folder = ScratchDirectory("operator_folder");
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  EXPECT_FALSE(LoadOperators(folder.string(), "DE")) << "no files";
  write("load.csv",
        "\"MTU (UTC)\",\"Day-ahead Total Load Forecast [MW] - Germany\"\n"
        "\"14.01.2026 23:00 - 15.01.2026 00:00\",\"50\"\n");
  write(".hidden", "nothing that could be read");
  const auto load_alone = LoadOperators(folder.string(), "DE");
  ASSERT_FALSE(load_alone);
  EXPECT_NE(load_alone.error().what.find("neither what wind"), std::string::npos);
  write("wind.csv",
        "\"MTU (UTC)\",\"Generation - Wind Onshore  [MW] Day Ahead/ Germany\"\n"
        "\"14.01.2026 23:00 - 15.01.2026 00:00\",\"20\"\n");
  const auto hours = LoadOperators(folder.string(), "DE");
  ASSERT_TRUE(hours) << hours.error().Message();
  EXPECT_EQ(hours->at(0),
            (signals::ExpectedHour{At("2026-01-14T23:00Z"), 50, 20, 0, At("2026-01-14T17:00Z")}));
}

}  // namespace
}  // namespace ebb::config
