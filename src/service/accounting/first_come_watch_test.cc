#include "service/accounting/first_come_watch.h"

#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01");
const core::SignalIdentity kIdentity{"DE", core::SignalKind::kAverage, {}, "test", {}};

core::IntensitySeries Hourly(std::vector<double> values, const std::string& zone = "DE") {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i)
    samples.push_back({{kNow + hours{i}, kNow + hours{i + 1}}, Intensity{values[i]}});
  core::SignalIdentity identity = kIdentity;
  identity.zone = zone;
  return *core::IntensitySeries::Create(identity, std::move(samples));
}

// One job that waited two hours and then used 1 kWh in an hour.
class FirstComeWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    core::Submission submission;
    submission.job = testing::AJob(0).Submitted(kNow);
    submission.command = {"true"};
    job_ = *store_.AddJob(submission);
    core::LedgerRow row;
    row.device = "cpu:package-0";
    row.grid = row.wall = {kNow + hours{2}, kNow + hours{3}};
    row.energy = Energy::Joules(3.6e6);
    row.intensity = Intensity{100};
    store_.AddLedger({job_.id, {row}});
    store_.AddSignal(Hourly({400, 300, 100}));
    ASSERT_TRUE(store_.Commit());

    auto known = std::make_shared<core::SignalView>();
    known->now = view_->now = kNow + hours{3};
    known->known = Hourly({400, 300, 100});
    view_->signals.push_back({known, ""});
    view_->cluster.sites = {{"here", "DE", Pue{1}}};
    view_->cluster.pools = {{"cpu", 0, 1, 1, 1, Power{0}}};
    JobCard card;
    submission.job.id = job_.id;
    card.submission = std::make_shared<const core::Submission>(submission);
    card.explanation.job = job_.id;
    card.explanation.stage = engine::Stage::kSucceeded;
    card.stretches = {{kNow + hours{2}, kNow + hours{3}}};
    card.ended = kNow + hours{3};
    view_->jobs.Put(card);
  }

  FirstComeFigures Figures() {
    FirstComeWatch watch(
        path_, [] {}, view_->signals.size() > 1);
    watch.Ask(view_);
    for (int i = 0; i < 500; ++i) {
      const auto changed = watch.TakeChanged();
      if (!changed.empty()) return changed.at(job_.id);
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    ADD_FAILURE() << "nothing was told";
    return {};
  }

  const platform::Path path_ = ScratchDirectory("first-come-watch") / "ebb.db";
  store::ServiceStore store_ = *store::ServiceStore::Open(path_);
  store::AddedJob job_;
  std::shared_ptr<View> view_ = std::make_shared<View>();
};

TEST_F(FirstComeWatchTest, AJobIsHeldAgainstTheSignalsHistory) {
  const FirstComeFigures figures = Figures();
  EXPECT_EQ(figures.start, kNow);
  EXPECT_NEAR(figures.emissions->grams, 400, 1e-6);
  EXPECT_GT(figures.half_width_g, 0);
}

// A job and its baseline are valued by one version of the signal.
TEST_F(FirstComeWatchTest, AndAgainstWhatItWasSettledOnWhereThatIsKnown) {
  store_.AddSettlement(job_.id, kNow + hours{9}, Hourly({500}));
  ASSERT_TRUE(store_.Commit());
  EXPECT_NEAR(Figures().emissions->grams, 500, 1e-6);
}

// The job runs at another site, with the values of its zone and its PUE.
class FirstComeAtSites : public FirstComeWatchTest {
 protected:
  void SetUp() override {
    FirstComeWatchTest::SetUp();
    auto known = std::make_shared<core::SignalView>();
    known->now = kNow + hours{3};
    known->known = Hourly({40, 30, 10}, "NO");
    store_.AddSignal(known->known);
    ASSERT_TRUE(store_.Commit());
    view_->signals.push_back({known, ""});
    view_->cluster.sites.push_back({"norway", "NO", Pue{1.5}});
    view_->cluster.pools.push_back({"cpu", 1, 1, 1, 1, Power{0}});
    JobCard card = *view_->jobs.Find(job_.id);
    card.explanation.pool = 1;
    view_->jobs.Put(card);
    Ran(1, 1);
  }
  void Ran(int attempt, int pool) {
    ASSERT_TRUE(store_.database().Run(
        "INSERT INTO attempts(job, attempt, pool, began_ms, phase) VALUES(?, ?, ?, 0, 'ended')",
        {job_.id, std::int64_t{attempt}, std::int64_t{pool}}));
  }
};

TEST_F(FirstComeAtSites, ValuesAJobInTheZoneOfItsSite) {
  const FirstComeFigures figures = Figures();
  EXPECT_NEAR(figures.emissions->grams, 1.5 * 40, 1e-6);
  EXPECT_GT(figures.half_width_g, 0);
}

TEST_F(FirstComeAtSites, AndOnTheValuesOfThatZoneThatItWasSettledOn) {
  store::SettledSites sites;
  sites.sites.resize(2);
  sites.sites[0].name = "here";
  sites.sites[1].name = "norway";
  sites.sites[1].signal = store::SettlementText(Hourly({50}, "NO"));
  store_.AddSettlement(job_.id, kNow + hours{9}, Hourly({500}), &sites);
  ASSERT_TRUE(store_.Commit());
  EXPECT_NEAR(Figures().emissions->grams, 1.5 * 50, 1e-6);
}

TEST_F(FirstComeAtSites, AJobThatMovedHasNoInterval) {
  Ran(2, 0);
  const FirstComeFigures figures = Figures();
  EXPECT_NEAR(figures.emissions->grams, 1.5 * 40, 1e-6);
  EXPECT_FALSE(figures.half_width_g);
}

}  // namespace
}  // namespace ebb::service
