#include "service/sweeps/sweep_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "service/world_for_test.h"
#include "store/upkeep/store_check.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using engine::Stage;

class SweepWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.adjust = [](ServiceOptions& options) { options.executor.cluster.pools[0].count = 4; };
    sweep_->name = "digits";
    sweep_->key = "once";
    sweep_->halving = sweep::HalvingOptions{2, 1, 9};
  }
  void Touch(const std::string& name) { std::ofstream(world_.directory() / name) << "x"; }

  // A script that reports each "EPOCH LOSS" once a file of that name exists, and then waits for the
  // file "end".
  core::JobId Experiment(const std::vector<std::string>& told) {
    std::string script =
        "trap 'exit 75' TERM; await() { while [ ! -e $1 ]; do sleep 0.02; done; };"
        "tell() { await \"$1-$2\"; echo '{\"time_ms\":'$(date +%s%3N)',\"event\":\"epoch_end\","
        "\"epoch\":'$1',\"test_loss\":'$2'}' >> $EBB_RUN_DIR/progress.jsonl; };";
    for (const std::string& words : told) script += "tell " + words + ";";
    Submit submit(world_.Shell(script + "await end"));
    submit.submission.job.duration = std::chrono::seconds{9};
    submit.submission.job.power = Power{100};
    submit.sweep = sweep_;
    const auto answer = world_.Answered(std::move(submit));
    EXPECT_TRUE(answer) << answer.error().Message();
    EXPECT_EQ(answer->sweep, 1);
    world_.WaitForStage(answer->job, Stage::kRunning);
    return answer->job;
  }
  std::vector<store::RungLoss> Losses() {
    auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
    return *store::RungLossesOf(database, 1);
  }
  // Losses become durable with the next decision, so the test causes one.
  void WaitForLosses(std::size_t count) {
    world_.WaitFor([&](const View&) {
      const auto committed = world_.Answered(ControlJob{1, engine::JobControl::kNone});
      return Losses().size() >= count;
    });
  }
  std::string Problems() {
    auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
    std::string text;
    const auto results = *store::CheckStore(database, {});
    for (const auto& result : results)
      for (const std::string& problem : result.problems) text += problem + "\n";
    return text;
  }

  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name()};
  std::shared_ptr<NewSweep> sweep_ = std::make_shared<NewSweep>();
};

TEST_F(SweepWatchTest, WhoFallsBehindIsStoppedAndSaysWhy) {
  world_.Start();
  const core::JobId first = Experiment({"1 0.5"});
  const core::JobId second = Experiment({"1 0.7"});
  const core::JobId third = Experiment({"1 0.6", "3 0.1"});
  Touch("1-0.5");
  WaitForLosses(1);
  Touch("1-0.7");
  const JobCard stopped = world_.WaitForStage(second, Stage::kCancelled);
  EXPECT_EQ(stopped.detail, "stopped by successive halving: rank 2 of 2 at epoch 1");
  // One of three experiments goes on: 3 / 2 is 1.
  Touch("1-0.6");
  EXPECT_EQ(world_.WaitForStage(third, Stage::kCancelled).detail,
            "stopped by successive halving: rank 2 of 3 at epoch 1");
  Touch("end");
  EXPECT_EQ(world_.WaitForStage(first, Stage::kSucceeded).detail, "");
  world_.Stop();
  const auto losses = Losses();
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_EQ(losses[1].job, second);
  EXPECT_TRUE(losses[1].stopped);
  // The saving is 100 W for the 8 s that were left, at 360 g/kWh.
  ASSERT_TRUE(losses[1].saved_energy && losses[1].saved);
  EXPECT_NEAR(losses[1].saved_energy->joules(), 800, 1e-6);
  EXPECT_NEAR(losses[1].saved->grams, 800 / 3.6e6 * 360, 1e-9);
  EXPECT_EQ(Problems(), "");
}

