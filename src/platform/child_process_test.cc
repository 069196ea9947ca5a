#include "platform/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "platform/file.h"
#include "platform/program_lookup.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

ExitStatus RunToEnd(ProcessSignals& signals, ChildProcess& child) {
  for (;;) {
    if (const auto status = child.Wait(signals, Duration{5000})) return *status;
  }
}

Result<ExitStatus> RunCommand(std::vector<std::string> argv,
                              std::vector<std::pair<std::string, std::string>> environment = {}) {
  ProcessSignals signals;
  auto child = ChildProcess::Start({std::move(argv), std::move(environment)});
  if (!child) return Fail(child.error());
  return RunToEnd(signals, *child);
}

TEST(ChildProcessTest, PassesTheExitCodeOn) {
  EXPECT_EQ(RunCommand({"true"})->code, 0);
  EXPECT_EQ(RunCommand({"sh", "-c", "exit 75"})->code, 75);
}

TEST(ChildProcessTest, ReportsASignalAsShellsDo) {
  const auto status = RunCommand({"sh", "-c", "kill -KILL $$"});
  EXPECT_EQ(status->code, 128 + SIGKILL);
  EXPECT_TRUE(status->by_signal);
}

TEST(ChildProcessTest, TellsNotFoundFromNotExecutable) {
  EXPECT_EQ(RunCommand({"ebb-no-such-command"}).error().code, ExitCode::kCommandNotFound);
  EXPECT_EQ(RunCommand({"/etc/passwd"}).error().code, ExitCode::kCommandNotExecutable);
  EXPECT_EQ(RunCommand({}).error().code, ExitCode::kUsage);
}

// Start executes the same program that CheckStart finds, and no other.
TEST(ChildProcessTest, WhatIsLookedUpIsWhatIsStarted) {
  namespace fs = std::filesystem;
  const fs::path directory = ScratchDirectory("looked-up");
  fs::create_directories(directory / "bin" / "folder");
  for (const char* name : {"tool", "bin/tool-in-path", "data"})
    std::ofstream(directory / name) << "#!/bin/sh\nexit 7\n";
  for (const char* name : {"tool", "bin/tool-in-path"})
    fs::permissions(directory / name, fs::perms::owner_all);
  const std::string ours = std::getenv("PATH");
  using Environment = std::vector<std::pair<std::string, std::string>>;
  struct Case {
    std::string program, directory;
    Environment environment;
    ExitCode code;
  };
  const std::string here = directory.string();
  const auto ok = ExitCode::kOk, missing = ExitCode::kCommandNotFound,
             useless = ExitCode::kCommandNotExecutable;
  for (const Case& it : std::vector<Case>{
           {"sh", here, {}, ok},
           {"./tool", here, {}, ok},
           {"tool", here, {}, missing},
           {"tool", here, {{"PATH", ""}}, ok},
           {"tool", here, {{"PATH", "/nowhere::/bin"}}, ok},
           {"tool-in-path", here, {}, missing},
           {"tool-in-path", here, {{"PATH", ours + ":" + here + "/bin"}}, ok},
           {"tool-in-path", here, {{"PATH", "bin"}}, ok},
           {"folder", here, {{"PATH", "bin"}}, useless},
           {"sh", here, {{"PATH", "/nowhere"}}, missing},
           {"bin/tool-in-path", here, {}, ok},
           {here + "/tool", "/", {}, ok},
           {"./tool", "/", {}, missing},
           {"./data", here, {}, useless},
           {"./data/tool", here, {}, missing},
           {"sh", here + "/nowhere", {}, useless},
           {"sh", here + "/data", {}, useless},
       }) {
    ChildOptions options{{it.program, "-c", "exit 7"}, it.environment};
    options.working_directory = it.directory;
    const std::string what = it.program + " in " + it.directory;
    const Status found = CheckStart(options);
    EXPECT_EQ(found ? ok : found.error().code, it.code) << what;
    ProcessSignals signals;
    auto child = ChildProcess::Start(options);
    ASSERT_EQ(child ? ok : child.error().code, it.code) << what;
    if (child) {
      EXPECT_EQ(RunToEnd(signals, *child).code, 7) << what;
      continue;
    }
    EXPECT_EQ(child.error().Message(), found.error().Message()) << what;
    EXPECT_TRUE(IsFaultOfCommand(static_cast<int>(child.error().code)));
  }
}

