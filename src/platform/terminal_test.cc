#include "platform/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ebb::platform {
namespace {

// A pipe in packet mode returns each write separately.
TEST(Terminal, ALineOnStandardErrorIsOneWrite) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_DIRECT | O_CLOEXEC), 0);
  const std::string half(200, 'x');
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    WriteErrorsByLine();
    std::fputs(half.c_str(), stderr);
    std::fprintf(stderr, "%s\n%s\n", half.c_str(), "the next");
    ::_exit(0);
  }
  ::close(ends[1]);
  char packet[4096];
  const auto next = [&] {
    const ssize_t size = ::read(ends[0], packet, sizeof packet);
    return std::string(packet, size > 0 ? static_cast<std::size_t>(size) : 0);
  };
  std::string seen = next();
  EXPECT_EQ(seen.substr(0, 401), half + half + "\n");
  for (std::string more = next(); !more.empty(); more = next()) seen += more;
  EXPECT_EQ(seen, half + half + "\nthe next\n");
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace ebb::platform
