#include "local/supervisor/ending.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "platform/process_table.h"

namespace ebb::local {
namespace {

// A process that runs until it gets a signal; it may ignore SIGTERM.
class Sleeper {
 public:
  explicit Sleeper(const char* script) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execlp("sh", "sh", "-c", script, nullptr);
      ::_exit(127);
    }
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  std::vector<pid_t> Running() const {
    if (platform::ProcessIdentity(pid_).empty()) return {};
    return {pid_};
  }
  /// Returns the signal that ended it.
  int WaitForEnd() const {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
    return ended.si_status;
  }

 private:
  pid_t pid_;
};

TEST(Ending, AsksAndIsDoneWhenNothingRuns) {
  const Sleeper sleeper("exec sleep 60");
  ::kill(sleeper.pid(), SIGSTOP);
  Ending ending({[&] { return sleeper.Running(); }, std::chrono::hours{1}});
  EXPECT_FALSE(ending.Look());
  EXPECT_EQ(sleeper.WaitForEnd(), SIGTERM) << "also what stood still";
  EXPECT_TRUE(ending.Look());
  EXPECT_EQ(ending.TakeTrouble(), std::nullopt);
}

TEST(Ending, KillsWhenTheGraceIsOver) {
  const Sleeper sleeper("exec sleep 60");
  bool all = false;
  Ending ending({[&] { return sleeper.Running(); },
                 std::chrono::hours{1},
                 [&] { all = true; },
                 {sleeper.pid()}});
  EXPECT_FALSE(ending.Look());
  EXPECT_FALSE(sleeper.Running().empty()) << "it was asked already";
  EXPECT_FALSE(all);
  ending.Hurry();
  EXPECT_FALSE(ending.Look());
  EXPECT_EQ(sleeper.WaitForEnd(), SIGKILL);
  EXPECT_TRUE(all);
  EXPECT_TRUE(ending.Look());
}

// Zombies stand in for processes in state D here: nobody waits for them.
TEST(Ending, SaysOnceThatAProcessCannotBeEnded) {
  const Sleeper gone("exit 0");
  std::ignore = gone.WaitForEnd();
  bool runs_on = true;
  Ending ending({.find = [&] { return runs_on ? std::vector{gone.pid()} : std::vector<pid_t>(); },
                 .grace = Duration::zero(),
                 .patience = Duration::zero()});
  EXPECT_EQ(ending.TakeTrouble(), std::nullopt) << "it was not killed yet";
  EXPECT_FALSE(ending.Look());
  const auto trouble = ending.TakeTrouble();
  ASSERT_TRUE(trouble);
  EXPECT_NE(trouble->find(std::to_string(gone.pid()) + " (state Z)"), std::string::npos);
  EXPECT_FALSE(ending.Look());
  EXPECT_EQ(ending.TakeTrouble(), std::nullopt);
  runs_on = false;
  EXPECT_TRUE(ending.Look());
}

}  // namespace
}  // namespace ebb::local
