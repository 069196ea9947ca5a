#include "store/journal_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/journal_json.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

const Time kNow = *ParseTime("2023-05-01");

platform::Path FreshFile(const std::string& name) { return ScratchDirectory("journal") / name; }

engine::Decision ADecision() {
  engine::Decision decision;
  decision.at = kNow;
  decision.commands = {engine::StartJob{1, 1, 0}};
  return decision;
}

TEST(JournalFileTest, WhatWasAppendedIsReadBack) {
  const auto path = FreshFile("round_trip");
  {
    auto journal = *JournalFile::Open(path);
    ASSERT_TRUE(journal.Append(engine::Event{kNow, engine::JobCancelled{3}}));
    ASSERT_TRUE(journal.Append(ADecision()));
  }
  auto journal = *JournalFile::Open(path);
  ASSERT_TRUE(journal.Append(engine::Event{kNow, engine::Tick{}}));
  const auto records = ReadJournal(path);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ(engine::ToJsonLine((*records)[1]), engine::ToJsonLine(ADecision()));
}

TEST(JournalFileTest, ATornLastLineIsDroppedAndWrittenOver) {
  const auto path = FreshFile("torn");
  ASSERT_TRUE(JournalFile::Open(path)->Append(ADecision()));
  std::ofstream(path, std::ios::app) << R"({"at":1682899200000,"event":"ti)";
  EXPECT_EQ(ReadJournal(path)->size(), 1u);
  ASSERT_TRUE(JournalFile::Open(path)->Append(engine::Event{kNow, engine::Tick{}}));
  EXPECT_EQ(ReadJournal(path)->size(), 2u);
}

TEST(JournalFileTest, ADamagedLineInTheMiddleIsNamed) {
  const auto path = FreshFile("damaged");
  std::ofstream(path) << "{\"at\":1,\"event\":\"tick\"}\nrubbish\n{\"at\":1,\"event\":\"tick\"}\n";
  const auto records = ReadJournal(path);
  ASSERT_FALSE(records);
  EXPECT_NE(records.error().where.find(":2"), std::string::npos);
}

}  // namespace
}  // namespace ebb::store
