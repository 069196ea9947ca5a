#include "signals/markets/live_market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Time At(const char* text) { return *ParseTime(text); }

// A market whose prices are the hour of the day; prices of days after `known_until` are not known
// yet.
struct Market {
  Time known_until;
  bool is_down = false;
  double offset = 0;
  std::vector<Interval> asked{};
};

class FakeSource final : public MarketSource {
 public:
  explicit FakeSource(Market& market) : market_(market) {}
  const std::string& name() const override { return name_; }
  MarketKind kind() const override { return MarketKind::Prices("EUR"); }
  std::string_view terms() const override { return "terms of the fake"; }
  const std::string& server() const override { return name_; }
  const prices::Publication& publication() const override { return publication_; }
  Duration longest() const override { return days{100}; }
  Result<MarketHours> Ask(Interval interval) override {
    market_.asked.push_back(interval);
    if (market_.is_down) return Fail({ExitCode::kUnavailable, "is away", "https://x", ""});
    MarketHours hours_told;
    // An answer may hold more than was asked for.
    for (Time hour = interval.begin - days{1}; hour < market_.known_until; hour += hours{1})
      hours_told.push_back({hour, {market_.offset + HourOf(hour)}, {}});
    return hours_told;
  }
  static double HourOf(Time hour) {
    return static_cast<double>((hour - std::chrono::floor<days>(hour)) / hours{1});
  }

 private:
  Market& market_;
  const std::string name_ = "fake";
  const prices::Publication publication_{*prices::ZoneClock::Find("UTC"), hours{12}};
};

LiveMarket Live(Market& market, std::string cache = "") {
  LiveMarketOptions options;
  options.cache_directory = std::move(cache);
  options.past = days{300};
  return {std::make_unique<FakeSource>(market), options};
}

const forecast::DriverHour& HourAt(const LiveMarket& live, Time hour) {
  const forecast::Driver& driver = live.drivers()->at(0);
  return *driver.hours.at(static_cast<std::size_t>((hour - driver.begin) / hours{1}));
}

TEST(LiveMarket, TheDaysAheadComeFirstAndThenItsPastInPieces) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  EXPECT_TRUE(live.drivers()->empty());
  const Time now = At("2026-05-06T09:00Z");
  live.Refresh(now);
  EXPECT_THAT(live.TakeNotes(), ElementsAre("terms of the fake"));
  ASSERT_EQ(market.asked.size(), 1U);
  EXPECT_EQ(market.asked[0], (Interval{At("2026-05-05"), At("2026-05-09")}));
  EXPECT_TRUE(live.GoesOn(now));
  while (live.GoesOn(now)) live.Refresh(now);
  ASSERT_EQ(market.asked.size(), 4U);
  EXPECT_EQ(market.asked[1], (Interval{At("2026-01-25"), At("2026-05-05")}));
  EXPECT_EQ(market.asked[3].begin, At("2025-07-10"));
  EXPECT_EQ(live.drivers()->at(0).begin, At("2025-07-10"));
  EXPECT_EQ(live.drivers()->at(0).hours.size(), (At("2026-05-07") - At("2025-07-10")) / hours{1});
  EXPECT_EQ(HourAt(live, At("2026-02-01T07:00Z")).value, 7);
  EXPECT_EQ(HourAt(live, At("2026-02-01T07:00Z")).known, At("2026-01-31T12:00Z"));
}

// The market is asked every hour while tomorrow is not known, then every six.
TEST(LiveMarket, AsksUntilTomorrowIsKnown) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  Time now = At("2026-05-06T09:00Z");
  do live.Refresh(now);
  while (live.GoesOn(now));
  const auto asked_within = [&](Duration duration) {
    const std::size_t before = market.asked.size();
    for (const Time end = now + duration; now < end; now += minutes{1}) live.Refresh(now);
    return market.asked.size() - before;
  };
  EXPECT_EQ(asked_within(hours{3}), 2U);
  market.known_until = At("2026-05-08");
  EXPECT_EQ(asked_within(hours{6}), 1U) << "the one that brings it";
  EXPECT_EQ(asked_within(hours{6}), 1U);
}

TEST(LiveMarket, AValueIsKnownFromWhenItWasSeenAndStays) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  live.Refresh(At("2026-05-06T10:00Z"));
  live.Refresh(At("2026-05-06T12:30Z"));
  // Tomorrow is public later than usual: a question after 12:00 brought nothing.
  market.known_until = At("2026-05-08");
  live.Refresh(At("2026-05-06T13:45Z"));
  EXPECT_EQ(HourAt(live, At("2026-05-07T07:00Z")).known, At("2026-05-06T13:45Z"));
  EXPECT_EQ(HourAt(live, At("2026-05-06T07:00Z")).known, At("2026-05-05T12:00Z"));
  // The next day is public earlier than usual; a revision changes nothing.
  market.known_until = At("2026-05-09");
  market.offset = 100;
  live.Refresh(At("2026-05-07T11:00Z"));
  EXPECT_EQ(HourAt(live, At("2026-05-08T07:00Z")).known, At("2026-05-07T11:00Z"));
  EXPECT_EQ(HourAt(live, At("2026-05-08T07:00Z")).value, 107);
  EXPECT_EQ(HourAt(live, At("2026-05-07T07:00Z")).value, 7);
}

