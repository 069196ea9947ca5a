#include "store/jobs/sweep_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/random_life_for_test.h"
#include "store/service_store.h"
#include "store/upkeep/store_check.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

class SweepRecordsTest : public ::testing::Test {
 protected:
  SweepRecordsTest() {
    store_.emplace(*ServiceStore::Open(path_));
    engine_ = std::move(store_->Recover(engine::MakeEngineForTest("run-now"))->engine);
  }
  ~SweepRecordsTest() override { store_.reset(); }

  core::SweepId AddSweep(const std::string& key = "") {
    SweepRecord sweep;
    sweep.name = "digits";
    sweep.key = key;
    sweep.submitted = Time{Duration{7000}};
    sweep.halving = sweep::HalvingOptions{2, 1, 9};
    return store_->AddSweep(sweep)->id;
  }
  core::JobId AddJob(core::SweepId sweep, const core::Parameters& parameters = {}) {
    core::Submission submission;
    submission.job.name = "one";
    submission.sweep = sweep;
    submission.parameters = parameters;
    return store_->AddJob(submission)->id;
  }
  // Judges a loss as the service does.
  void Judge(core::SweepId sweep, core::JobId job, int epoch, double loss) {
    const auto verdict = halving_.Report(std::to_string(job), epoch, loss);
    ASSERT_TRUE(verdict);
    RungLoss record;
    record.sweep = sweep;
    record.number = ++number_;
    record.job = job;
    record.epoch = epoch;
    record.loss = loss;
    record.verdict = *verdict;
    record.stopped = verdict->stop;
    if (verdict->stop) record.saved_energy = Energy::Joules(5);
    store_->AddRungLoss(record);
  }
  std::string Problems() {
    auto reader = *Database::Open(path_, Database::Mode::kRead);
    const auto results = CheckStore(reader, {});
    if (!results) return results.error().Message();
    std::string text;
    for (const CheckResult& result : *results)
      for (const std::string& problem : result.problems) text += problem + "\n";
    return text;
  }

  platform::Path path_ =
      ScratchDirectory(std::string("sweep_records_") +
                       ::testing::UnitTest::GetInstance()->current_test_info()->name()) /
      "ebb.db";
  std::unique_ptr<engine::Engine> engine_;
  std::optional<ServiceStore> store_;
  sweep::SuccessiveHalving halving_{{2, 1, 9}};
  std::int64_t number_ = 0;
};

TEST_F(SweepRecordsTest, ReadBackAsTheyWereWritten) {
  const core::SweepId id = AddSweep("its key");
  EXPECT_EQ(AddSweep("its key"), id) << "not committed, and known";
  SweepRecord plain;
  plain.name = "plain";
  const core::SweepId second = store_->AddSweep(plain)->id;
  const core::JobId first = AddJob(id), other = AddJob(id), alone = AddJob(0);
  Judge(id, first, 1, 0.5);
  Judge(id, other, 1, kNoNumber);
  ASSERT_TRUE(store_->Commit());
  EXPECT_EQ(AddSweep("its key"), id) << "committed";

  Database& database = store_->database();
  const auto sweep = **FindSweep(database, id);
  EXPECT_EQ(sweep.name, "digits");
  EXPECT_EQ(sweep.submitted, Time{Duration{7000}});
  EXPECT_EQ(sweep.halving, (sweep::HalvingOptions{2, 1, 9}));
  EXPECT_FALSE((**FindSweep(database, second)).halving);
  EXPECT_FALSE(*FindSweep(database, 99));
  ASSERT_EQ(ListSweeps(database, {})->size(), 2u);
  EXPECT_EQ(ListSweeps(database, {})->front().id, second) << "newest first";
  EXPECT_EQ(ListSweeps(database, {"digits", 1})->front().id, id);
  EXPECT_TRUE(ListSweeps(database, {"digit", 1})->empty());

  const auto losses = *RungLossesOf(database, id);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].loss, 0.5);
  EXPECT_FALSE(losses[0].stopped);
  EXPECT_FALSE(losses[0].saved_energy);
  EXPECT_EQ(losses[1].job, other);
  EXPECT_EQ(losses[1].epoch, 1);
  EXPECT_TRUE(std::isnan(losses[1].loss));
  EXPECT_TRUE(losses[1].stopped);
  EXPECT_EQ(losses[1].verdict, (sweep::Verdict{true, 1, 2, 2, 1}));
  EXPECT_EQ(losses[1].saved_energy, Energy::Joules(5));
  EXPECT_FALSE(losses[1].saved);

  JobFilter filter;
  filter.sweep = id;
  const auto jobs = *ListJobs(database, filter);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs.front().sweep, id);
  EXPECT_EQ((**FindJob(database, alone)).sweep, 0);
  EXPECT_EQ(CountJobs(database, id)->front().jobs, 2);
  EXPECT_EQ(CountJobs(database)->front().jobs, 3);
  EXPECT_TRUE(AttemptSumsOf(database, id, Time{})->empty());
  EXPECT_EQ((**FindSubmission(database, first)).sweep, id);
}

