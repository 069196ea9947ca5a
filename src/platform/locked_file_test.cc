#include "platform/locked_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

class LockedFileTest : public testing::Test {
 protected:
  Path file() const { return directory_ / "shared.csv"; }
  const Path directory_ = ScratchDirectory("locked");
};

TEST_F(LockedFileTest, AppendsAndReplaces) {
  {
    auto open = LockedFile::Open(file());
    ASSERT_TRUE(open);
    EXPECT_EQ(*open->Read(), "");
    ASSERT_TRUE(open->Append("a\n"));
    ASSERT_TRUE(open->Append("b\n"));
    EXPECT_EQ(*open->Read(), "a\nb\n");
  }
  ::chmod(file().c_str(), 0640);
  ASSERT_TRUE(LockedFile::Open(file())->Replace("c\n"));
  EXPECT_EQ(*ReadFile(file()), "c\n");
  struct stat info {};
  ::stat(file().c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u) << "permissions stay";
}

TEST_F(LockedFileTest, ReplacingFollowsALink) {
  ASSERT_TRUE(WriteFileAtomically(directory_ / "real.csv", "a\n"));
  std::filesystem::create_symlink("real.csv", file());
  ASSERT_TRUE(LockedFile::Open(file())->Replace("b\n"));
  EXPECT_TRUE(std::filesystem::is_symlink(file()));
  EXPECT_EQ(*ReadFile(directory_ / "real.csv"), "b\n");
}

TEST_F(LockedFileTest, AHeldLockIsWaitedForAndThenAnError) {
  const auto held = LockedFile::Open(file());
  ASSERT_TRUE(held);
  const auto second = LockedFile::Open(file(), Duration{40});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ExitCode::kUnavailable);
  EXPECT_NE(second.error().Message().find("held by another process"), std::string::npos);
}

TEST_F(LockedFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_FALSE(LockedFile::Open(directory_));
  EXPECT_FALSE(LockedFile::Open(directory_ / "missing" / "x.csv"));
  EXPECT_FALSE(LockedFile::Open("/dev/null"));
}

// Several processes count in one file, half of them by replacing it: no count is lost.
TEST_F(LockedFileTest, ProcessesDoNotLoseEachOthersLines) {
  constexpr int kProcesses = 4, kLines = 15;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    if (pid != 0) {
      children.push_back(pid);
      continue;
    }
    for (int line = 0; line < kLines; ++line) {
      auto open = LockedFile::Open(file());
      if (!open) ::_exit(1);
      const std::string text = std::to_string(process) + "\n";
      const auto before = open->Read();
      if (!before) ::_exit(2);
      if (!(process % 2 ? open->Append(text) : open->Replace(*before + text))) ::_exit(3);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string text = *ReadFile(file());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kProcesses * kLines);
}

}  // namespace
}  // namespace ebb::platform
