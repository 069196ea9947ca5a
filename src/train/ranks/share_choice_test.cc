#include "train/ranks/share_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "train/ranks/grid_file.h"

namespace ebb::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RankReport Report(double samples_per_s, double busy_w = 300, double g_per_kwh = 400) {
  return {samples_per_s, 0.001, {busy_w, busy_w / 5, PowerSource::kCounter}, g_per_kwh};
}

TEST(ShareChoice, GivesTheSlowRankLess) {
  const auto choice = ChooseShares(std::vector{Report(300), Report(100)}, {16, 16}, 0);
  ASSERT_TRUE(choice);
  EXPECT_THAT(choice->samples, ElementsAre(24, 8));
  EXPECT_EQ(choice->aim, ShareAim::kEmissions);
  EXPECT_NEAR(choice->was_s, 0.161, 1e-9);
  EXPECT_NEAR(choice->update_s, 0.081, 1e-9);
  EXPECT_THAT(ChoiceText(*choice), HasSubstr("ranks take 24, 8 of 32 samples from now on"));
  EXPECT_THAT(ChoiceText(*choice), HasSubstr("% less CO2 per sample"));
}

TEST(ShareChoice, EndsADivisionThatTakesTooLong) {
  const std::vector reports{Report(100, 300, 600), Report(100, 300, 50)};
  const auto choice = ChooseShares(reports, {40, 60}, 0);
  ASSERT_TRUE(choice);
  EXPECT_THAT(choice->samples, ElementsAre(50, 50));
  EXPECT_LT(choice->less_percent, 0);
  EXPECT_THAT(ChoiceText(*choice), HasSubstr("% more CO2 per sample; an update takes 0.501 s"));
}

TEST(ShareChoice, StaysWhereItIsIfThatIsGood) {
  EXPECT_FALSE(ChooseShares(std::vector{Report(300), Report(101)}, {24, 8}, 0));
}

TEST(ShareChoice, GivesTheCleanRankMore) {
  const std::vector reports{Report(100, 300, 600), Report(100, 300, 50)};
  EXPECT_THAT(ChooseShares(reports, {50, 50}, 0.2)->samples, ElementsAre(40, 60));
}

TEST(ShareChoice, IsByEnergyIfAnIntensityIsUnknownAndByTimeIfAPowerIs) {
  std::vector reports{Report(100, 300, 600), Report(100, 100, 50)};
  reports[1].g_per_kwh.reset();
  auto choice = ChooseShares(reports, {50, 50}, 0.2);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->aim, ShareAim::kEnergy);
  EXPECT_THAT(choice->samples, ElementsAre(40, 60));
  reports[0].power = {};
  EXPECT_FALSE(ChooseShares(reports, {50, 50}, 0.2));
  choice = ChooseShares(reports, {70, 30}, 0.2);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->aim, ShareAim::kTime);
  EXPECT_THAT(choice->samples, ElementsAre(50, 50));
}

TEST(ShareChoice, WaitsForTheSpeedOfEachRank) {
  std::vector reports{Report(300), Report(100)};
  reports[1].samples_per_s.reset();
  EXPECT_FALSE(ChooseShares(reports, {16, 16}, 0));
}

TEST(ShareChoice, ReportsTravelAsNumbers) {
  RankReport report = Report(123.5, 250, 0);
  EXPECT_EQ(NumbersOf(ReportOf(NumbersOf(report))), NumbersOf(report));
  EXPECT_EQ(NumbersOf(report).size(), kReportNumbers);
  report.samples_per_s.reset();
  report.g_per_kwh.reset();
  report.power.source = PowerSource::kUnknown;
  const RankReport back = ReportOf(NumbersOf(report));
  EXPECT_FALSE(back.samples_per_s);
  EXPECT_FALSE(back.g_per_kwh);
  EXPECT_EQ(back.power.source, PowerSource::kUnknown);
}

TEST(ShareChoice, TellsWhatItRestsOn) {
  std::vector reports{Report(300), Report(100)};
  const auto choice = ChooseShares(reports, {16, 16}, 0);
  reports[1].power = {};
  const nlohmann::json event = EventJson({{{7, choice->samples}}, reports}, *choice);
  EXPECT_EQ(event["step"], 7);
  EXPECT_EQ(event["samples"], nlohmann::json({24, 8}));
  EXPECT_EQ(event["aim"], "emissions");
  EXPECT_EQ(event["ranks"][0]["busy_w"], 300);
  EXPECT_EQ(event["ranks"][0]["power_by"], "counter");
  EXPECT_TRUE(event["ranks"][1]["busy_w"].is_null()) << "unknown is not zero";
  EXPECT_EQ(DivisionText(std::vector<std::int64_t>(9, 2)),
            "2, 2, 2, 2, 2, 2, 2, 2, ... of 18 samples");
}

TEST(GridFileReader, CountsThePueAndNothingThatIsUnknown) {
  EXPECT_EQ(GramsPerKwhOf(R"({"time_ms":1,"g_per_kwh":200,"pue":1.5})"), 300);
  EXPECT_EQ(GramsPerKwhOf(R"({"g_per_kwh":200})"), 200);
  for (const char* nothing : {"", "{", "[]", "{}", R"({"g_per_kwh":null,"pue":1.5})",
                              R"({"g_per_kwh":-1})", R"({"g_per_kwh":"200"})"})
    EXPECT_FALSE(GramsPerKwhOf(nothing)) << nothing;
  EXPECT_FALSE(ReadGridFile("/nonexistent/grid.json"));
  EXPECT_FALSE(ReadGridFile(""));
}

}  // namespace
}  // namespace ebb::train
