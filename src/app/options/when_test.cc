#include "app/options/when.h"

#include <gtest/gtest.h>

namespace ebb::app {
namespace {

using std::chrono::hours;

prices::ZoneClock Zone(const std::string& name) { return *prices::ZoneClock::Find(name); }
Time At(const std::string& text) { return *ParseTime(text); }

TEST(When, ADateIsMidnightThereAndATimeWithAnOffsetThatMoment) {
  const auto berlin = Zone("Europe/Berlin");
  EXPECT_EQ(*MomentOf("--from", "2026-10-01", berlin), *ParseTime("2026-09-30T22:00Z"));
  EXPECT_EQ(*MomentOf("--from", "2026-11-01", berlin), *ParseTime("2026-10-31T23:00Z"));
  EXPECT_EQ(*MomentOf("--from", "2026-10-01T09:30", berlin), *ParseTime("2026-10-01T07:30Z"));
  EXPECT_EQ(*MomentOf("--from", "2026-10-01T09:30Z", berlin), *ParseTime("2026-10-01T09:30Z"));
  EXPECT_EQ(*MomentOf("--from", "2026-10-01T09:30-07:00", berlin), *ParseTime("2026-10-01T16:30Z"));
  EXPECT_FALSE(MomentOf("--from", "October", berlin));
}

// A Friday, 15:00 in Berlin.
const Time kNow = At("2026-10-23T13:00Z");

When Read(const std::string& text) {
  const auto when = WhenOf("--start-by", text, kNow, Zone("Europe/Berlin"));
  EXPECT_TRUE(when) << text << ": " << when.error().Message();
  return when ? *when : When{};
}

TEST(When, ADistanceHasAUnit) {
  EXPECT_EQ(Read("6h"), When{hours{6}});
  EXPECT_EQ(Read("+6h"), When{hours{6}});
  EXPECT_EQ(Read("1d12h"), When{hours{36}});
  EXPECT_EQ(Read("0"), When{Duration{0}});
}

TEST(When, ATimeOfDayIsTheNextOneByTheLocalClock) {
  EXPECT_EQ(Read("18:00"), When{At("2026-10-23T16:00Z")});
  EXPECT_EQ(Read("6pm"), When{At("2026-10-23T16:00Z")});
  EXPECT_EQ(Read("6:30 PM"), When{At("2026-10-23T16:30Z")});
  EXPECT_EQ(Read("9:15"), When{At("2026-10-24T07:15Z")}) << "it has passed today";
  EXPECT_EQ(Read("12am"), When{At("2026-10-23T22:00Z")});
  EXPECT_EQ(Read("today 23:00"), When{At("2026-10-23T21:00Z")});
}

TEST(When, ADayComesBeforeIt) {
  EXPECT_EQ(Read("tomorrow 6am"), When{At("2026-10-24T04:00Z")});
  EXPECT_EQ(Read("Tomorrow"), When{At("2026-10-23T22:00Z")});
  EXPECT_EQ(Read("sunday 6am"), When{At("2026-10-25T05:00Z")}) << "the clock was set back that day";
  EXPECT_EQ(Read("mon 06:00"), When{At("2026-10-26T05:00Z")});
  EXPECT_EQ(Read("fri 18:00"), When{At("2026-10-30T17:00Z")}) << "never today";
  EXPECT_EQ(Read("2026-10-24 06:00"), When{At("2026-10-24T04:00Z")});
  EXPECT_EQ(Read("2026-10-24T06:00Z"), When{At("2026-10-24T06:00Z")});
}

TEST(When, WhatHasBeenCountsBackwards) {
  const auto past = [](const std::string& text) {
    const auto when = PastOf("--since", text, kNow, Zone("Europe/Berlin"));
    EXPECT_TRUE(when) << text << ": " << when.error().Message();
    return when ? *when : When{};
  };
  EXPECT_EQ(past("2d"), When{hours{48}});
  EXPECT_EQ(past("today"), When{At("2026-10-22T22:00Z")});
  EXPECT_EQ(past("yesterday"), When{At("2026-10-21T22:00Z")});
  EXPECT_EQ(past("Yesterday 6pm"), When{At("2026-10-22T16:00Z")});
  EXPECT_EQ(past("9:15"), When{At("2026-10-23T07:15Z")});
  EXPECT_EQ(past("18:00"), When{At("2026-10-22T16:00Z")}) << "today it is still to come";
  EXPECT_EQ(past("fri"), When{At("2026-10-15T22:00Z")}) << "never today";
  EXPECT_EQ(past("monday"), When{At("2026-10-18T22:00Z")});
  EXPECT_EQ(past("2026-10-01"), When{At("2026-09-30T22:00Z")});
  const auto said = [](const std::string& text) {
    const auto when = PastOf("--since", text, kNow, Zone("Europe/Berlin"));
    return when ? std::string("taken") : when.error().Message();
  };
  EXPECT_NE(said("2026-10-24").find("still to come"), std::string::npos);
  EXPECT_NE(said("24").find("24h"), std::string::npos) << said("24");
  for (const std::string text : {"tomorrow", "+2d", "-2d", "lately", ""})
    EXPECT_NE(said(text).find("--since"), std::string::npos) << text << ": " << said(text);
}

TEST(When, WhatIsNotClearIsRefused) {
  const auto said = [](const std::string& text) {
    const auto when = WhenOf("--start-by", text, kNow, Zone("Europe/Berlin"));
    return when ? std::string("taken") : when.error().Message();
  };
  EXPECT_NE(said("24").find("24h"), std::string::npos) << said("24");
  EXPECT_NE(said("24").find("24s"), std::string::npos) << said("24");
  EXPECT_NE(said("+24").find("24h"), std::string::npos) << said("+24");
  EXPECT_NE(said("today 9:15").find("has passed"), std::string::npos) << said("today 9:15");
  EXPECT_NE(said("2026-10-22").find("has passed"), std::string::npos);
  for (const std::string text : {"", "soon", "25:00", "6:5", "13pm", "0am", "tomorrow noonish",
                                 "18:00:00:00", "-6h", "monday monday"})
    EXPECT_NE(said(text).find("--start-by"), std::string::npos) << text << ": " << said(text);
}

}  // namespace
}  // namespace ebb::app
