#include "report/compare/one_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

core::RunRecord RunOf(std::vector<std::string> command, const std::string& name = "") {
  RunBuilder builder;
  builder.trains = false;
  core::RunRecord run = builder.Build();
  run.spec.command = std::move(command);
  run.spec.group.clear();
  run.spec.name = name.empty() ? run.spec.command.back() : name;
  if (name.empty()) run.spec.name = run.spec.command.front();
  run.spec.run_id = run.spec.name;
  return run;
}

std::vector<std::string> LastWords(const std::vector<core::RunRecord>& runs) {
  std::vector<std::string> words;
  for (const core::RunRecord& run : runs) words.push_back(run.spec.command.back());
  return words;
}

TEST(OneProgram, WhatHasMostGroupsIsKeptAndTheRestIsNamed) {
  const auto kept = OfOneProgram({RunOf({"sleep", "1"}), RunOf({"python3", "train.py", "--lr=1"}),
                                  RunOf({"python3", "train.py", "--lr=2"}), RunOf({"sleep", "1"}),
                                  RunOf({"python3", "eval.py"})},
                                 "");
  ASSERT_TRUE(kept) << kept.error().Message();
  EXPECT_THAT(LastWords(kept->runs), ElementsAre("--lr=1", "--lr=2"));
  EXPECT_THAT(kept->notice,
              AllOf(HasSubstr("not runs of train.py: sleep (2 runs), eval.py (1 run)"),
                    HasSubstr("--unlike")));
}

TEST(OneProgram, TheBaselineNamesTheProgram) {
  const std::vector<core::RunRecord> runs{
      RunOf({"sleep", "1"}), RunOf({"sleep", "2"}), RunOf({"sleep", "3"}),
      RunOf({"python3", "train.py", "--lr=1"}, "small"), RunOf({"torchrun", "train.py"}, "large")};
  const auto kept = OfOneProgram(runs, "large");
  ASSERT_TRUE(kept) << kept.error().Message();
  EXPECT_THAT(LastWords(kept->runs), ElementsAre("--lr=1", "train.py"));
  // For a name of no group all runs are kept, so that the comparison reports the error with all
  // groups.
  EXPECT_EQ(OfOneProgram(runs, "larg")->runs.size(), runs.size());
}

TEST(OneProgram, RunsWithoutTheirLikeAreRefused) {
  const auto kept = OfOneProgram(
      {RunOf({"python3", "train.py"}), RunOf({"sleep", "1"}), RunOf({"sleep", "1"})}, "");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ExitCode::kUsage);
  EXPECT_THAT(kept.error().Message(),
              AllOf(HasSubstr("train.py (1 run)"), HasSubstr("unlike programs: sleep (2 runs)"),
                    HasSubstr("--unlike")));
}

TEST(OneProgram, CodeInAnArgumentIsAProgram) {
  EXPECT_FALSE(OfOneProgram({RunOf({"sh", "-c", "exit 0"}), RunOf({"sh", "-c", "sleep 1"})}, ""));
  EXPECT_TRUE(OfOneProgram({RunOf({"sh", "-c", "exit 0"}), RunOf({"sh", "-c", "exit 0"})}, ""));
}

TEST(OneProgram, AGroupIsNotTakenApart) {
  const auto kept =
      OfOneProgram({RunOf({"python3", "a.py"}, "mine"), RunOf({"python3", "b.py"}, "mine"),
                    RunOf({"python3", "a.py"}, "other")},
                   "");
  ASSERT_TRUE(kept) << kept.error().Message();
  EXPECT_EQ(kept->runs.size(), 3u);
  EXPECT_EQ(kept->notice, "");
}

}  // namespace
}  // namespace ebb::report
