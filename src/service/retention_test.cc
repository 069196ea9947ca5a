// Pruning: what is left of a job without its ledger and folder, and a start without them.
#include "service/world_for_test.h"
#include "store/database/database.h"

namespace ebb::service {
namespace {

using std::chrono::hours;

class Retention : public ::testing::Test {
 protected:
  // Waits until the job has ended and all its figures are known.
  JobCard RunAJob(World& world) {
    const core::JobId job = world.Submit(world.Shell("for i in $(seq 30000); do :; done"));
    world.WaitForStage(job, engine::Stage::kSucceeded);
    const auto view = world.WaitFor([&](const View& now) {
      const JobCard* card = now.jobs.Find(job);
      return card && card->emissions_at_submission && card->emissions_first_come;
    });
    return *view->jobs.Find(job);
  }
  static void ExpectSameFigures(const JobCard& card, const JobCard& expected) {
    EXPECT_GT(card.energy, Energy{});
    EXPECT_EQ(card.energy, expected.energy);
    EXPECT_NEAR(card.emissions->grams, expected.emissions->grams, 1e-9);
    EXPECT_EQ(card.emissions_at_submission, expected.emissions_at_submission);
    EXPECT_EQ(card.first_come_start, expected.first_come_start);
    EXPECT_EQ(card.emissions_first_come, expected.emissions_first_come);
  }
  static std::int64_t LedgerRows(const World& world) {
    auto database = *store::Database::Open(world.store(), store::Database::Mode::kReadUnchecked);
    return **database.Integer("SELECT count(*) FROM ledger");
  }
};

TEST_F(Retention, LedgerAndFolderOfAnOldJobGoAndItsFiguresStay) {
  World world("keep");
  world.adjust = [](ServiceOptions& options) { options.keep = hours{24}; };
  world.Start();
  const JobCard before = RunAJob(world);
  const auto folder = world.directory() / "jobs/1";
  world.Restart();
  EXPECT_TRUE(std::filesystem::exists(folder)) << "it ended just now";
  world.Stop();
  world.SkipTo(World::kDay + hours{48});
  world.Start();
  // The folder is removed before the ledger.
  world.WaitFor(
      [&](const View&) { return !std::filesystem::exists(folder) && LedgerRows(world) == 0; });
  ExpectSameFigures(*world.service().view()->jobs.Find(1), before);
  world.Restart();
  ExpectSameFigures(*world.service().view()->jobs.Find(1), before);
}

// A clock that is a year ahead for a minute must not prune: what is removed is lost.
TEST_F(Retention, AClockThatLeapsAheadRemovesNothing) {
  World world("leap", {360, 100}, 1, true);
  world.adjust = [](ServiceOptions& options) {
    options.keep = hours{24};
    options.prune_every = Duration{1};
  };
  world.Start();
  const core::JobId job = world.Submit(world.Shell("true"));
  world.WaitForStage(job, engine::Stage::kSucceeded);
  const Time before = world.service().GridNow();
  world.wall().Jump(hours{48});
  world.WaitFor([&](const View& view) { return view.now > before + hours{24}; });
  const core::JobId later = world.Submit(world.Shell("true"));
  world.WaitForStage(later, engine::Stage::kSucceeded);
  EXPECT_TRUE(std::filesystem::exists(world.directory() / "jobs" / std::to_string(job)));
  world.Stop();
  world.wall().Jump(-hours{48});
}

TEST_F(Retention, AStartReadsNoLedger) {
  World world("no_ledger");
  world.Start();
  const JobCard before = RunAJob(world);
  world.Stop();
  {
    auto database = *store::Database::Open(world.store(), store::Database::Mode::kWrite);
    ASSERT_TRUE(database.Run("DELETE FROM ledger"));
  }
  world.Start();
  ExpectSameFigures(*world.service().view()->jobs.Find(1), before);
}

}  // namespace
}  // namespace ebb::service
