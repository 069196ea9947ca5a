#pragma once
// Runs a program as a user does: a real process in a directory of its own.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "testing/scratch_directory.h"

namespace ebb {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string Read(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Cli : public ::testing::Test {
 protected:
  // Sets a zone that no source serves without a key, as a user would once; tests without a zone
  // remove it. Other settings of the user who runs the tests are hidden.
  Cli() {
    ::setenv("EBB_ZONE", "US-MIDA-PJM", 1);
    ::setenv("EBB_CONFIG", "none", 1);
    for (const char* name : {"EBB_SERVER", "EBB_TOKEN_FILE"}) ::unsetenv(name);
    ::setenv("TZ", "UTC", 1);
  }
  void TearDown() override {
    if (HasFailure()) KeepScratchDirectories();
  }

  // Starts ebb in the test's directory; standard input is closed.
  pid_t Start(const std::vector<std::string>& arguments) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::chdir(directory_.c_str()) != 0) ::_exit(99);
    ::freopen("out.txt", "w", stdout);
    ::freopen("err.txt", "w", stderr);
    ::freopen("/dev/null", "r", stdin);
    std::vector<char*> argv{const_cast<char*>(EBB_PROGRAM)};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(EBB_PROGRAM, argv.data());
    ::_exit(98);
  }
  // Starts any program in the test's directory, beside which the test runs others. Its output goes
  // to the file `output`.
  pid_t StartAside(const std::vector<std::string>& words, const std::string& output) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::chdir(directory_.c_str()) != 0) ::_exit(99);
    ::freopen(output.c_str(), "w", stdout);
    ::freopen(output.c_str(), "a", stderr);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(98);
  }
  Outcome Finish(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
            Read(directory_ / "out.txt"), Read(directory_ / "err.txt")};
  }
  Outcome Ebb(const std::vector<std::string>& arguments) { return Finish(Start(arguments)); }

  nlohmann::json Summary(const std::string& run) {
    return nlohmann::json::parse(Read(directory_ / run / "summary.json"));
  }
  void WaitFor(const fs::path& path) {
    for (int i = 0; i < 2000 && !fs::exists(path); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_TRUE(fs::exists(path)) << path;
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }

  const fs::path directory_ =
      ScratchDirectory(::testing::UnitTest::GetInstance()->current_test_info()->name());
};

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ebb
