#include "platform/process_table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace ebb::platform {
namespace {

bool Holds(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// `sleep` below a shell, with a mark in its environment, in a process group of its own.
class ProcessTable : public ::testing::Test {
 protected:
  void SetUp() override {
    shell_ = ::fork();
    if (shell_ == 0) {
      ::setpgid(0, 0);
      ::setenv("EBB_MARK", mark_.c_str(), 1);
      ::execlp("sh", "sh", "-c", "sleep 60 & wait", nullptr);
      ::_exit(127);
    }
    ::setpgid(shell_, shell_);
    // The shell has a child once it runs.
    for (int i = 0; i < 1000 && DescendantsOf(shell_).empty(); ++i) ::usleep(10'000);
    ASSERT_FALSE(DescendantsOf(shell_).empty());
    sleep_ = DescendantsOf(shell_)[0];
  }
  void TearDown() override {
    ::kill(-shell_, SIGKILL);
    ::waitpid(shell_, nullptr, 0);
  }

  const std::string mark_ = "of " + std::to_string(::getpid());
  pid_t shell_ = 0;
  pid_t sleep_ = 0;
};

TEST_F(ProcessTable, FindsWhatIsBelowAProcess) {
  EXPECT_EQ(DescendantsOf(shell_), std::vector<pid_t>{sleep_});
  EXPECT_TRUE(Holds(DescendantsOf(::getpid()), shell_));
  EXPECT_TRUE(Holds(DescendantsOf(::getpid()), sleep_));
  EXPECT_FALSE(Holds(DescendantsOf(::getpid()), ::getpid()));
}

TEST_F(ProcessTable, FindsTheMembersOfAGroup) {
  auto members = MembersOfGroup(shell_);
  std::sort(members.begin(), members.end());
  EXPECT_EQ(members, (std::vector<pid_t>{std::min(shell_, sleep_), std::max(shell_, sleep_)}));
}

TEST_F(ProcessTable, FindsWhatBeganWithAnEntryInItsEnvironment) {
  EXPECT_EQ(WithEnvironment("EBB_MARK=" + mark_).size(), 2u);
  EXPECT_TRUE(WithEnvironment("EBB_MARK=" + mark_ + "0").empty()) << "the whole entry";
  EXPECT_TRUE(WithEnvironment("MARK=" + mark_).empty());
}

TEST_F(ProcessTable, RemainsAreNoProcess) {
  const std::string identity = ProcessIdentity(shell_);
  EXPECT_TRUE(Runs(shell_, identity));
  EXPECT_FALSE(Runs(shell_, identity + "0")) << "another process of that number";
  EXPECT_FALSE(Runs(shell_, ""));
  ::kill(shell_, SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(shell_), &ended, WEXITED | WNOWAIT);
  EXPECT_FALSE(Runs(shell_, identity));
  EXPECT_FALSE(Runs(shell_, ProcessIdentity(shell_))) << "two that are gone are not the same";
  EXPECT_FALSE(Holds(MembersOfGroup(shell_), shell_));
  EXPECT_FALSE(Holds(DescendantsOf(::getpid()), shell_));
}

}  // namespace
}  // namespace ebb::platform
