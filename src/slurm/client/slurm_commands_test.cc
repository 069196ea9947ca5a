#include "slurm/client/slurm_commands.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::slurm {
namespace {

class SlurmCommandsTest : public ::testing::Test {
 protected:
  std::unique_ptr<SlurmClient> client_ = MakeSlurmCommands([this](const auto& command) {
    said_.push_back(Join(command, " "));
    return Result<platform::ProgramEnd>(answer_);
  });
  platform::ProgramEnd answer_;
  std::vector<std::string> said_;
};

TEST_F(SlurmCommandsTest, AnUpdateIsOneRequest) {
  JobUpdate update{"12_3", *ParseTime("2026-11-27T12:00:00.5Z"), "ebb: {ebb wait 0}"};
  ASSERT_TRUE(client_->Update(update));
  ASSERT_TRUE(client_->Release("12_3"));
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_EQ(said_[0],
            "scontrol update JobId=12_3 StartTime=uts1795780801 Comment=ebb: {ebb wait 0}");
  EXPECT_EQ(said_[1], "scontrol release 12_3");
}

TEST_F(SlurmCommandsTest, TheNewJobsId) {
  answer_.output = "17;cluster\n";
  EXPECT_EQ(*client_->Submit({"/run/script.sh", {"--gpus=1"}, "/home/a"}), "17");
  EXPECT_EQ(said_[0], "sbatch --parsable --chdir=/home/a --gpus=1 /run/script.sh");
}

TEST_F(SlurmCommandsTest, ErrorsSayWhatSlurmRefuses) {
  answer_ = {1, "", "slurm_update error: Invalid job id specified\n"};
  const Status refused = client_->Cancel("99");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ExitCode::kUsage);
  EXPECT_EQ(refused.error().what, "Invalid job id specified");
}

TEST_F(SlurmCommandsTest, AControllerThatIsAwayIsUnavailable) {
  answer_ = {1, "", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"};
  EXPECT_EQ(client_->Nodes().error().code, ExitCode::kUnavailable);
  said_.clear();
  EXPECT_EQ(client_->Jobs().error().code, ExitCode::kUnavailable);
  EXPECT_EQ(said_, (std::vector<std::string>{"scontrol ping"})) << "it asks nothing more";
}

TEST(SlurmCommands, ThatAreNotInstalledOrHang) {
  Error error{ExitCode::kConfiguration, "command not found", "scontrol", ""};
  const auto client =
      MakeSlurmCommands([&](const auto&) { return Result<platform::ProgramEnd>(Fail(error)); });
  EXPECT_EQ(client->Cancel("1").error().code, ExitCode::kConfiguration);
  EXPECT_NE(client->Cancel("1").error().next.find("slurm-client"), std::string::npos);
  error = {ExitCode::kUnavailable, "prints too much, or takes too long", "scontrol", ""};
  EXPECT_EQ(client->Nodes().error().what, "the Slurm controller does not answer");
}

TEST_F(SlurmCommandsTest, TheClustersName) {
  answer_.output =
      "Configuration data as of now\nClusterName             = ci\nX = y\n"
      "SLURM_VERSION           = 22.05.8\n";
  EXPECT_EQ(*client_->Identity(), (std::pair<std::string, std::string>("ci", "22.05.8")));
}

}  // namespace
}  // namespace ebb::slurm
