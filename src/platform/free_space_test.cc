#include "platform/free_space.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

TEST(FreeSpace, ALimitOfFileSizeIsLikeAFullDisk) {
  const Path directory = ScratchDirectory("room");
  EXPECT_TRUE(HasRoomFor(directory, 1 << 20));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 16, 1 << 16};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
    const bool small = HasRoomFor(directory, 1 << 12), large = HasRoomFor(directory, 1 << 20);
    ::_exit(small && !large ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_TRUE(HasRoomFor(directory / "none", 1)) << "that is another fault";
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace ebb::platform
