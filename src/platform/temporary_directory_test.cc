#include "platform/temporary_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectoryTest : public ::testing::Test {
 protected:
  TemporaryDirectoryTest() { ::setenv("TMPDIR", base_.c_str(), 1); }
  ~TemporaryDirectoryTest() override { ::unsetenv("TMPDIR"); }
  std::size_t Entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(base_), fs::directory_iterator()));
  }
  const fs::path base_ = ScratchDirectory("temporary");
};

TEST_F(TemporaryDirectoryTest, GoesWithItsProcess) {
  {
    const auto one = TemporaryDirectory::Make("ebb"), other = TemporaryDirectory::Make("ebb");
    ASSERT_TRUE(one && other);
    EXPECT_TRUE(WriteFileAtomically(one->path() / "file", "x"));
    EXPECT_TRUE(fs::is_directory(other->path()));
  }
  EXPECT_EQ(Entries(), 0u);
}

TEST_F(TemporaryDirectoryTest, WhatAKilledProcessLeftIsRemovedByTheNext) {
  fs::create_directories(base_ / "ebb-stored" / "kept");
  fs::create_directory_symlink("/", base_ / "ebb-linked");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto made = TemporaryDirectory::Make("ebb");
    if (made) std::ignore = WriteFileAtomically(made->path() / "file", "x");
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_EQ(Entries(), 4u) << "the two of others, and the child's with its lock";
  const auto made = TemporaryDirectory::Make("ebb");
  ASSERT_TRUE(made);
  EXPECT_EQ(Entries(), 4u);
  EXPECT_TRUE(fs::is_directory(made->path()));
  EXPECT_TRUE(fs::exists(base_ / "ebb-stored" / "kept")) << "nobody holds a lock beside it";
}

}  // namespace
}  // namespace ebb::platform
