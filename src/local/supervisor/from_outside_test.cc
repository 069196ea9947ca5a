#include "local/supervisor/from_outside.h"

#include <gtest/gtest.h>

#include <csignal>

#include "local/process/attempt_outcome.h"
#include "meter/scratch_root_for_test.h"

namespace ebb::local {
namespace {

platform::ExitStatus BySignal(int number) { return {128 + number, true}; }

class FromOutside : public ::testing::Test {
 protected:
  void CountOomKills(int count) {
    root_.Write("vmstat", "nr_free_pages 5\noom_kill " + std::to_string(count) + "\n");
  }
  OomWatch Watch() const { return OomWatch(nullptr, root_.path() + "/vmstat"); }

  meter::ScratchRoot root_;
};

TEST_F(FromOutside, WhatOthersSendIs) {
  CountOomKills(3);
  const OomWatch oom = Watch();
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPWR, SIGKILL})
    EXPECT_TRUE(LooksFromOutside(BySignal(number), oom)) << number;
  EXPECT_TRUE(LooksFromOutside({143, false}, oom)) << "a shell says so of its child";
}

TEST_F(FromOutside, AProgramsOwnFailingIsNot) {
  CountOomKills(3);
  const OomWatch oom = Watch();
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU, SIGPIPE, SIGALRM})
    EXPECT_FALSE(LooksFromOutside(BySignal(number), oom)) << number;
  for (const int code : {1, 3, 75, 129, 137})
    EXPECT_FALSE(LooksFromOutside({code, false}, oom)) << code;
}

TEST_F(FromOutside, WhatTheKernelKilledForWantOfMemoryIsNot) {
  CountOomKills(3);
  const OomWatch oom = Watch();
  EXPECT_EQ(oom.HasKilled(), false);
  CountOomKills(4);
  EXPECT_EQ(oom.HasKilled(), true);
  EXPECT_FALSE(LooksFromOutside(BySignal(SIGKILL), oom));
  EXPECT_TRUE(LooksFromOutside(BySignal(SIGTERM), oom));
}

TEST_F(FromOutside, WhereNobodyCountsAKillIsAFailure) {
  const OomWatch oom = Watch();
  EXPECT_EQ(oom.HasKilled(), std::nullopt);
  EXPECT_FALSE(LooksFromOutside(BySignal(SIGKILL), oom));
}

TEST_F(FromOutside, SaysHowItEnded) {
  EXPECT_EQ(HowItEnded(BySignal(SIGKILL)), "ended by SIGKILL");
  EXPECT_EQ(HowItEnded({143, false}), "ended by SIGTERM");
  EXPECT_EQ(HowItEnded({3, false}), "exit code 3");
}

}  // namespace
}  // namespace ebb::local
