#include "service/accounting/settlement_queue.h"

#include <gtest/gtest.h>

#include "service/accounting/place_and_time.h"
#include "service/world_for_test.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using std::chrono::hours;

const Time kDay = *ParseTime("2026-05-06T00:00Z");

// A source with hourly values, which may be out of reach. A value of 0 is not published.
class ZoneFeed final : public runtime::SignalFeed {
 public:
  explicit ZoneFeed(std::vector<double> hourly) : hourly_(std::move(hourly)) {}
  std::vector<double>& hourly() { return hourly_; }
  bool fails = false, revises = false;

  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time, Duration) override { return core::SignalView{}; }
  Result<core::IntensitySeries> Believed(Interval interval) override { return Settled(interval); }
  Result<core::IntensitySeries> Settled(Interval interval) override {
    if (fails) return Fail({ExitCode::kUnavailable, "cannot be reached", "zone", ""});
    std::vector<core::Sample> samples;
    for (std::size_t i = 0; i < hourly_.size(); ++i)
      if (hourly_[i] > 0) samples.push_back({{kDay + hours{i}, kDay + hours{i + 1}}, {hourly_[i]}});
    return core::IntensitySeries::Create(identity_, samples)->Slice(interval);
  }
  bool Revises() const override { return revises; }
  Time NextChange(Time now) const override { return now + hours{1}; }

 private:
  core::SignalIdentity identity_{"Z", core::SignalKind::kAverage, {}, "test", {}};
  std::vector<double> hourly_;
};

// A job was submitted at 0:00. It used 1 kWh at home from 2:00 on, and 2 kWh in Norway from 4:00
// on, where the PUE is 1.5. Its rows were closed at 300 and 60 g/kWh.
class SettlementQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    core::Submission submission;
    submission.job = testing::AJob(0).Submitted(kDay).StartBy(kDay + hours{6});
    submission.command = {"true"};
    job_ = store_.AddJob(submission)->id;
    submission.job.id = job_;
    store_.AddLedger({job_, {RowAt(1, 2, 3.6e6, 300), RowAt(2, 4, 7.2e6, 60)}});
    ASSERT_TRUE(store_.Commit());
    for (const int attempt : {1, 2})
      ASSERT_TRUE(store_.database().Run(
          "INSERT INTO attempts(job, attempt, pool, phase) VALUES(?, ?, ?, 'ended')",
          {job_, std::int64_t{attempt}, std::int64_t{attempt - 1}}));
    JobCard card;
    card.submission = std::make_shared<const core::Submission>(submission);
    card.explanation.job = job_;
    card.explanation.stage = engine::Stage::kSucceeded;
    publisher_.AddEnded(card);
  }

  static core::LedgerRow RowAt(int attempt, int hour, double joules, double g_per_kwh) {
    core::LedgerRow row;
    row.attempt = attempt;
    row.device = "cpu";
    row.grid = row.wall = {kDay + hours{hour}, kDay + hours{hour + 1}};
    row.energy = Energy::Joules(joules);
    row.pue = Pue{attempt == 2 ? 1.5 : 1.0};
    row.intensity = Intensity{g_per_kwh};
    return row;
  }

  const JobCard& Settle() {
    queue_.Add(job_);
    return SettleDue();
  }
  const JobCard& SettleDue() {
    while (queue_.SettleSome()) {
    }
    EXPECT_TRUE(store_.Commit());
    return *publisher_.Find(job_);
  }
  std::int64_t Settlements() {
    return **store_.database().Integer("SELECT count(*) FROM settlements");
  }

  Time now_ = kDay + hours{5};
  core::JobId job_ = 0;
  ZoneFeed home_{{400, 410, 420, 430, 440, 450, 460, 470, 480, 490, 500, 510}};
  ZoneFeed norway_{{20, 21, 22, 23, 50, 25, 26, 27, 28, 29, 30, 31}};
  std::vector<runtime::SignalFeed*> feeds_{&home_, &norway_};
  core::Cluster cluster_{{{"here", "DE", Pue{1}}, {"norway", "NO", Pue{1.5}}},
                         {{"cpu", 0, 1, 1, 1, Power{0}}, {"cpu", 1, 1, 1, 1, Power{0}}}};
  store::ServiceStore store_ =
      *store::ServiceStore::Open(ScratchDirectory("settlement-queue") / "ebb.db");
  Publisher publisher_;
  SettlementQueue queue_{{.store = store_,
                          .publisher = publisher_,
                          .feed = home_,
                          .now = [this] { return now_; },
                          .feeds = [this] { return feeds_; },
                          .cluster = [this] { return cluster_; },
                          .checkpoint_bytes = [](core::JobId) { return 0; },
                          .longest_delay = hours{24},
                          .on_settled = [](core::JobId, const std::vector<RanAt>&) {}}};
};

