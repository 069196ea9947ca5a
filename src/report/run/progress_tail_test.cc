#include "report/run/progress_tail.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

// The file of a program that has ended is not polled again, so the reader must be told to go on.
TEST(ProgressTail, SaysWhenAFloodIsNotReadToItsEnd) {
  const platform::Path path = ScratchDirectory("progress-tail") / "progress.jsonl";
  ProgressTail tail(path);
  EXPECT_TRUE(tail.Poll().empty());
  EXPECT_FALSE(tail.has_more());
  constexpr int kSteps = 200'000;
  {
    std::ofstream file(path);
    for (int step = 1; step <= kSteps; ++step)
      file << "{\"time_ms\":5,\"event\":\"step\",\"step\":" << step << ",\"loss\":1}\n";
  }
  std::vector<ProgressEvent> all;
  int polls = 0;
  do {
    for (const ProgressEvent& event : tail.Poll()) all.push_back(event);
    ++polls;
  } while (tail.has_more());
  EXPECT_GT(polls, 1);
  ASSERT_EQ(all.size(), std::size_t{kSteps});
  EXPECT_EQ(all.back().step, kSteps);
}

}  // namespace
}  // namespace ebb::report
