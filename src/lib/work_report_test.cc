#include "lib/work_report.h"

#include <gtest/gtest.h>

#include "report/run/training_files.h"
#include "testing/scratch_directory.h"

namespace ebb::lib {
namespace {

core::Work WorkIn(const platform::Path& file) {
  return report::ReadProgress(*platform::ReadFile(file)).work;
}

TEST(WorkReport, AllWorkIsWrittenAtTheEndHoweverOftenItIsAdded) {
  const platform::Path file = ScratchDirectory("work-report") / "progress.jsonl";
  WorkReport work;
  ASSERT_TRUE(work.Open(file));
  ASSERT_TRUE(work.Say("begin"));
  for (int step = 0; step < 1000; ++step)
    ASSERT_TRUE(work.Add({.tokens = 512, .samples = 4, .steps = 1}));
  ASSERT_TRUE(work.End());
  EXPECT_EQ(WorkIn(file), (core::Work{.tokens = 512'000, .samples = 4000, .steps = 1000}));
  EXPECT_EQ(report::ReadProgress(*platform::ReadFile(file)).epochs.size(), 0u);
  EXPECT_FALSE(work.Add({.steps = 1})) << "it has ended";
}

TEST(WorkReport, WhatIsNotKnownIsAbsent) {
  const platform::Path file = ScratchDirectory("work-report-part") / "progress.jsonl";
  WorkReport work;
  ASSERT_TRUE(work.Open(file));
  ASSERT_TRUE(work.Say("begin"));
  ASSERT_TRUE(work.Add({.tokens = 0, .samples = 8, .steps = 1}));
  ASSERT_TRUE(work.Say("epoch_end", 1));
  ASSERT_TRUE(work.End());
  EXPECT_EQ(WorkIn(file), (core::Work{.samples = 8, .steps = 1}));
  EXPECT_EQ(report::ReadProgress(*platform::ReadFile(file)).epochs.size(), 1u);
  EXPECT_FALSE(work.Add({.samples = -1}));
}

}  // namespace
}  // namespace ebb::lib