TEST_F(SettlementQueueTest, EachPartOfAJobIsSettledOnTheValuesOfItsOwnZone) {
  const JobCard& card = Settle();
  EXPECT_NEAR(card.emissions_settled->grams, 1 * 420 + 2 * 1.5 * 50, 1e-9);
  // At home and at once: 1 kWh from 0:00 on, 2 kWh from 1:00 on, at the PUE there.
  EXPECT_NEAR(card.emissions_at_submission->grams, 1 * 400 + 2 * 410, 1e-9);
  ASSERT_TRUE(card.place_and_time);
  EXPECT_NEAR(card.place_and_time->place_at_once.grams, 1.5 * (1 * 20 + 2 * 21), 1e-9);
  EXPECT_EQ(card.place_and_time->site_at_once, "norway");
}

TEST_F(SettlementQueueTest, ARevisedValueOfASiteCountsForWhatRanThere) {
  norway_.revises = true;
  norway_.hourly()[4] = 0;
  EXPECT_NEAR(Settle().emissions_settled->grams, 420 + 3 * 60, 1e-9) << "as the row was closed";
  EXPECT_LE(queue_.NextAt(), now_ + kLookForPublished) << "only the site's source revises";
  norway_.hourly()[4] = 80;
  now_ += kLookForPublished;
  EXPECT_NEAR(SettleDue().emissions_settled->grams, 420 + 3 * 80, 1e-9);
  EXPECT_EQ(Settlements(), 2);
  const auto kept = store::FindSettlement(store_.database(), job_, {}, "norway");
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->At(kDay + hours{4})->intensity, Intensity{80});
  const auto at_home = store::FindSettlement(store_.database(), job_, {}, "here");
  EXPECT_EQ(*at_home, *store::FindSettlement(store_.database(), job_, {}));
  EXPECT_FALSE(*store::FindSettlement(store_.database(), job_, {}, "elsewhere"));
}

TEST_F(SettlementQueueTest, ASourceThatCannotBeAskedIsAskedAgain) {
  norway_.fails = true;
  EXPECT_FALSE(Settle().emissions_settled) << "not settled on another zone's values";
  EXPECT_EQ(Settlements(), 0);
  norway_.fails = false;
  now_ = queue_.NextAt();
  EXPECT_NEAR(SettleDue().emissions_settled->grams, 420 + 150, 1e-9);
}

TEST_F(SettlementQueueTest, RowsOfASiteThatIsNotUsedAnyMoreKeepTheirValues) {
  feeds_[1] = nullptr;
  const JobCard& card = Settle();
  EXPECT_NEAR(card.emissions_settled->grams, 420 + 3 * 60, 1e-9);
  EXPECT_EQ(card.place_and_time->site_at_once, "here") << "nothing runs there now";
}

TEST_F(SettlementQueueTest, BestStartsComeWhenTheLastOfThemIsOver) {
  EXPECT_FALSE(Settle().place_and_time->best);
  // The latest start is at 6:00, and the job takes two hours.
  EXPECT_EQ(queue_.NextAt(), kDay + hours{8});
  now_ = kDay + hours{8};
  const PlaceAndTime& figures = *SettleDue().place_and_time;
  ASSERT_TRUE(figures.best && figures.home_best);
  EXPECT_NEAR(figures.home_best->grams, 400 + 820, 1e-9);
  EXPECT_NEAR(figures.best->grams, 1.5 * (20 + 42), 1e-9);
  EXPECT_EQ(figures.best_start, kDay);
  EXPECT_EQ(queue_.NextAt(), Time::max());
  const auto record = store::FindFirstCome(store_.database(), job_);
  EXPECT_EQ(PlaceAndTimeFrom((*record)->place_and_time), figures);
  EXPECT_EQ(Settlements(), 2) << "the figures that have become known are kept, too";
}

TEST_F(SettlementQueueTest, ASourceThatNoLongerReachesBackChangesNothing) {
  const double before = Settle().emissions_at_submission->grams;
  home_.hourly().assign(12, 0);
  EXPECT_EQ(Settle().emissions_at_submission->grams, before);
  EXPECT_EQ(Settlements(), 1);
}

TEST_F(SettlementQueueTest, OneSiteHasNoFiguresOfOtherPlaces) {
  feeds_ = {&home_};
  EXPECT_FALSE(Settle().place_and_time);
}

// Programs of this machine, in a service that also knows another site.
TEST(SettlementOfAService, TellsWhatPlaceAndTimeWereWorthOverARestart) {
  ZoneFeed norway({20, 20});  // outlives the service
  World world("place_and_time", {360, 100});
  world.adjust = [&](ServiceOptions& options) {
    options.sites = {{"norway", "NO", Pue{1.2}}};
    options.site_feeds = {&norway};
  };
  world.Start();
  const core::JobId job = world.Submit(world.Shell("sleep 0.3"));
  const auto figures = [&] {
    std::optional<PlaceAndTime> found;
    world.WaitFor([&](const View& view) {
      const JobCard* card = view.jobs.Find(job);
      if (card) found = card->place_and_time;
      return found.has_value();
    });
    return *found;
  };
  const PlaceAndTime before = figures();
  const auto card = *world.service().view()->jobs.Find(job);
  EXPECT_EQ(before.home_at_once, card.emissions_settled) << "it started at once at home";
  EXPECT_EQ(before.site_at_once, "here") << "no devices are known at the other site";
  EXPECT_EQ(before.moves, Emissions{});
  world.Restart();
  EXPECT_EQ(figures(), before);
}

}  // namespace
}  // namespace ebb::service
