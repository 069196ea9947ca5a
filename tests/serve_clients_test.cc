// The clients of the queue service as people type them: tables that fit, jobs by name, waiting.
#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/columns.h"
#include "base/text.h"
#include "serve_fixture.h"

namespace ebb {
namespace {

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string_view line : Split(text, '\n')) widest = std::max(widest, ColumnsOf(line));
  return widest;
}

// Sets an environment variable of the clients during its own lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

class Clients : public ServeCommand {
 protected:
  // Supervisors outlive the service, so the jobs must end too.
  void TearDown() override {
    std::vector<std::string> cancel{"cancel"};
    const auto queue = Queue();
    for (const auto& job : queue.at("jobs")) cancel.push_back(job.at("id").dump());
    if (cancel.size() > 1) Client(cancel);
    ServeCommand::TearDown();
  }
  // A client whose standard output is a terminal with this many columns.
  struct OnTerminal {
    pid_t pid;
    int descriptor;
  };
  OnTerminal StartOnTerminal(std::vector<std::string> words, unsigned short columns) {
    for (const std::string& word : Place()) words.push_back(word);
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(terminal);
    ::unlockpt(terminal);
    const winsize size{12, columns, 0, 0};  // and with few lines
    ::ioctl(terminal, TIOCSWINSZ, &size);
    const std::string name = ::ptsname(terminal);
    const pid_t pid = ::fork();
    if (pid != 0) return {pid, terminal};
    ::setenv("TERM", "xterm", 1);
    ::dup2(::open(name.c_str(), O_RDWR | O_NOCTTY), STDOUT_FILENO);
    std::vector<char*> argv{const_cast<char*>(EBB_PROGRAM)};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(EBB_PROGRAM, argv.data());
    ::_exit(98);
  }
  // Reads until the client ends or has printed `until`.
  std::string ReadTerminal(const OnTerminal& client, const std::string& until = "") {
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = ::read(client.descriptor, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(size));
      if (!until.empty() && Contains(text, until)) return text;
    }
    ::close(client.descriptor);
    ::waitpid(client.pid, nullptr, 0);
    std::erase(text, '\r');
    return text;
  }
  std::string OutputOnTerminal(const std::vector<std::string>& words, unsigned short columns) {
    return ReadTerminal(StartOnTerminal(words, columns));
  }
  // Submits a job that waits, or runs until it is told to end.
  void Submit(const std::string& name, const std::vector<std::string>& more = {},
              const std::vector<std::string>& command = {"sleep", "100"}) {
    std::vector<std::string> words{"submit", "--name", name};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Client(words, command);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  std::string StageOf(int job) {
    return nlohmann::json::parse(Client({"show", std::to_string(job), "--format", "json"}).out)
        .at("stage");
  }
  // True once the program takes signals itself (platform::ProcessSignals). A blocked signal that
  // the program waits for does not show in SigBlk; SIGTTOU always shows. While glibc forks, and in
  // the child, all signals are blocked, which must not count.
  static bool TakesSignals(pid_t pid) {
    const std::string status = Read("/proc/" + std::to_string(pid) + "/status");
    constexpr std::string_view kMask = "SigBlk:\t";
    const auto at = status.find(kMask);
    if (at == std::string::npos) return false;
    const auto blocked = std::stoull(status.substr(at + kMask.size()), nullptr, 16);
    const auto blocks = [&](int number) { return (blocked >> (number - 1) & 1) != 0; };
    return blocks(SIGTTOU) && !blocks(SIGALRM);
  }
  void WaitForStage(int job, const std::string& stage) {
    WaitUntil([&] { return StageOf(job) == stage; });
  }
};

TEST_F(Clients, WhatFailedSinceOneLastLookedIsSaidUntilOneLooks) {
  ::setenv("XDG_STATE_HOME", (directory_ / "state").c_str(), 1);
  Serve();
  Submit("broken", {}, {"bash", "-c", "exit 3"});
  Submit("fine", {}, {"true"});
  WaitForStage(1, "failed");
  WaitForStage(2, "succeeded");
  const std::string line = "1 job failed since you last looked: ebb queue --failed";
  WaitUntil([&] { return Contains(Client({"queue"}).out, line); });
  EXPECT_TRUE(Contains(Client({"queue", "--failed", "--name", "fine"}).out, "nothing failed"));
  EXPECT_TRUE(Contains(Client({"queue"}).out, line)) << "only a part was looked at";
  const Outcome failed = Client({"queue", "--failed"});
  EXPECT_TRUE(Contains(failed.out, "broken")) << failed.out << failed.err;
  EXPECT_TRUE(Contains(failed.out, "exit code 3")) << failed.out;
  EXPECT_FALSE(Contains(failed.out, "fine")) << failed.out;
  EXPECT_FALSE(Contains(Client({"queue"}).out, "failed since"));
  EXPECT_TRUE(Contains(Client({"queue", "--failed"}).out, "nothing failed since you last looked"));
  ::unsetenv("XDG_STATE_HOME");
}

