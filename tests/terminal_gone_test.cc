// A run that waits survives the loss of its terminal.

#include <sys/wait.h>

#include "cli_fixture.h"
#include "testing/terminal.h"

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
  void ExpectRanWithoutTerminal() {
    EXPECT_TRUE(Contains(Read(directory_ / "kept/output.log"), "hello"));
    EXPECT_TRUE(Contains(Read(directory_ / "kept/output.log"), "to-errors"));
    EXPECT_EQ(Summary("kept").at("outcome"), "done");
  }
};

TEST_F(TerminalGone, ARunThatWaitsGoesOnAndSoDoesItsProgram) {
  Terminal terminal(directory_, EBB_PROGRAM, Waiting({}));
  EXPECT_TRUE(terminal.Await("Without a terminal: --detach,")) << terminal.seen();
  EXPECT_TRUE(Contains(terminal.seen(), "goes on waiting if this terminal ends"))
      << terminal.seen();
  terminal.Close();
  EXPECT_EQ(Finish(terminal.pid()).code, 0);
  EXPECT_TRUE(fs::exists(directory_ / "done"));
  ExpectRanWithoutTerminal();
  EXPECT_TRUE(Contains(Read(directory_ / "kept/ebb.log"), "the terminal is gone"));
}

TEST_F(TerminalGone, ADetachedRunLeavesTheTerminalAtOnce) {
  Terminal terminal(directory_, EBB_PROGRAM, Waiting({"--detach"}));
  EXPECT_TRUE(terminal.Await("to end it: kill ")) << terminal.seen();
  EXPECT_TRUE(Contains(terminal.seen(), "kept/output.log")) << terminal.seen();
  EXPECT_EQ(Finish(terminal.pid()).code, 0);
  EXPECT_FALSE(fs::exists(directory_ / "done")) << "it still waits";
  terminal.Close();
  WaitFor(directory_ / "kept/summary.json");
  ExpectRanWithoutTerminal();
}

TEST_F(TerminalGone, ADetachedResumeLeavesTheTerminalAtOnce) {
  ASSERT_EQ(Ebb({"run", "--constant", "200", "--run-dir", "kept", "bash", "-c",
                 "[ -e again ] || { touch again; exit 75; }; echo hello; echo to-errors >&2"})
                .code,
            75);
  Terminal terminal(directory_, EBB_PROGRAM,
                    {"resume", "--detach", "kept", "--policy", "threshold", "--threshold", "100",
                     "--start-by", "4s"});
  EXPECT_TRUE(terminal.Await("to end it: kill ")) << terminal.seen();
  EXPECT_TRUE(Contains(terminal.seen(), "kept/output.log")) << terminal.seen();
  EXPECT_EQ(Finish(terminal.pid()).code, 0);
  terminal.Close();
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
