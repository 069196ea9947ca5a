#include "slurm/site/slurm_quota.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::slurm {
namespace {

class SlurmQuotaTest : public ::testing::Test {
 protected:
  RunCommand run_ = [this](const std::vector<std::string>& command) {
    said_ = Join(command, " ");
    return Result<platform::ProgramEnd>(answer_);
  };
  platform::ProgramEnd answer_;
  std::string said_;
};

TEST_F(SlurmQuotaTest, TheLimitOfAQosIsReadAmongOthers) {
  answer_.output = "green|cpu=100,gres/gpu=8,node=4\n";
  EXPECT_EQ(**ReadQuota(run_, {"green", ""}), 8);
  EXPECT_EQ(said_, "sacctmgr -n -P show qos where name=green format=Name,GrpTRES");
  answer_.output = "green|cpu=100\n";
  EXPECT_EQ(*ReadQuota(run_, {"green", ""}), std::nullopt);
}

TEST_F(SlurmQuotaTest, ItIsSetAndTakenAway) {
  EXPECT_TRUE(SetQuota(run_, {"green", ""}, 4));
  EXPECT_EQ(said_, "sacctmgr -i modify qos where name=green set GrpTRES=gres/gpu=4");
  EXPECT_TRUE(SetQuota(run_, {"green", ""}, std::nullopt));
  EXPECT_EQ(said_, "sacctmgr -i modify qos where name=green set GrpTRES=gres/gpu=-1");
  EXPECT_TRUE(SetQuota(run_, {"", "green"}, 3));
  EXPECT_EQ(said_, "sacctmgr -i modify resource where name=green set count=3");
}

TEST_F(SlurmQuotaTest, WhatAccountingDoesNotKnowIsAnError) {
  answer_.output = "";
  EXPECT_EQ(ReadQuota(run_, {"", "green"}).error().where, "licence green");
}

TEST_F(SlurmQuotaTest, ErrorsSayWhatSlurmRefuses) {
  answer_ = {1, " You are not running a supported accounting_storage plugin\n", ""};
  EXPECT_EQ(ReadQuota(run_, {"green", ""}).error().what,
            "You are not running a supported accounting_storage plugin");
}

}  // namespace
}  // namespace ebb::slurm