TEST_F(Clients, OfAJobThatBeganAtOnceNothingWasSavedAndWaitingIsJudged) {
  Serve({}, {"--signal", "profile", "--zone", "DE"});
  Submit("quick", {}, {"sleep", "0.3"});
  WaitForStage(1, "succeeded");
  WaitUntil([&] { return Contains(Client({"explain", "1"}).out, "the same, nothing was saved"); });
  const std::string facts = Client({"show", "1"}).out;
  EXPECT_TRUE(Contains(facts, "had it waited             up to 1d 0h: ")) << facts;
}

TEST_F(Clients, TheQueueFitsATerminalAndColumns) {
  Serve({"--slots", "1"});
  Submit("a-rather-long-name-of-a-training-with-all-its-parameters");
  Submit("訓練-大規模-言語-模型-微調整-🚀-訓練-大規模-言語-模型", {"--start-by", "6h"});
  WaitForStage(1, "running");
  WaitForStage(2, "waiting");
  const auto expect_whole = [&] {
    const std::string whole = Client({"queue"}).out;
    EXPECT_GT(WidestLine(whole), 120u) << "nothing is cut in a pipe";
    EXPECT_FALSE(Contains(whole, "…")) << whole;
  };
  expect_whole();
  for (const unsigned short columns : std::initializer_list<unsigned short>{64, 80, 120}) {
    const std::string text = OutputOnTerminal({"queue"}, columns);
    EXPECT_LE(WidestLine(text), columns) << text;
    EXPECT_TRUE(Contains(text, "…")) << text;
    EXPECT_TRUE(Contains(text, "running")) << text;
  }
  EXPECT_TRUE(Contains(OutputOnTerminal({"queue"}, 60), "no room for ")) << "it says so";
  {
    const Variable asked("COLUMNS", "70");
    EXPECT_LE(WidestLine(Client({"queue"}).out), 70u) << "also in a pipe";
    EXPECT_GT(WidestLine(OutputOnTerminal({"queue"}, 200)), 60u);
    EXPECT_LE(WidestLine(OutputOnTerminal({"queue"}, 200)), 70u);
  }
  const Variable nonsense("COLUMNS", "0");
  expect_whole();
}

TEST_F(Clients, OtherTablesFitToo) {
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit", "--name", "每晚-🌙-" + std::string(80, 'n'), "--cron", "0 2 * * *"},
                   {"true"})
                .code,
            0);
  const Variable asked("COLUMNS", "76");
  const std::string recurring = Client({"recurring"}).out;
  EXPECT_LE(WidestLine(recurring), 76u) << recurring;
  EXPECT_TRUE(Contains(recurring, "…")) << recurring;
  EXPECT_LE(WidestLine(Client({"tiers"}).out), 76u);
}

TEST_F(Clients, SeveralJobsAreToldByNumberAndByName) {
  Serve({"--slots", "1"});
  Submit("first");
  Submit("second");
  Submit("third");
  const Outcome paused = Client({"pause", "2", "third"});
  EXPECT_EQ(paused.code, 0) << paused.err;
  EXPECT_EQ(paused.out,
            "job 2 (second): paused by you; to continue, run `ebb resume 2`\n"
            "job 3 (third): paused by you; to continue, run `ebb resume 3`\n");
  EXPECT_TRUE(Contains(Client({"explain", "third"}).out, "on hold; `ebb resume` continues it"));
  EXPECT_EQ(Client({"resume", "second", "3"}).out,
            "job 2 (second): resumed; the plan decides when it runs\n"
            "job 3 (third): resumed; the plan decides when it runs\n");
  EXPECT_EQ(Client({"now", "second"}).out,
            "job 2 (second): starts once devices are free, whatever the grid\n");
  WaitForStage(1, "running");
  // A job that cannot be cancelled does not stop the command from cancelling the others.
  const Outcome cancelled = Client({"cancel", "3", "99", "first"});
  EXPECT_EQ(cancelled.code, 2);
  EXPECT_EQ(cancelled.out,
            "job 3 (third): cancelled\n"
            "job 1 (first): cancelled; Ebb asks its program to end\n");
  EXPECT_TRUE(Contains(cancelled.err, "99")) << cancelled.err;
  WaitForStage(1, "cancelled");
  EXPECT_EQ(Client({"cancel", "1"}).out, "job 1 (first): had ended before: cancelled\n");
  EXPECT_EQ(Client({"pause", "1"}).code, 2);
}

