#include "train/loop/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "testing/scratch_directory.h"

namespace ebb::train {
namespace {

TEST(ProgressBar, ShowsEpochLossAndSpeed) {
  EXPECT_EQ(FormatBar({50, 2, 0.08124, 4380.4}, {100, 3}, 80),
            "epoch 2/3 [############------------]  50 %  loss 0.0812  4380 samples/s");
}

TEST(ProgressBar, FitsTheTerminal) {
  EXPECT_EQ(FormatBar({50, 2, 0.1, 4380}, {100, 3}, 20).size(), 20U);
}

TEST(ProgressLog, AppendsOneJsonObjectPerLine) {
  const platform::Path path = ScratchDirectory("progress") / "progress.jsonl";
  auto log = ProgressLog::Open(path, {.total_steps = 6, .epochs = 2});
  ASSERT_TRUE(log);
  log->Begin();
  log->EpochBegin(1);
  log->Step({3, 1, 0.5, 100, 0, {3, 192, 24576}});
  log->EpochEnd({1, 0.5, 0.4, 0.9});
  log->MicroBatch(3, {4, false, {{2, 3, 2, 8192, 2, 512, true}, {4, 1, 0, 0, 0, {}, false}}});
  log->Checkpoint({3, 192, 24576});
  log->Resume({3, 192, 24576});
  log->End({6, 384, 0});
  std::istringstream lines(*platform::ReadFile(path));
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_GT(json.at("time_ms").get<std::int64_t>(), 0);
    events.push_back(json.at("event"));
    if (events.back() == "step") {
      EXPECT_EQ(json.at("step"), 3);
      EXPECT_EQ(json.at("total_steps"), 6);
      EXPECT_EQ(json.at("samples_seen"), 192);
      EXPECT_EQ(json.at("tokens_seen"), 24576);
    }
    if (events.back() == "end") {
      EXPECT_EQ(json.at("samples_seen"), 384);
      EXPECT_FALSE(json.contains("tokens_seen")) << "it trains no language model";
    }
    if (events.back() == "micro_batch") {
      EXPECT_EQ(json.at("size"), 4);
      EXPECT_EQ(json.at("tried").dump(),
                R"([{"size":2,"tokens_per_joule":16.0,"tokens_per_second":4096.0},)"
                R"({"size":4,"tokens_per_joule":null,"tokens_per_second":null}])");
    }
  }
  EXPECT_THAT(events, testing::ElementsAre("begin", "epoch_begin", "step", "epoch_end",
                                           "micro_batch", "checkpoint", "resume", "end"));
}

TEST(ProgressLog, AFullDiskDoesNotStopTheRun) {
  auto log = ProgressLog::Open("/dev/full", {.total_steps = 6, .epochs = 2});
  ASSERT_TRUE(log);
  log->Begin();
  log->End({6, 384, 0});
}

TEST(Throttle, LetsOneThroughPerInterval) {
  Throttle throttle(std::chrono::milliseconds(200));
  const std::chrono::steady_clock::time_point start{};
  EXPECT_TRUE(throttle.Due(start));
  EXPECT_FALSE(throttle.Due(start + std::chrono::milliseconds(199)));
  EXPECT_TRUE(throttle.Due(start + std::chrono::milliseconds(200)));
  EXPECT_FALSE(throttle.Due(start + std::chrono::milliseconds(399)));
}

}  // namespace
}  // namespace ebb::train
