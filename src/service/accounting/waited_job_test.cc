#include "service/accounting/waited_job.h"

#include <fstream>

#include "service/world_for_test.h"

namespace ebb::service {
namespace {

using engine::Stage;
using std::chrono::hours;

std::vector<double> DayWithALowAt(std::size_t low) {
  std::vector<double> values(48, 360);
  values[low] = 90;
  return values;
}

const JobCard* CardWithFigures(const View& view, core::JobId job) {
  const JobCard* card = view.jobs.Find(job);
  return card && card->emissions_at_submission ? card : nullptr;
}

TEST(WaitedJob, OfOneThatBeganAtOnceIsToldWhatWaitingWouldHaveSavedOverRestarts) {
  World world("waited", DayWithALowAt(5));
  world.Start();
  const core::JobId job = world.Submit(world.Shell("sleep 0.3"));
  world.WaitForStage(job, Stage::kSucceeded);
  for (int life = 0; life < 2; ++life) {
    const auto view =
        world.WaitFor([&](const View& now) { return CardWithFigures(now, job) != nullptr; });
    const JobCard* card = CardWithFigures(*view, job);
    ASSERT_TRUE(card && card->had_it_waited) << life;
    const report::HadItWaited& waited = *card->had_it_waited;
    EXPECT_EQ(waited.start, World::kDay + hours{5});
    EXPECT_EQ(waited.up_to, hours{24});
    EXPECT_NEAR(*waited.SavingPercent(), 75, 1e-6);
    EXPECT_NEAR(waited.at_once.grams, card->emitted()->grams, 1e-9);
    EXPECT_EQ(waited.forecast_method, "perfect foresight");
    world.Restart();
  }
}

TEST(WaitedJob, OfOneThatWaitedIsToldWhatItSavedAndNothingElse) {
  World world("waited_not", DayWithALowAt(5));
  world.Start();
  core::Submission first = world.Shell("while [ ! -e go ]; do sleep 0.02; done");
  first.job.devices = 2;  // all devices
  world.WaitForStage(world.Submit(first), Stage::kRunning);
  const core::JobId job = world.Submit(world.Shell("sleep 0.1"));
  world.SkipTo(World::kDay + hours{1});
  std::ofstream(world.directory() / "go");
  world.WaitForStage(job, Stage::kSucceeded);
  const auto view =
      world.WaitFor([&](const View& now) { return CardWithFigures(now, job) != nullptr; });
  ASSERT_TRUE(CardWithFigures(*view, job));
  EXPECT_FALSE(CardWithFigures(*view, job)->had_it_waited);
}

TEST(WaitedJob, DamagedTextIsNothing) {
  EXPECT_FALSE(WaitedFrom(""));
  EXPECT_FALSE(WaitedFrom("{"));
  EXPECT_FALSE(WaitedFrom(R"({"up_to_ms":"x"})"));
}

}  // namespace
}  // namespace ebb::service
