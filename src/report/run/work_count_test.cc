#include "report/run/work_count.h"

#include <gtest/gtest.h>

#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using core::Work;

std::string Line(const std::string& event, const std::string& counts = "") {
  return "{\"time_ms\":1000,\"event\":\"" + event + "\"" + counts + "}\n";
}

TEST(WorkCount, TheFurthestPositionIsTheWork) {
  const Work work =
      ReadProgress(Line("begin", ",\"total_steps\":30") +
                   Line("step", ",\"step\":10,\"samples_seen\":640,\"tokens_seen\":81920") +
                   Line("end", ",\"step\":30,\"samples_seen\":1920,\"tokens_seen\":245760"))
          .work;
  EXPECT_EQ(work, (Work{.tokens = 245'760, .samples = 1920, .steps = 30}));
}

// The first attempt was killed after step 25; its checkpoint is of step 20.
TEST(WorkCount, WorkThatWasDoneTwiceCountsOnce) {
  EXPECT_EQ(ReadProgress(Line("begin") + Line("step", ",\"step\":25") +
                         Line("resume", ",\"step\":20") + Line("step", ",\"step\":22"))
                .work.steps,
            25);
  EXPECT_EQ(ReadProgress(Line("begin") + Line("step", ",\"step\":25") + Line("begin") +
                         Line("end", ",\"step\":40"))
                .work.steps,
            40);
}

// `ebb restart --resume` begins a new run at the checkpoint of another.
TEST(WorkCount, ARunThatGoesOnFromAnotherIsCountedFromThere) {
  const Work work = ReadProgress(Line("resume", ",\"step\":500,\"samples_seen\":4000") +
                                 Line("end",
                                      ",\"step\":700,\"samples_seen\":5600,"
                                      "\"tokens_seen\":9000"))
                        .work;
  EXPECT_EQ(work.steps, 200);
  EXPECT_EQ(work.samples, 1600);
  EXPECT_FALSE(work.tokens) << "nobody knows how many there were before";
}

TEST(WorkCount, WithoutAReportNothingIsKnown) {
  EXPECT_TRUE(ReadProgress("").work.empty());
  EXPECT_TRUE(
      ReadProgress(Line("begin") + Line("epoch_end", ",\"epoch\":1,\"loss\":1")).work.empty());
  EXPECT_TRUE(ReadProgress(Line("begin") + Line("step", ",\"step\":0")).work.empty());
  EXPECT_TRUE(
      ReadProgress(Line("step", ",\"step\":-5") + Line("step", ",\"step\":\"x\"")).work.empty());
}

TEST(WorkTail, TheShareIsTheLastStepOfAllSteps) {
  const platform::Path file = ScratchDirectory() / "progress.jsonl";
  const auto share_of = [&](const std::string& text) {
    EXPECT_TRUE(platform::WriteFileAtomically(file, text));
    WorkTail tail(file);
    tail.Read();
    return tail.share();
  };
  EXPECT_FALSE(share_of(""));
  EXPECT_FALSE(share_of(Line("step", ",\"step\":10"))) << "nobody says how many there will be";
  EXPECT_FALSE(share_of(Line("step", ",\"step\":50,\"total_steps\":40"))) << "not of this training";
  EXPECT_FALSE(share_of(Line("step", ",\"step\":0,\"total_steps\":0")));
  const std::string begin = Line("begin", ",\"total_steps\":40");
  EXPECT_EQ(share_of(begin), 0.0);
  EXPECT_EQ(share_of(begin + Line("step", ",\"step\":30")), 0.75);
  EXPECT_EQ(share_of(begin + Line("step", ",\"step\":30") + Line("resume", ",\"step\":20")), 0.5)
      << "lost work is to be done again";
}

TEST(WorkTail, FollowsAFileThatGrowsAndSkipsToTheEndOfALongOne) {
  const platform::Path file = ScratchDirectory() / "progress.jsonl";
  WorkTail tail(file);
  EXPECT_TRUE(tail.Read().empty());
  ASSERT_TRUE(platform::WriteFileAtomically(file, Line("resume", ",\"step\":100")));
  EXPECT_TRUE(tail.Read().empty());
  std::string text = Line("resume", ",\"step\":100");
  for (int step = 101; step <= 40'000; ++step)
    text += Line("step", ",\"step\":" + std::to_string(step));
  ASSERT_GT(text.size(), 1u << 20);
  ASSERT_TRUE(platform::WriteFileAtomically(file, text));
  EXPECT_EQ(tail.Read().steps, 39'900);
  EXPECT_EQ(WorkTail(file).Read().steps, 39'900) << "also from the beginning";
  ASSERT_TRUE(platform::WriteFileAtomically(file, text + Line("end", ",\"step\":40100")));
  EXPECT_EQ(tail.Read().steps, 40'000);
}

}  // namespace
}  // namespace ebb::report