TEST_F(SweepWatchTest, WhatIsToldWhileNoServiceRunsIsJudgedByTheNextOne) {
  world_.Start();
  const core::JobId first = Experiment({"1 0.5", "3 0.4"});
  const core::JobId second = Experiment({"1 0.7"});
  const core::JobId third = Experiment({"1 0.3", "3 0.9"});
  Touch("1-0.5");
  WaitForLosses(1);
  world_.Stop();
  // Each experiment waits for the one before, so that the order is known.
  for (const auto& [file, job] : {std::pair{"1-0.7", second}, {"1-0.3", third}, {"3-0.4", first}}) {
    const auto progress = world_.directory() / "jobs" / std::to_string(job) / "progress.jsonl";
    std::error_code none;
    const auto before = std::filesystem::file_size(progress, none);
    Touch(file);
    while (std::filesystem::file_size(progress, none) == before || none)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  world_.Start();
  EXPECT_EQ(world_.WaitForStage(second, Stage::kCancelled).detail,
            "stopped by successive halving: rank 2 of 2 at epoch 1");
  Touch("3-0.9");
  EXPECT_EQ(world_.WaitForStage(third, Stage::kCancelled).detail,
            "stopped by successive halving: rank 2 of 2 at epoch 2")
      << "judged at the highest rung that it has reached";
  Touch("end");
  world_.WaitForStage(first, Stage::kSucceeded);
  world_.Stop();
  EXPECT_EQ(Losses().size(), 5u) << "each once";
  EXPECT_EQ(Problems(), "");
}

TEST_F(SweepWatchTest, APausedExperimentKeepsWhatItTold) {
  world_.Start();
  const core::JobId first = Experiment({"1 0.5"});
  const core::JobId second = Experiment({"1 0.7"});
  Touch("1-0.5");
  WaitForLosses(1);
  ASSERT_TRUE(world_.Answered(ControlJob{first, engine::JobControl::kHold}));
  world_.WaitForStage(first, Stage::kPaused);
  ASSERT_TRUE(world_.Answered(ControlJob{first, engine::JobControl::kNone}));
  world_.WaitForStage(first, Stage::kRunning);
  // The second attempt reports epoch 1 again. It counts once.
  Touch("1-0.7");
  EXPECT_EQ(world_.WaitForStage(second, Stage::kCancelled).detail,
            "stopped by successive halving: rank 2 of 2 at epoch 1");
  Touch("end");
  EXPECT_EQ(world_.WaitForStage(first, Stage::kSucceeded).pauses, 1);
}

// Without a service: an experiment has ended by the time its loss is judged.
TEST(SweepWatchAlone, OneThatHasEndedKeepsItsResult) {
  const auto directory = ScratchDirectory("sweep_watch_alone");
  auto store = *store::ServiceStore::Open(directory / "ebb.db");
  platform::ProcessSignals signals;
  platform::SystemClock clock(signals);
  const runtime::GridClock grid(clock, {true, World::kDay, 1, false});
  std::string stopped;
  engine::LiveJob live;
  Publisher publisher;
  EventLog events(publisher, [] { return World::kDay; });
  SweepWatch watch(
      {store, grid, Pue{1}, [&](core::JobId job) { return directory / std::to_string(job); },
       [&](core::JobId job) { return job == 2 ? nullptr : &live; },
       [&](core::JobId job, const std::string&) { stopped += std::to_string(job); }, events});
  store::SweepRecord record{0, "digits", "", World::kDay, sweep::HalvingOptions{2, 1, 9}};
  record.id = store.AddSweep(record)->id;
  watch.Begin(record);
  const char* const told[] = {"", "0.5", "0.7", "0.6"};
  for (const core::JobId job : {1, 2, 3}) {
    core::Submission submission;
    submission.job.id = job;
    submission.sweep = record.id;
    ASSERT_TRUE(watch.Add(submission));
    std::filesystem::create_directories(directory / std::to_string(job));
    std::ofstream(directory / std::to_string(job) / "progress.jsonl")
        << "{\"time_ms\":" << job
        << ",\"event\":\"epoch_end\",\"epoch\":1,\"test_loss\":" << told[job] << "}\n";
  }
  const core::JobId first[] = {1};
  watch.Look(first);
  watch.End(2);
  EXPECT_EQ(stopped, "") << "it has fallen behind, and has ended";
  const core::JobId rest[] = {1, 3};
  watch.Look(rest);
  EXPECT_EQ(stopped, "3") << "the 2nd of 3: the one that has ended counts";
  EXPECT_FALSE(watch.empty());
  watch.End(1);
  watch.End(3);
  EXPECT_TRUE(watch.empty());
  const auto losses = *store.sweeps().RungLossesOf(record.id);
  ASSERT_EQ(losses.size(), 3u) << "durable with the end of the last";
  EXPECT_TRUE(losses[1].verdict.stop);
  EXPECT_FALSE(losses[1].stopped);
  EXPECT_TRUE(losses[2].stopped);
}

}  // namespace
}  // namespace ebb::service
