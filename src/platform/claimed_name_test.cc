#include "platform/claimed_name.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ebb::platform {
namespace {

std::string NameOfThisTest() { return "claimed_name_test " + std::to_string(::getpid()); }

TEST(ClaimedName, OneHoldsItUntilItLetsGo) {
  const std::string name = NameOfThisTest();
  {
    const auto first = ClaimedName::Claim(name);
    ASSERT_TRUE(first);
    EXPECT_FALSE(ClaimedName::Claim(name));
    EXPECT_TRUE(ClaimedName::Claim(name + " other"));
  }
  EXPECT_TRUE(ClaimedName::Claim(name));
}

TEST(ClaimedName, MovedItIsStillHeldOnce) {
  const std::string name = NameOfThisTest();
  auto first = ClaimedName::Claim(name);
  ASSERT_TRUE(first);
  {
    const ClaimedName second = std::move(*first);
    EXPECT_FALSE(ClaimedName::Claim(name));
  }
  EXPECT_TRUE(ClaimedName::Claim(name));
}

TEST(ClaimedName, OfAProcessThatIsKilledIsFree) {
  const std::string name = NameOfThisTest();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = ClaimedName::Claim(name);
    const char byte = held ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_FALSE(ClaimedName::Claim(name));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(ClaimedName::Claim(name));
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace ebb::platform