TEST(ChildProcessTest, WhatWasProbablyMeantIsSaid) {
  namespace fs = std::filesystem;
  const fs::path here = ScratchDirectory("meant");
  std::ofstream(here / "train.py") << "print(1)\n";
  fs::copy_file("/bin/true", here / "tool");
  const auto said = [&](std::vector<std::string> command) {
    ChildOptions options{std::move(command), {}};
    options.working_directory = here.string();
    const Status found = CheckStart(options);
    return found ? "" : found.error().next;
  };
  EXPECT_EQ(said({"sh train.py --lr 1"}),
            "did you mean several words? sh train.py --lr 1 without the quotes");
  EXPECT_EQ(said({"./tool x"}), "did you mean several words? ./tool x without the quotes");
  EXPECT_EQ(said({"train.py", "--lr", "1"}), "did you mean python3 train.py?");
  EXPECT_EQ(said({"tool"}), "did you mean ./tool?");
  EXPECT_EQ(said({"./train.py"}), "did you mean python3 ./train.py?");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"nosuch.py"}, {"nosuch train.py"}, {"nosuch", "train.py"}})
    EXPECT_EQ(said(command), "check the spelling and PATH, or give the path of the program");
}

// The place where a program was found is remembered, but it is checked again each time.
TEST(ChildProcessTest, AProgramThatGoesAwayIsMissedAndAnotherOneFound) {
  namespace fs = std::filesystem;
  const fs::path here = ScratchDirectory("goes-away");
  for (const char* folder : {"a", "b"}) fs::create_directories(here / folder);
  ChildOptions options{{"tool-that-goes"}, {{"PATH", "a:b"}}};
  options.working_directory = here.string();
  const auto put = [&](const char* folder) {
    fs::copy_file("/bin/true", here / folder / "tool-that-goes");
  };
  EXPECT_FALSE(CheckStart(options));
  put("b");
  EXPECT_TRUE(CheckStart(options));
  EXPECT_TRUE(CheckStart(options));
  fs::permissions(here / "b" / "tool-that-goes", fs::perms::owner_read);
  if (::geteuid() != 0) {
    EXPECT_FALSE(CheckStart(options));
  }
  fs::remove(here / "b" / "tool-that-goes");
  EXPECT_FALSE(CheckStart(options));
  put("a");
  EXPECT_TRUE(CheckStart(options));
  options.environment = {{"PATH", "b"}};
  EXPECT_FALSE(CheckStart(options));
}

TEST(ChildProcessTest, ArgumentsReachTheProgramUntouchedByAnyShell) {
  EXPECT_EQ(RunCommand({"test", "$(exit 1) `x` ; * ", "=", "$(exit 1) `x` ; * "})->code, 0);
}

TEST(ChildProcessTest, EnvironmentIsAddedAndReplaces) {
  ::setenv("EBB_TEST_OLD", "old", 1);
  EXPECT_EQ(
      RunCommand({"sh", "-c", "test \"$EBB_TEST_OLD\" = new && test \"$EBB_TEST_NEW\" = 'a b'"},
                 {{"EBB_TEST_OLD", "new"}, {"EBB_TEST_NEW", "a b"}})
          ->code,
      0);
}

TEST(ChildProcessTest, SignalsAreForwardedToTheWholeGroup) {
  // The grandchild writes down its own end. Child and grandchild must both get the signal that is
  // sent to this process.
  const std::string path = (ScratchDirectory("grandchild") / "ending").string();
  ProcessSignals signals;
  auto child = ChildProcess::Start(
      {{"sh", "-c",
        "trap 'wait; exit 9' TERM; sh -c 'trap \"echo got > " + path +
            "; exit 0\" TERM; echo up > " + path + ".up; while :; do sleep 0.02; done' & wait"},
       {}});
  ASSERT_TRUE(child);
  while (!std::filesystem::exists(path + ".up")) child->Wait(signals, Duration{20});
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(RunToEnd(signals, *child).code, 9);
  EXPECT_EQ(child->forwarded_stop(), SIGTERM);
  EXPECT_EQ(*ReadFile(path), "got\n");
}

}  // namespace
}  // namespace ebb::platform
