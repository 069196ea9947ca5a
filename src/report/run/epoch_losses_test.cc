#include "report/run/epoch_losses.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

class EpochLossesTest : public ::testing::Test {
 protected:
  platform::Path File(core::JobId job) const {
    return directory_ / (std::to_string(job) + ".jsonl");
  }
  void Tell(core::JobId job, int time, int epoch, const std::string& losses) const {
    std::ofstream(File(job), std::ios::app)
        << "{\"time_ms\":" << time << ",\"event\":\"epoch_end\",\"epoch\":" << epoch << losses
        << "}\n";
  }
  void Step(core::JobId job, int time) const {
    std::ofstream(File(job), std::ios::app)
        << "{\"time_ms\":" << time << ",\"event\":\"step\",\"step\":1,\"loss\":9}\n";
  }
  const platform::Path directory_ = ScratchDirectory("epoch-losses");
};

TEST_F(EpochLossesTest, AreInTheOrderInWhichTheyHappened) {
  EpochLosses losses;
  losses.Follow(1, File(1));
  losses.Follow(2, File(2));
  EXPECT_TRUE(losses.Read().empty());
  Step(1, 5);
  Tell(1, 10, 1, ",\"train_loss\":0.5,\"test_loss\":0.7");
  Tell(1, 30, 2, ",\"train_loss\":0.4");
  Tell(2, 20, 1, ",\"loss\":0.9");
  Tell(2, 25, 2, "");  // a line without a loss
  std::string told;
  for (const EpochLoss& loss : losses.Read())
    told += std::to_string(loss.job) + ":" + std::to_string(loss.epoch) + ":" +
            std::to_string(loss.loss).substr(0, 3) + " ";
  EXPECT_EQ(told, "1:1:0.7 2:1:0.9 1:2:0.4 ");
  EXPECT_TRUE(losses.Read().empty()) << "each once";
}

TEST_F(EpochLossesTest, ReadsOnlyWhatItIsAskedFor) {
  EpochLosses losses;
  losses.Follow(1, File(1));
  losses.Follow(2, File(2));
  Tell(1, 10, 1, ",\"loss\":0.5");
  Tell(2, 11, 1, ",\"loss\":0.6");
  const core::JobId second[] = {2, 7};
  ASSERT_EQ(losses.Read(second).size(), 1u);
  losses.Leave(1);
  EXPECT_TRUE(losses.Read().empty());
}

TEST_F(EpochLossesTest, AreAllReadOfAJobThatEndedRightAfterItToldMuch) {
  EpochLosses losses;
  losses.Follow(1, File(1));
  {
    std::ofstream file(File(1));
    const std::string step = "{\"time_ms\":5,\"event\":\"step\",\"step\":1,\"loss\":9}\n";
    while (file.tellp() < 20 << 20) file << step;
  }
  Tell(1, 10, 1, ",\"loss\":0.5");
  EXPECT_EQ(losses.Read().size(), 1u);
}

TEST_F(EpochLossesTest, EveryEventIsHeardByWhoAsksForIt) {
  int steps = 0;
  EpochLosses losses(
      [&](core::JobId, const ProgressEvent& event) { steps += event.event == "step"; });
  losses.Follow(1, File(1));
  Step(1, 1);
  Step(1, 2);
  EXPECT_TRUE(losses.Read().empty());
  EXPECT_EQ(steps, 2);
}

TEST_F(EpochLossesTest, TheLastOneIsFoundBehindManySteps) {
  EXPECT_FALSE(LastEpochLoss(File(1)));
  Tell(1, 10, 3, ",\"test_loss\":0.25");
  for (int i = 0; i < 3000; ++i) Step(1, 20 + i);
  ASSERT_GT(std::filesystem::file_size(File(1)), 100'000u);
  const auto last = LastEpochLoss(File(1));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->epoch, 3);
  EXPECT_EQ(last->loss, 0.25);
}

TEST_F(EpochLossesTest, ATrainingThatDivergedSaysAtWhichStepUntilItBeginsAnew) {
  const auto tell = [&](const std::string& rest) {
    std::ofstream(File(1), std::ios::app) << "{\"time_ms\":1,\"event\":" << rest << "}\n";
  };
  EXPECT_FALSE(DivergedAt(File(1)));
  tell("\"begin\"");
  for (int i = 0; i < 3000; ++i) Step(1, i);
  EXPECT_FALSE(DivergedAt(File(1)));
  tell("\"diverged\",\"step\":12,\"reason\":\"the loss is not finite\"");
  EXPECT_EQ(DivergedAt(File(1)), 12);
  tell("\"begin\"");
  EXPECT_FALSE(DivergedAt(File(1)));
}

}  // namespace
}  // namespace ebb::report
