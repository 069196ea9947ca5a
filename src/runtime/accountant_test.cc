#include "runtime/accountant.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/fake_clock.h"
#include "testing/fake_feed.h"

namespace ebb::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kDay = *ParseTime("2023-05-01");

core::EnergyReading Second(Time begin, double watts, const std::string& device = "cpu") {
  return {device,
          core::Component::kCpu,
          core::EnergySource::kModel,
          {begin, begin + seconds{1}},
          Energy::Joules(watts)};
}

struct Fixture {
  testing::FakeClock wall{kDay};
  GridClock clock{wall, {true, kDay, 1, false}};
  testing::FakeFeed feed{kDay, {100, 300, 200, 50, 60, 70, 80, 90}};
};

TEST(AccountantTest, NoEnergyIsLostAndTheLedgerStaysSmall) {
  Fixture f;
  Accountant accountant(f.feed, f.clock, 1, Pue{1});
  std::vector<core::LedgerRow> rows;
  Random random(3);
  Energy measured;
  double grams = 0;
  const int total_seconds = 5 * 3600;
  for (int i = 0; i < total_seconds; ++i) {
    const auto reading = Second(kDay + seconds{i}, random.Uniform(10, 300));
    measured += reading.energy;
    grams += EmissionsOf(reading.energy, Pue{1},
                         f.feed.Believed(reading.wall)->samples().front().intensity)
                 .grams;
    for (auto& row : accountant.Add(std::span(&reading, 1))) rows.push_back(row);
  }
  for (auto& row : accountant.Flush()) rows.push_back(row);
  EXPECT_EQ(core::Total(rows).energy, measured);
  EXPECT_NEAR(core::Total(rows).emissions.grams, grams, 1e-9 * grams);
  EXPECT_LT(rows.size(), 4500u) << "1000 rows for each factor of e after the first 1000 s";
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i].grid.begin, rows[i - 1].grid.end);
}

// A source that another thread asks: it knows nothing until it has answered.
class SlowFeed final : public SignalFeed {
 public:
  explicit SlowFeed(SignalFeed& then, bool answers = true) : then_(then), answers_(answers) {}
  void Answer() { answered_ = true; }
  int waits() const { return waits_; }

  const core::SignalIdentity& identity() const override { return then_.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override {
    return then_.Observe(now, horizon);
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    if (!answered_) return Fail({ExitCode::kUnavailable, "it has not answered yet", "", ""});
    return then_.Believed(interval);
  }
  Time NextChange(Time now) const override { return then_.NextChange(now); }
  bool AwaitsFirstAnswer() const override { return !answered_; }
  void AwaitFirstAnswer() override {
    ++waits_;
    answered_ = answers_;
  }

 private:
  SignalFeed& then_;
  const bool answers_;
  bool answered_ = false;
  int waits_ = 0;
};

TEST(AccountantTest, RowsFromBeforeTheFirstAnswerAreFilledWhenItComes) {
  for (const bool in_time : {true, false}) {
    Fixture f;
    SlowFeed feed(f.feed);
    Accountant accountant(feed, f.clock, 1, Pue{1});
    std::vector<core::LedgerRow> rows;
    for (int i = 0; i < 10; ++i) {
      if (in_time && i == 5) feed.Answer();
      const auto reading = Second(kDay + seconds{i}, 100);
      for (auto& row : accountant.Add(std::span(&reading, 1))) rows.push_back(row);
      EXPECT_EQ(accountant.energy(), Energy::Joules(100 * (i + 1)));
    }
    for (auto& row : accountant.Flush()) rows.push_back(row);
    const core::LedgerTotals totals = core::Total(rows);
    EXPECT_EQ(totals.energy, Energy::Joules(1000));
    EXPECT_EQ(totals.energy_without_intensity, Energy{});
    EXPECT_EQ(feed.waits(), 1) << "at the end, whether or not there is something to wait for";
    for (std::size_t i = 1; i < rows.size(); ++i)
      EXPECT_EQ(rows[i].grid.begin, rows[i - 1].grid.end) << "in order";
  }
}

TEST(AccountantTest, AWaitForTheFirstAnswerThatIsCutShortLosesNoEnergy) {
  Fixture f;
  SlowFeed feed(f.feed, /*answers=*/false);
  Accountant accountant(feed, f.clock, 1, Pue{1});
  std::vector<core::LedgerRow> rows;
  for (int i = 0; i < 10; ++i) {
    const auto reading = Second(kDay + seconds{i}, 100);
    for (auto& row : accountant.Add(std::span(&reading, 1))) rows.push_back(row);
  }
  for (auto& row : accountant.Flush()) rows.push_back(row);
  EXPECT_EQ(core::Total(rows).energy, Energy::Joules(1000));
  EXPECT_EQ(core::Total(rows).energy_without_intensity, Energy::Joules(1000));
}

TEST(AccountantTest, ARowNeverSpansAChangeOfTheSignal) {
  Fixture f;
  Accountant accountant(f.feed, f.clock, 1, Pue{1});
  std::vector<core::LedgerRow> rows;
  for (int i = 0; i < 3 * 3600; ++i) {
    const auto reading = Second(kDay + seconds{i}, 100);
    for (auto& row : accountant.Add(std::span(&reading, 1))) rows.push_back(row);
  }
  for (const auto& row : rows)
    EXPECT_EQ(std::chrono::floor<hours>(row.grid.begin),
              std::chrono::floor<hours>(row.grid.end - Duration{1}));
}

TEST(AccountantTest, ARunSplitByPausesAddsUpToTheLastDigit) {
  Fixture f;
  Random random(9);
  Energy measured, in_ledger, by_attempt;
  int second = 0;
  for (int attempt = 1; attempt <= 7; ++attempt) {
    Accountant accountant(f.feed, f.clock, attempt, Pue{1.3});
    std::vector<core::LedgerRow> rows;
    for (int i = 0; i < 400; ++i) {
      const auto reading = Second(kDay + seconds{second++}, random.Uniform(0, 500));
      measured += reading.energy;
      for (auto& row : accountant.Add(std::span(&reading, 1))) rows.push_back(row);
    }
    for (auto& row : accountant.Flush()) rows.push_back(row);
    by_attempt += accountant.energy();
    in_ledger += core::Total(rows).energy;
    second += 100;
  }
  EXPECT_EQ(in_ledger, measured);
  EXPECT_EQ(by_attempt, measured);
}

TEST(AccountantTest, PowerIsTheSumOverDevices) {
  Fixture f;
  Accountant accountant(f.feed, f.clock, 1, Pue{1});
  const std::vector<core::EnergyReading> readings{Second(kDay, 40, "cpu"), Second(kDay, 5, "ram")};
  accountant.Add(readings);
  EXPECT_DOUBLE_EQ(accountant.power().watts, 45);
  ASSERT_TRUE(accountant.power_of("cpu"));
  EXPECT_DOUBLE_EQ(accountant.power_of("cpu")->watts, 40);
  EXPECT_FALSE(accountant.power_of("gpu:GPU-a")) << "unknown is not 0";
}

}  // namespace
}  // namespace ebb::runtime
