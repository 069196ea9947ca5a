#include "service/intake/recurring.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-05-01T10:00Z");

class RecurringTest : public ::testing::Test {
 protected:
  core::RecurringJob Job(const std::string& name, const std::string& cron,
                         core::OverlapRule overlap = core::OverlapRule::kForbid) {
    core::RecurringJob job;
    job.recurrence = {cron, hours{3}, overlap};
    job.submission.job.name = name;
    job.submission.command = {"true"};
    job.last = kNow;
    return job;
  }
  std::vector<std::string> said_;
  Recurring recurring_{[](Time) { return Duration{0}; },
                       [this](const std::string& text) { said_.push_back(text); }};
};

TEST_F(RecurringTest, AnInstanceComesWhenItIsDueAndOnce) {
  EXPECT_EQ(*recurring_.Put(Job("nightly", "0 12 * * *")), kNow + hours{2});
  EXPECT_EQ(recurring_.NextAt(), kNow + hours{2});
  EXPECT_TRUE(recurring_.TakeDue(kNow + hours{2} - Duration{1}).empty());
  const auto due = recurring_.TakeDue(kNow + hours{2});
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].submission.recurring, "nightly");
  EXPECT_EQ(due[0].submission.key, "recurring/nightly/2026-05-01T12:00:00Z");
  EXPECT_EQ(due[0].submission.job.start_by, kNow + hours{5});
  EXPECT_TRUE(recurring_.TakeDue(kNow + hours{2}).empty());
  EXPECT_EQ(recurring_.NextAt(), kNow + hours{26});
}

TEST_F(RecurringTest, WhatWasMissedComesOnceIfThereIsTimeLeft) {
  ASSERT_TRUE(recurring_.Put(Job("hourly", "@hourly")));
  ASSERT_EQ(recurring_.TakeDue(kNow + hours{7} + minutes{30}).size(), 1u);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_NE(said_[0].find("6 times"), std::string::npos) << said_[0];
  ASSERT_TRUE(recurring_.Put(Job("daily", "0 11 * * *")));
  EXPECT_TRUE(recurring_.TakeDue(kNow + hours{6}).empty()) << "its latest start has passed";
}

TEST_F(RecurringTest, AnInstanceThatStillLivesIsLeftAloneOrReplaced) {
  for (const auto overlap :
       {core::OverlapRule::kForbid, core::OverlapRule::kAllow, core::OverlapRule::kReplace}) {
    ASSERT_TRUE(recurring_.Put(Job("r", "@hourly", overlap)));
    auto first = recurring_.TakeDue(kNow + hours{1}).at(0).submission;
    first.job.id = 17;
    recurring_.Began(first);
    const auto due = recurring_.TakeDue(kNow + hours{2});
    EXPECT_EQ(due.size(), overlap == core::OverlapRule::kForbid ? 0u : 1u);
    for (const Recurring::Due& one : due)
      EXPECT_EQ(one.replaces.size(), overlap == core::OverlapRule::kReplace ? 1u : 0u);
    recurring_.Ended(17);
    EXPECT_EQ(recurring_.TakeDue(kNow + hours{3}).size(), 1u);
  }
}

TEST_F(RecurringTest, APausedOneIsNotDueAndMakesUpForNothing) {
  ASSERT_TRUE(recurring_.Put(Job("hourly", "@hourly")));
  EXPECT_TRUE(recurring_.SetPaused("hourly", true, kNow));
  EXPECT_FALSE(recurring_.SetPaused("houry", true, kNow));
  EXPECT_EQ(recurring_.NextAt(), Time::max());
  EXPECT_EQ(recurring_.View().at(0).next, Time::max());
  EXPECT_TRUE(recurring_.TakeDue(kNow + hours{5}).empty());
  Recurring next([](Time) { return Duration{0}; }, [](const std::string&) {});
  ASSERT_TRUE(next.Load(recurring_.Text()));
  EXPECT_EQ(next.NextAt(), Time::max()) << "another life keeps it paused";
  const Time resumed = kNow + hours{5} + minutes{30};
  EXPECT_TRUE(next.SetPaused("hourly", false, resumed));
  EXPECT_EQ(next.NextAt(), kNow + hours{6});
  EXPECT_TRUE(next.TakeDue(resumed).empty()) << "five were missed";
  EXPECT_EQ(next.TakeDue(kNow + hours{6}).size(), 1u);
}

