#include "signals/http/kept_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Turn = KeptAnswers::Turn;

TEST(KeptAnswers, OneProcessAsksAtATime) {
  const std::string folder = (ScratchDirectory("kept_answers") / "cache").string();
  KeptAnswers first(folder, "the tide"), second(folder, "the tide");
  std::optional<platform::FileLock> of_first, of_second;
  EXPECT_EQ(first.TakeTurn(first.File("tide.lock"), of_first), Turn::kOurs);
  EXPECT_EQ(second.TakeTurn(second.File("tide.lock"), of_second), Turn::kOfAnother);
  EXPECT_FALSE(of_second);
  of_first.reset();
  EXPECT_EQ(second.TakeTurn(second.File("tide.lock"), of_second), Turn::kOurs);
  EXPECT_TRUE(of_second);
  EXPECT_TRUE(second.Write(second.File("tide.csv"), "high\n"));
  EXPECT_EQ(*platform::ReadFile(first.File("tide.csv")), "high\n");
  EXPECT_THAT(second.TakeNotes(), IsEmpty());
}

TEST(KeptAnswers, WhatCannotBeKeptIsSaidOnce) {
  const auto folder = ScratchDirectory("kept_answers_full");
  std::ofstream(folder / "file") << "not a folder";
  KeptAnswers kept((folder / "file" / "cache").string(), "the tide");
  std::optional<platform::FileLock> lock;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(kept.TakeTurn(kept.File("tide.lock"), lock), Turn::kUnkept);
  EXPECT_THAT(kept.TakeNotes(), ElementsAre(HasSubstr("the tide is not cached: ")));
  KeptAnswers nowhere("", "the tide");
  EXPECT_EQ(nowhere.TakeTurn(nowhere.File("tide.lock"), lock), Turn::kUnkept);
  EXPECT_FALSE(nowhere.Write(nowhere.File("tide.csv"), "high\n"));
  EXPECT_THAT(nowhere.TakeNotes(), IsEmpty()) << "nobody wanted it kept";
}

TEST(KeptAnswers, AFailureIsSaidOnceAndItsEndToo) {
  KeptAnswers kept("", "the tide");
  kept.Answered();
  EXPECT_THAT(kept.TakeNotes(), IsEmpty());
  kept.Failed("no news of the tide");
  kept.Failed("still no news");
  EXPECT_TRUE(kept.failed());
  EXPECT_THAT(kept.TakeNotes(), ElementsAre("no news of the tide"));
  kept.Answered();
  kept.Answered();
  EXPECT_THAT(kept.TakeNotes(), ElementsAre("the tide is known again"));
}

}  // namespace
}  // namespace ebb::signals
