#include "slurm/client/slurm_rest.h"

#include <gtest/gtest.h>

#include "slurm/client/slurm_commands.h"

namespace ebb::slurm {
namespace {

// slurmrestd and Slurm's commands: the requests that reach them, in their order.
class SlurmRestTest : public ::testing::Test {
 protected:
  void Serve(const std::string& version) {
    description_ = R"({"paths": {"/slurm/)" + version + R"(/jobs/": {}, "/slurmdb/)" + version +
                   R"(/jobs/": {}}})";
  }
  std::unique_ptr<SlurmClient> client_ = MakeSlurmRest(
      [this](const RestCall& call) {
        if (call.path == "/openapi/v3")
          return Result<platform::HttpResponse>(platform::HttpResponse{200, description_});
        said_.push_back(call.method + ' ' + call.path + ' ' + call.body);
        return Result<platform::HttpResponse>(answer_);
      },
      MakeSlurmCommands([this](const std::vector<std::string>& command) {
        said_.push_back(command[0]);
        return Result<platform::ProgramEnd>(platform::ProgramEnd{});
      }));
  std::string description_;
  platform::HttpResponse answer_{200, R"({"errors": [], "jobs": []})"};
  std::vector<std::string> said_;
};

TEST_F(SlurmRestTest, WhatTheVersionCannotDoIsDoneByCommands) {
  Serve("v0.0.38");
  EXPECT_TRUE(client_->RequeueHeld("12"));
  EXPECT_TRUE(client_->Signal("12", "USR1"));
  EXPECT_TRUE(client_->Accounted({"12"}));
  EXPECT_EQ(said_, (std::vector<std::string>{"scontrol", "scancel", "sacct"}));
}

TEST_F(SlurmRestTest, AnElementIsChangedByRestInOldVersions) {
  Serve("v0.0.38");
  EXPECT_TRUE(client_->Update({"12_3", {}, "x"}));
  EXPECT_TRUE(client_->Release("12_3"));
  EXPECT_TRUE(client_->Cancel("12+1"));
  EXPECT_EQ(said_, (std::vector<std::string>{R"(POST /slurm/v0.0.38/job/12_3 {"comment":"x"})",
                                             R"(POST /slurm/v0.0.38/job/12_3 {"hold":false})",
                                             "DELETE /slurm/v0.0.38/job/12%2B1 "}));
}

TEST_F(SlurmRestTest, AnElementIsChangedByCommandsInNewVersions) {
  Serve("v0.0.42");
  EXPECT_TRUE(client_->Update({"12_3", {}, "x"}));
  EXPECT_TRUE(client_->Cancel("12+1"));
  EXPECT_TRUE(client_->Cancel("12"));
  EXPECT_EQ(said_,
            (std::vector<std::string>{"scontrol", "scancel", "DELETE /slurm/v0.0.42/job/12 "}));
}

TEST_F(SlurmRestTest, AccountingOfNewVersions) {
  Serve("v0.0.42");
  EXPECT_TRUE(client_->Accounted({"12", "13_1"}));
  EXPECT_EQ(said_, (std::vector<std::string>{"GET /slurmdb/v0.0.42/jobs/?step=12%2C13_1 "}));
}

TEST_F(SlurmRestTest, AfterAnUpgradeTheVersionIsFoundAgain) {
  Serve("v0.0.40");
  EXPECT_TRUE(client_->Jobs());
  answer_ = {404, "Unable find requested URL."};
  EXPECT_EQ(client_->Jobs().error().code, ExitCode::kUnavailable);
  Serve("v0.0.44");
  answer_ = {200, R"({"jobs": []})"};
  EXPECT_TRUE(client_->Jobs());
  EXPECT_EQ(said_.back(), "GET /slurm/v0.0.44/jobs/ ");
}

TEST_F(SlurmRestTest, ATokenThatIsNotAccepted) {
  Serve("v0.0.42");
  answer_ = {401, "Authentication failure"};
  const auto refused = client_->Nodes();
  EXPECT_EQ(refused.error().code, ExitCode::kConfiguration);
  EXPECT_EQ(refused.error().what, "slurmrestd does not accept the token");
}

TEST_F(SlurmRestTest, AWaitingArrayThatIsCutIsReadByCommands) {
  Serve("v0.0.42");
  answer_.body = R"({"jobs": [{"job_id": 7, "array_job_id": 7, "array_task_string": "0,9,..."}]})";
  EXPECT_TRUE(client_->Jobs());
  EXPECT_EQ(said_, (std::vector<std::string>{"GET /slurm/v0.0.42/jobs/ ", "scontrol", "squeue"}));
}

TEST(RestTransport, ATokenIsNotSentUnencrypted) {
  ASSERT_EQ(::setenv("SLURM_JWT", "secret", 1), 0);
  const auto far = MakeRestTransport({.address = "http://slurm.example:6820"});
  ASSERT_TRUE(far);
  EXPECT_EQ((*far)({"GET", "/openapi/v3"}).error().what, "a token is not sent unencrypted");
  ASSERT_EQ(::unsetenv("SLURM_JWT"), 0);
  EXPECT_FALSE(MakeRestTransport({.address = "slurm.example"}));
  const auto nobody = MakeRestTransport({.address = "unix:/nonexistent/rest.sock"});
  EXPECT_EQ((*nobody)({"GET", "/openapi/v3"}).error().code, ExitCode::kUnavailable);
}

}  // namespace
}  // namespace ebb::slurm
