// A run that waits survives the loss of its terminal.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "cli_fixture.h"

namespace ebb {
namespace {

class TerminalGone : public Cli {
 protected:
  // A run that waits for seconds, then prints a word and leaves a file.
  static std::vector<std::string> Waiting(const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "--policy",   "threshold", "--threshold",
                                   "100", "--constant", "200",       "--start-by",
                                   "6s",  "--run-dir",  "kept"};
    words.insert(words.end(), more.begin(), more.end());
    for (const char* word : {"bash", "-c", "echo hello; echo to-errors >&2; touch done"})
      words.emplace_back(word);
    return words;
  }
  // Starts the program in a session of its own that has this terminal, as a shell would.
  pid_t StartInTerminal(const std::vector<std::string>& words, int& terminal) {
    terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(terminal);
    ::unlockpt(terminal);
    const std::string name = ::ptsname(terminal);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::chdir(directory_.c_str()) != 0) ::_exit(99);
    ::setenv("TERM", "xterm", 1);
    ::setsid();
    const int end = ::open(name.c_str(), O_RDWR);
    ::ioctl(end, TIOCSCTTY, 0);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(end, standard);
    std::vector<char*> argv{const_cast<char*>(EBB_PROGRAM)};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(EBB_PROGRAM, argv.data());
    ::_exit(98);
  }
  // Returns the output up to the point at which `words` was printed.
  static std::string ReadUntil(int terminal, const std::string& words) {
    std::string text;
    char buffer[4096];
    while (!Contains(text, words)) {
      const ssize_t size = ::read(terminal, buffer, sizeof buffer);
      if (size <= 0) break;
      text.append(buffer, static_cast<std::size_t>(size));
    }
    return text;
  }
  void ExpectRanWithoutTerminal() {
    EXPECT_TRUE(Contains(Read(directory_ / "kept/output.log"), "hello"));
    EXPECT_TRUE(Contains(Read(directory_ / "kept/output.log"), "to-errors"));
    EXPECT_EQ(Summary("kept").at("outcome"), "done");
  }
};

TEST_F(TerminalGone, ARunThatWaitsGoesOnAndSoDoesItsProgram) {
  int terminal = -1;
  const pid_t pid = StartInTerminal(Waiting({}), terminal);
  const std::string said = ReadUntil(terminal, "--detach, or ebb submit");
  EXPECT_TRUE(Contains(said, "goes on waiting if this terminal ends")) << said;
  ::close(terminal);
  EXPECT_EQ(Finish(pid).code, 0);
  EXPECT_TRUE(fs::exists(directory_ / "done"));
  ExpectRanWithoutTerminal();
  EXPECT_TRUE(Contains(Read(directory_ / "kept/ebb.log"), "the terminal is gone"));
}

TEST_F(TerminalGone, ADetachedRunLeavesTheTerminalAtOnce) {
  int terminal = -1;
  const pid_t pid = StartInTerminal(Waiting({"--detach"}), terminal);
  const std::string said = ReadUntil(terminal, "to end it: kill ");
  EXPECT_TRUE(Contains(said, "kept/output.log")) << said;
  EXPECT_EQ(Finish(pid).code, 0);
  EXPECT_FALSE(fs::exists(directory_ / "done")) << "it still waits";
  ::close(terminal);
  WaitFor(directory_ / "kept/summary.json");
  ExpectRanWithoutTerminal();
}

TEST_F(TerminalGone, ADetachedResumeLeavesTheTerminalAtOnce) {
  ASSERT_EQ(Ebb({"run", "--constant", "200", "--run-dir", "kept", "bash", "-c",
                 "[ -e again ] || { touch again; exit 75; }; echo hello; echo to-errors >&2"})
                .code,
            75);
  int terminal = -1;
  const pid_t pid = StartInTerminal({"resume", "--detach", "kept", "--policy", "threshold",
                                     "--threshold", "100", "--start-by", "4s"},
                                    terminal);
  const std::string said = ReadUntil(terminal, "to end it: kill ");
  EXPECT_TRUE(Contains(said, "kept/output.log")) << said;
  EXPECT_EQ(Finish(pid).code, 0);
  ::close(terminal);
  for (int i = 0; i < 1000 && Summary("kept").at("outcome") != "done"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  ExpectRanWithoutTerminal();
  const Outcome jobs = Ebb({"resume", "--detach", "12"});
  EXPECT_EQ(jobs.code, 2) << jobs.err;
}

TEST_F(TerminalGone, WhatIsWrongWithADetachedRunIsSaidAtTheTerminal) {
  const Outcome outcome = Ebb({"run", "--detach", "--constant", "200", "no-such-program"});
  EXPECT_EQ(outcome.code, 127) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "no-such-program")) << outcome.err;
}

// With nohup, the run and its program ignore a hang-up.
TEST_F(TerminalGone, AHangUpThatIsIgnoredIsIgnored) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGHUP, SIG_IGN);
    ::_exit(WEXITSTATUS([&] {
      int status = 0;
      ::waitpid(Start({"run", "--constant", "200", "--run-dir", "kept", "bash", "-c",
                       "kill -HUP $PPID; kill -HUP $$; touch done"}),
                &status, 0);
      return status;
    }()));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << Read(directory_ / "err.txt");
  EXPECT_TRUE(fs::exists(directory_ / "done"));
}

}  // namespace
}  // namespace ebb