TEST_F(SweepRecordsTest, ParametersAreThoseOfTheSweep) {
  const core::SweepId id = AddSweep(), other = AddSweep();
  const core::Parameters texts{{"lr", "1e-04"}, {"a 'b' \"c\"", ""}, {"gr\xc3\xbcn", "$.x"}};
  const core::JobId first = AddJob(id, texts), none = AddJob(id), last = AddJob(id, {{"lr", "2"}});
  AddJob(other, {{"lr", "3"}});
  ASSERT_TRUE(store_->Commit());
  const auto read = ParametersOf(store_->database(), id);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(first), texts);
  EXPECT_EQ(read->at(last), (core::Parameters{{"lr", "2"}}));
  EXPECT_FALSE(read->contains(none)) << "as those that a store of before holds";
  EXPECT_EQ((**FindSubmission(store_->database(), first)).parameters, texts);
}

TEST_F(SweepRecordsTest, AttemptsAreSummedAndWhatIsNotKnownIsNotZero) {
  const core::SweepId id = AddSweep();
  const core::JobId twice = AddJob(id), running = AddJob(id), unknown = AddJob(id),
                    never = AddJob(id);
  AddJob(0);
  ASSERT_TRUE(store_->Commit());
  const auto add = [&](core::JobId job, int attempt, Value began, Value ended, const char* phase) {
    ASSERT_TRUE(
        store_->database().Run("INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase)"
                               " VALUES(?, ?, 0, ?, ?, ?)",
                               {job, std::int64_t{attempt}, began, ended, std::string(phase)}));
  };
  add(twice, 1, {}, 500, "start_failed");
  add(twice, 2, 1000, 3000, "paused");
  add(twice, 3, 5000, 5500, "succeeded");
  add(running, 1, 6000, {}, "running");
  add(unknown, 1, {}, 4000, "succeeded");
  const auto sums = *AttemptSumsOf(store_->database(), id, Time{Duration{7000}});
  EXPECT_EQ(sums.size(), 3u);
  EXPECT_FALSE(sums.contains(never));
  EXPECT_EQ(sums.at(twice).attempts, 3);
  EXPECT_EQ(sums.at(twice).paused, 1);
  EXPECT_EQ(sums.at(twice).open, 0);
  EXPECT_EQ(sums.at(twice).ran, Duration{2500});
  EXPECT_EQ(sums.at(running).open, 1);
  EXPECT_EQ(sums.at(running).ran, Duration{1000});
  EXPECT_FALSE(sums.at(unknown).ran);
}

// The program ended by itself between the verdict and its execution.
TEST_F(SweepRecordsTest, WhatEndedByItselfWasNotStopped) {
  const core::SweepId id = AddSweep();
  const core::JobId best = AddJob(id), done = AddJob(id), stopped = AddJob(id);
  Judge(id, best, 1, 0.1);
  Judge(id, done, 1, 0.5);
  Judge(id, stopped, 1, 0.6);
  ASSERT_TRUE(store_->Commit());
  Database& database = store_->database();
  ASSERT_TRUE(database.Run("UPDATE jobs SET stage = 'succeeded' WHERE id = ?", {done}));
  ASSERT_TRUE(database.Run("UPDATE jobs SET stage = 'cancelled' WHERE id = ?", {stopped}));
  const auto losses = *RungLossesOf(database, id);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_TRUE(losses[1].verdict.stop);
  EXPECT_FALSE(losses[1].stopped);
  EXPECT_TRUE(losses[2].stopped);
}

TEST_F(SweepRecordsTest, ACheckJudgesAgain) {
  const core::SweepId id = AddSweep();
  for (const double loss : {0.5, 0.7, 0.6, kNoNumber, 0.1}) Judge(id, AddJob(id), 1, loss);
  ASSERT_TRUE(store_->Commit());
  EXPECT_EQ(Problems().find("judged"), std::string::npos);
  const auto damaged = [&](const char* damage) {
    EXPECT_TRUE(store_->database().Run("SAVEPOINT sound"));
    EXPECT_TRUE(store_->database().Run(damage));
    EXPECT_TRUE(store_->database().Run("RELEASE sound"));
    return Problems();
  };
  EXPECT_NE(damaged("UPDATE rung_losses SET rank = 1 WHERE number = 2").find("judged differently"),
            std::string::npos);
  EXPECT_NE(damaged("DELETE FROM rung_losses WHERE number = 3").find("is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace ebb::store