TEST(LiveMarket, WhatWasMissedIsAskedForLater) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  Time now = At("2026-05-06T13:00Z");
  do live.Refresh(now);
  while (live.GoesOn(now));
  now = At("2026-05-20T13:00Z");  // the machine was asleep
  market.known_until = At("2026-05-21");
  live.Refresh(now);
  EXPECT_EQ(market.asked.back().begin, At("2026-05-06"));
  EXPECT_EQ(HourAt(live, At("2026-05-15T03:00Z")).known, At("2026-05-14T12:00Z"));
  now = At("2026-12-20T13:00Z");  // longer ago than a question goes back
  market.known_until = At("2026-12-21");
  do live.Refresh(now);
  while (live.GoesOn(now));
  for (Time hour = now - days{290}; hour < At("2026-12-21"); hour += days{1})
    EXPECT_TRUE(HourAt(live, std::chrono::floor<days>(hour)).value >= 0) << FormatTime(hour);
}

TEST(LiveMarket, ASourceThatIsAwayIsAskedAgainAndSaidOnce) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  live.Refresh(At("2026-05-06T09:00Z"));
  live.TakeNotes();
  market.is_down = true;
  const std::size_t asked = market.asked.size();
  for (Time now = At("2026-05-06T10:00Z"); now < At("2026-05-06T12:00Z"); now += minutes{1})
    live.Refresh(now);
  EXPECT_EQ(market.asked.size() - asked, 4U);
  const auto notes = live.TakeNotes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("nothing new of fake: "));
  EXPECT_FALSE(live.drivers()->empty());
  market.is_down = false;
  live.Refresh(At("2026-05-06T12:31Z"));
  EXPECT_THAT(live.TakeNotes(), ElementsAre("fake is known again"));
}

TEST(LiveMarket, ProcessesShareWhatIsKept) {
  const std::string folder = ScratchDirectory("live_market").string();
  Market market{At("2026-05-07")};
  LiveMarket first = Live(market, folder);
  const Time now = At("2026-05-06T09:00Z");
  do first.Refresh(now);
  while (first.GoesOn(now));
  const std::size_t asked = market.asked.size();
  LiveMarket second = Live(market, folder);
  second.ReadCache();
  second.Refresh(now + minutes{10});
  EXPECT_EQ(market.asked.size(), asked);
  EXPECT_THAT(second.TakeNotes(), ElementsAre());
  EXPECT_EQ(second.drivers()->at(0).hours.size(), first.drivers()->at(0).hours.size());
  EXPECT_EQ(HourAt(second, At("2026-05-06T07:00Z")).known, At("2026-05-05T12:00Z"));
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") std::ofstream(entry.path()) << "damaged";
  LiveMarket third = Live(market, folder);
  third.Refresh(now + minutes{20});
  EXPECT_FALSE(third.drivers()->empty()) << "asked anew";
  EXPECT_THAT(third.TakeNotes(), ::testing::Contains(HasSubstr("is ignored")));
}

TEST(LiveMarket, AFolderThatCannotBeWrittenCostsNoValues) {
  const auto folder = ScratchDirectory("live_market_full");
  std::ofstream(folder / "file") << "not a folder";
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market, (folder / "file" / "cache").string());
  live.Refresh(At("2026-05-06T09:00Z"));
  EXPECT_FALSE(live.drivers()->empty());
  EXPECT_THAT(live.TakeNotes(), ::testing::Contains(HasSubstr("fake is not cached: ")));
  // A note also tells of a cache that could be written before and cannot now: a full disk.
  LiveMarket first = Live(market, (folder / "cache").string());
  first.Refresh(At("2026-05-06T09:00Z"));
  first.TakeNotes();
  std::filesystem::remove_all(folder / "cache");
  std::ofstream(folder / "cache") << "not a folder";
  market.known_until = At("2026-05-08");
  first.Refresh(At("2026-05-06T10:00Z"));
  EXPECT_EQ(HourAt(first, At("2026-05-07T07:00Z")).value, 7);
  EXPECT_THAT(first.TakeNotes(), ::testing::Contains(HasSubstr("fake is not cached: ")));
}

TEST(LiveMarket, AClockThatIsSetBackDoesNotStopIt) {
  Market market{At("2026-05-07")};
  LiveMarket live = Live(market);
  live.Refresh(At("2026-05-06T09:00Z"));
  const std::size_t asked = market.asked.size();
  live.Refresh(At("2026-05-05T09:00Z"));
  EXPECT_GT(market.asked.size(), asked);
}

}  // namespace
}  // namespace ebb::signals
