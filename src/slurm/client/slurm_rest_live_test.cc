// The same real cluster by commands and by slurmrestd. tests/peers/slurm/rest_test.py starts it;
// everywhere else these tests are skipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "slurm/client/slurm_commands.h"
#include "slurm/client/slurm_rest.h"
#include "slurm/client/slurm_rows_for_test.h"

namespace ebb::slurm {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <typename Value>
std::string Rows(const Result<std::vector<Value>>& values) {
  return values ? RowsOf(*values) : values.error().what;
}

class SlurmRestLive : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string address = Variable("EBB_TEST_SLURM_REST");
    if (address.empty()) GTEST_SKIP() << "no slurmrestd: run ./dev peers slurm";
    rest_ = MakeSlurmRest(*MakeRestTransport({.address = address,
                                              .user = Variable("EBB_TEST_SLURM_USER"),
                                              .token_file = Variable("EBB_TEST_SLURM_TOKEN")}),
                          MakeSlurmCommands(RunOnThisMachine()));
    commands_ = MakeSlurmCommands(RunOnThisMachine());
  }
  // The job of that name.
  SlurmJob Job(const std::string& name) {
    return JobWhere([&](const SlurmJob& job) { return job.name == name; });
  }
  template <typename Test>
  SlurmJob JobWhere(const Test& test) {
    const auto jobs = commands_->Jobs();
    const auto found = std::ranges::find_if(*jobs, test);
    return found == jobs->end() ? SlurmJob{} : *found;
  }
  std::unique_ptr<SlurmClient> rest_, commands_;
};

TEST_F(SlurmRestLive, JobsAreTheSameByCommandsAndByRest) {
  const auto by_commands = commands_->Jobs();
  ASSERT_TRUE(by_commands && !by_commands->empty());
  EXPECT_EQ(Rows(rest_->Jobs()), Rows(by_commands));
}

TEST_F(SlurmRestLive, NodesAreTheSameByCommandsAndByRest) {
  const auto by_commands = commands_->Nodes();
  ASSERT_TRUE(by_commands && !by_commands->empty());
  EXPECT_EQ(Rows(rest_->Nodes()), Rows(by_commands));
}

TEST_F(SlurmRestLive, AccountingIsTheSameByCommandsAndByRest) {
  std::vector<std::string> ids;
  const auto jobs = commands_->Jobs();
  for (const SlurmJob& job : *jobs)
    if (HasEnded(job.state)) ids.push_back(job.id);
  ids.push_back("4711");
  const auto by_commands = commands_->Accounted(ids);
  ASSERT_TRUE(by_commands && !by_commands->empty());
  EXPECT_EQ(Rows(rest_->Accounted(ids)), Rows(by_commands));
  EXPECT_EQ(Rows(rest_->Accounted({"4711"})), "");
}

TEST_F(SlurmRestLive, AChangeIsOneRequest) {
  for (const std::string name : {"to-change", "element-to-change"}) {
    const SlurmJob before = Job(name);
    ASSERT_FALSE(before.id.empty()) << name;
    const Time begin = before.submitted + std::chrono::hours{48};
    const Status changed = rest_->Update({before.id, begin, "ebb: {ebb wait 0} \"x\" \xc3\xa4"});
    ASSERT_TRUE(changed) << name << ": " << changed.error().what;
    EXPECT_TRUE(rest_->Release(before.id)) << name;
    const SlurmJob after = JobWhere([&](const SlurmJob& job) { return job.id == before.id; });
    EXPECT_EQ(RowOf(after.start), FormatTime(begin)) << name;
    EXPECT_EQ(after.comment, "ebb: {ebb wait 0} \"x\" \xc3\xa4") << name;
    EXPECT_FALSE(after.is_held()) << name;
  }
}

TEST_F(SlurmRestLive, AJobIsCancelled) {
  const SlurmJob job = Job("to-cancel");
  ASSERT_EQ(job.state, JobState::kPending);
  EXPECT_TRUE(rest_->Cancel(job.id));
  EXPECT_EQ(Job("to-cancel").state, JobState::kCancelled);
}

TEST_F(SlurmRestLive, ErrorsSayWhatSlurmRefuses) {
  for (const Status& refused : {rest_->Cancel("4711"), rest_->Update({"4711", {}, "x"})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ExitCode::kUsage);
    EXPECT_EQ(refused.error().what, "Invalid job id specified");
  }
}

TEST_F(SlurmRestLive, AControllerThatIsAwayIsUnavailable) {
  if (Variable("EBB_TEST_SLURM_AWAY").empty()) GTEST_SKIP() << "the controller is there";
  EXPECT_EQ(rest_->Jobs().error().code, ExitCode::kUnavailable);
  const Status refused = rest_->Update({"1", {}, "x"});
  EXPECT_EQ(refused.error().code, ExitCode::kUnavailable) << refused.error().what;
}

}  // namespace
}  // namespace ebb::slurm