// On a local clock that stands still no schedule is ever due.
TEST_F(RecurringTest, AScheduleThatNeverComesIsRefusedAndOneThatIsStoredIsKept) {
  ASSERT_TRUE(recurring_.Put(Job("yearly", "@yearly")));
  std::vector<std::string> said;
  Recurring still([](Time time) { return kNow - time; },
                  [&](const std::string& text) { said.push_back(text); });
  const auto refused = still.Put(Job("yearly", "@yearly"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("40 years"), std::string::npos);
  EXPECT_TRUE(still.View().empty());
  ASSERT_TRUE(still.Load(recurring_.Text()));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(still.NextAt(), Time::max());
  EXPECT_FALSE(still.View().at(0).paused);
  EXPECT_TRUE(still.TakeDue(kNow + hours{24}).empty());
  EXPECT_EQ(still.Text(), recurring_.Text());
}

TEST_F(RecurringTest, OneThatComesEveryFewYearsIsDueThen) {
  EXPECT_EQ(*recurring_.Put(Job("rare", "0 0 */31 11 sun")), *ParseTime("2026-11-01"));
  ASSERT_EQ(recurring_.TakeDue(*ParseTime("2026-11-01")).size(), 1u);
  EXPECT_EQ(recurring_.NextAt(), *ParseTime("2037-11-01"));
}

TEST_F(RecurringTest, AClockThatRanAheadCostsNoInstance) {
  ASSERT_TRUE(recurring_.Put(Job("daily", "0 12 * * *")));
  const Time wrong = kNow + hours{48};
  ASSERT_TRUE(recurring_.TakeDue(wrong).empty()) << "missed";
  ASSERT_EQ(recurring_.TakeDue(wrong + hours{2}).size(), 1u);
  EXPECT_TRUE(recurring_.TakeChanged());
  recurring_.FollowClock(kNow + minutes{1});
  EXPECT_TRUE(recurring_.TakeChanged());
  std::vector<std::string> keys;
  for (const int hour : {2, 26, 50}) {
    const auto due = recurring_.TakeDue(kNow + hours{hour});
    ASSERT_EQ(due.size(), 1u) << hour;
    keys.push_back(due[0].submission.key);
  }
  EXPECT_EQ(keys[2], "recurring/daily/2026-05-03T12:00:00Z") << "as the one that came: known by it";
  EXPECT_TRUE(recurring_.TakeChanged());
  recurring_.FollowClock(kNow + hours{60});
  EXPECT_FALSE(recurring_.TakeChanged()) << "forward: nothing is undone";
}

TEST_F(RecurringTest, AnotherLifeGoesOnWhereThisOneWas) {
  ASSERT_TRUE(recurring_.Put(Job("a", "@hourly")));
  ASSERT_TRUE(recurring_.Put(Job("b", "0 12 * * *", core::OverlapRule::kReplace)));
  EXPECT_TRUE(recurring_.TakeChanged());
  ASSERT_EQ(recurring_.TakeDue(kNow + hours{1}).size(), 1u);
  EXPECT_TRUE(recurring_.TakeChanged());
  Recurring next([](Time) { return Duration{0}; }, [](const std::string&) {});
  ASSERT_TRUE(next.Load(recurring_.Text()));
  EXPECT_FALSE(next.TakeChanged());
  EXPECT_EQ(next.Text(), recurring_.Text());
  EXPECT_EQ(next.NextAt(), kNow + hours{2});
  EXPECT_TRUE(next.Remove("a"));
  EXPECT_FALSE(next.Remove("a"));
  EXPECT_EQ(next.View().size(), 1u);
  EXPECT_FALSE(next.Load("[{\"recurrence\":{\"cron\":\"x\"}}]"));
}

}  // namespace
}  // namespace ebb::service