TEST_F(Clients, ANameMeansTheOneJobThatLivesOrTheLastThatEnded) {
  Serve({"--slots", "1"});
  Submit("once & more", {}, {"sh", "-c", "echo first"});
  WaitForStage(1, "succeeded");
  Submit("once & more", {}, {"sh", "-c", "echo second"});
  WaitForStage(2, "succeeded");
  EXPECT_EQ(Client({"logs", "once & more"}).out, "second\n");
  EXPECT_TRUE(Contains(Client({"show", "once & more"}).out, "job 2 (once & more)"));
  const Outcome ended = Client({"pause", "once & more"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(Contains(ended.err, "job 2 (once & more): has ended")) << ended.err;
  Submit("once & more");
  EXPECT_TRUE(Contains(Client({"show", "once & more"}).out, "job 3 (once & more)"));
  Submit("once & more");
  for (const std::string command : {"cancel", "explain"}) {
    const Outcome several = Client({command, "once & more"});
    EXPECT_EQ(several.code, 2);
    EXPECT_TRUE(Contains(several.err, "3, 4")) << several.err;
  }
  const Outcome unknown = Client({"resume", "once & mere"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(Contains(unknown.err, "did you mean \"once & more\"?")) << unknown.err;
  EXPECT_TRUE(Contains(Client({"queue", "--name", "once & more"}).out, "running"));
}

// ebb resume with a path resumes a run, as it always has.
TEST_F(Clients, APathIsARunAndNotAJob) {
  Serve({"--slots", "1"});
  Submit("a/b");
  const Outcome missing = Client({"resume", "runs/none"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_TRUE(Contains(missing.err, "is not a run directory")) << missing.err;
  EXPECT_TRUE(Contains(Client({"resume", "a/b"}).out, "job 1 (a/b): resumed")) << "its name";
  fs::create_directory(directory_ / "1");
  EXPECT_TRUE(Contains(Client({"resume", "1"}).err, "is not a run directory"));
  EXPECT_TRUE(Contains(Client({"resume", "1", "a/b"}).err, "along with others"));
  EXPECT_EQ(Client({"cancel", "1"}).code, 0) << "is always a job";
}

TEST_F(Clients, WaitEndsWithTheJobAndItsExitCode) {
  Serve({"--slots", "2"});
  Submit("fine", {}, {"true"});
  Submit("bad", {}, {"sh", "-c", "exit 7"});
  const Outcome both = Client({"wait", "fine", "bad"});
  EXPECT_EQ(both.code, 7);
  EXPECT_TRUE(Contains(both.err, "job 1 (fine): succeeded\n")) << both.err;
  EXPECT_TRUE(Contains(both.err, "job 2 (bad): failed: exit code 7\n")) << both.err;
  EXPECT_EQ(Client({"wait", "1"}).code, 0);
  EXPECT_EQ(Client({"wait", "99"}).code, 2);
  const auto answer = nlohmann::json::parse(Client({"wait", "2", "--format", "json"}).out);
  EXPECT_EQ(answer.at("exit_code"), 7);
  Submit("long");
  Submit("never", {"--after", "3"}, {"true"});
  EXPECT_EQ(Client({"cancel", "never"}).code, 0);
  EXPECT_EQ(Client({"wait", "never"}).code, 1) << "it was cancelled and has no exit code";
}

TEST_F(Clients, WaitGoesOnOverARestartAndLeavesTheJobAlone) {
  Serve({"--slots", "1"});
  Submit("long", {}, {"sh", "-c", "until [ -e go ]; do sleep 0.02; done; exit 3"});
  WaitForStage(1, "running");
  std::vector<std::string> words{EBB_PROGRAM, "wait", "long"};
  for (const std::string& word : Place()) words.push_back(word);
  const pid_t asked_to_stop = StartAside(words, "stopped.txt");
  const pid_t waiting = StartAside(words, "waiting.txt");
  for (const pid_t pid : {asked_to_stop, waiting}) WaitUntil([&] { return TakesSignals(pid); });
  ::kill(asked_to_stop, SIGINT);
  EXPECT_EQ(Finish(asked_to_stop).code, 130);
  EXPECT_EQ(StageOf(1), "running");
  Stop(SIGKILL);
  WaitUntil([&] { return Contains(Read(directory_ / "waiting.txt"), "asking again"); });
  Serve({"--slots", "1"});
  Write("go", "");
  EXPECT_EQ(Finish(waiting).code, 3);
  EXPECT_TRUE(Contains(Read(directory_ / "waiting.txt"), "failed: exit code 3\n"));
}

TEST_F(Clients, SubmitWaitsAndFollows) {
  Serve({"--slots", "2"});
  const Outcome waited =
      Client({"submit", "--wait", "--name", "w"}, {"sh", "-c", "echo x; exit 5"});
  EXPECT_EQ(waited.code, 5);
  EXPECT_EQ(waited.out, "1\n") << "its number, as ever";
  EXPECT_TRUE(Contains(waited.err, "job 1 (w): failed: exit code 5\n")) << waited.err;
  const Outcome followed = Client({"submit", "--follow", "--name", "f"},
                                  {"sh", "-c", "echo one; sleep 1; echo two; exit 6"});
  EXPECT_EQ(followed.code, 6);
  EXPECT_EQ(followed.out, "one\ntwo\n") << "what the program printed and nothing else";
  EXPECT_TRUE(Contains(followed.err, "job 2\n")) << followed.err;
  Write("two.yaml",
        "jobs:\n  - {name: a, command: [\"true\"]}\n"
        "  - {name: b, command: [sh, -c, \"exit 4\"]}\n");
  EXPECT_EQ(Client({"submit", "two.yaml", "--wait"}).code, 4);
  const Outcome recurring = Client({"submit", "--wait", "--cron", "@daily"}, {"true"});
  EXPECT_EQ(recurring.code, 2);
  EXPECT_TRUE(Contains(recurring.err, "no end to wait for")) << recurring.err;
}

// No output of the meantime is missing or printed twice.
TEST_F(Clients, FollowGoesOnOverARestart) {
  Serve({"--slots", "1"});
  std::vector<std::string> words{EBB_PROGRAM, "submit", "--follow"};
  for (const std::string& word : Place()) words.push_back(word);
  for (const std::string word : {"--", "sh", "-c"}) words.push_back(word);
  words.emplace_back("echo one; until [ -e go ]; do sleep 0.02; done; echo two");
  const pid_t following = StartAside(words, "followed.txt");
  WaitUntil([&] { return Contains(Read(directory_ / "followed.txt"), "one\n"); });
  Stop(SIGKILL);
  WaitUntil([&] { return Contains(Read(directory_ / "followed.txt"), "asking again"); });
  Write("go", "");
  Serve({"--slots", "1"});
  EXPECT_EQ(Finish(following).code, 0);
  const std::string text = Read(directory_ / "followed.txt");
  EXPECT_TRUE(Contains(text, "two\n")) << text;
  EXPECT_EQ(text.find("one\n"), text.rfind("one\n")) << text;
}

TEST_F(Clients, WatchRedrawsATerminalAndNothingElse) {
  Serve({"--slots", "1"});
  const Outcome piped = Client({"queue", "--watch"});
  EXPECT_EQ(piped.code, 2);
  EXPECT_TRUE(Contains(piped.err, "standard output is not one")) << piped.err;
  Submit("early");
  const OnTerminal watch = StartOnTerminal({"queue", "--watch"}, 70);
  EXPECT_TRUE(Contains(ReadTerminal(watch, "\x1b[J"), "early"));
  Submit("late");
  EXPECT_TRUE(Contains(ReadTerminal(watch, "late"), "\x1b[H")) << "over the picture before";
  Stop(SIGKILL);
  EXPECT_TRUE(Contains(ReadTerminal(watch, "Ctrl-C ends it; "), "every 2 s"));
  Serve({"--slots", "1"});
  for (int i = 0; i < 12; ++i) Submit("many" + std::to_string(i));
  ReadTerminal(watch, "more lines");
  ::kill(watch.pid, SIGINT);
  ReadTerminal(watch);
}

TEST_F(Clients, TheQueueOfOneUser) {
  Serve({"--slots", "3"});
  Submit("ada's", {"--user", "ada & co"});
  Submit("nobody's");
  {
    const Variable user("EBB_USER", "grace");
    Submit("grace's");
    EXPECT_TRUE(Contains(Client({"queue", "--me"}).out, "grace's"));
    EXPECT_FALSE(Contains(Client({"queue", "--me"}).out, "ada's"));
  }
  const std::string text = Client({"queue", "--user", "ada & co"}).out;
  EXPECT_TRUE(Contains(text, "ada's") && !Contains(text, "nobody's")) << text;
  const Variable nobody("EBB_USER", "");
  const std::string mine = Client({"queue", "--me"}).out;
  EXPECT_TRUE(mine.starts_with("nothing of ")) << mine << "an empty name is none";
  const auto show = nlohmann::json::parse(Client({"show", "3", "--format", "json"}).out);
  EXPECT_EQ(show.at("user"), "grace");
}

}  // namespace
}  // namespace ebb
