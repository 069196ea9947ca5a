#pragma once
// The contract of executors (runtime/executor.h) as a test suite. A room instantiates it with a
// World:
//
//   struct World {
//     runtime::Executor& executor();
//     core::JobId Add(testing::JobKind kind);   // a new job, known to the executor, one device
//     wide Duration patience();                      // longer than anything here takes
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, ExecutorContract, SimulatedWorld);

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/executor.h"

namespace ebb::testing {

enum class JobKind {
  kShort,        ///< succeeds soon
  kLong,         ///< runs until it is paused or cancelled; can be paused
  kFailing,      ///< ends by itself, with an exit code other than 0
  kUnstartable,  ///< cannot be started
};

template <typename World>
class ExecutorContract : public ::testing::Test {
 protected:
  using Reports = std::vector<engine::JobReport>;

  // A World may need something that this machine lacks: it says what, or nothing.
  void SetUp() override {
    if constexpr (requires { World::WhyNotHere(); })
      if (const std::string why = World::WhyNotHere(); !why.empty()) GTEST_SKIP() << why;
  }

  runtime::Executor& executor() { return world_.executor(); }

  Status Start(core::JobId job, int attempt = 1) {
    return executor().Execute(engine::StartJob{job, attempt, 0});
  }

  /// Waits until the job reports the phase. Returns all reports up to then.
  Reports WaitFor(core::JobId job, engine::JobPhase phase) {
    Reports all;
    const Time deadline = executor().Now() + world_.patience();
    while (executor().Now() < deadline) {
      auto reports = executor().WaitForEvents(deadline);
      EXPECT_TRUE(reports.has_value());
      if (!reports) break;
      all.insert(all.end(), reports->begin(), reports->end());
      if (Count(all, job, phase) > 0) break;
    }
    EXPECT_EQ(Count(all, job, phase), 1) << "phase " << static_cast<int>(phase);
    return all;
  }

  static std::ptrdiff_t Count(const Reports& reports, core::JobId job, engine::JobPhase phase) {
    return std::count_if(reports.begin(), reports.end(), [&](const engine::JobReport& report) {
      return report.job == job && report.phase == phase;
    });
  }

  /// The report of Observe on the job; nullopt if the executor does not know the job.
  std::optional<engine::JobReport> Observed(core::JobId job) {
    const auto reports = executor().Observe();
    EXPECT_TRUE(reports.has_value());
    for (const engine::JobReport& report : *reports)
      if (report.job == job) return report;
    return std::nullopt;
  }

  World world_;
};

TYPED_TEST_SUITE_P(ExecutorContract);

TYPED_TEST_P(ExecutorContract, AStartedJobIsReportedRunningAndThenSucceeded) {
  const core::JobId job = this->world_.Add(JobKind::kShort);
  ASSERT_TRUE(this->Start(job));
  const auto reports = this->WaitFor(job, engine::JobPhase::kSucceeded);
  ASSERT_EQ(this->Count(reports, job, engine::JobPhase::kRunning), 1);
  EXPECT_EQ(reports.front().phase, engine::JobPhase::kRunning);
  EXPECT_EQ(reports.front().pool, 0);
  EXPECT_LE(reports.front().since, reports.back().since);
}

TYPED_TEST_P(ExecutorContract, StartingTwiceIsStartingOnce) {
  const core::JobId job = this->world_.Add(JobKind::kShort);
  ASSERT_TRUE(this->Start(job));
  ASSERT_TRUE(this->Start(job));
  const auto reports = this->WaitFor(job, engine::JobPhase::kSucceeded);
  EXPECT_EQ(this->Count(reports, job, engine::JobPhase::kRunning), 1);
  ASSERT_TRUE(this->Start(job)) << "the command comes once more after the end";
  EXPECT_EQ(this->Observed(job)->phase, engine::JobPhase::kSucceeded);
}

TYPED_TEST_P(ExecutorContract, AJobIsKnownAsSoonAsItsStartWasTaken) {
  const core::JobId job = this->world_.Add(JobKind::kLong);
  EXPECT_FALSE(this->Observed(job));
  ASSERT_TRUE(this->Start(job));
  const auto report = this->Observed(job);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->phase, engine::JobPhase::kRunning);
  EXPECT_EQ(report->attempt, 1);
  ASSERT_TRUE(this->executor().Execute(engine::CancelJob{job, 1}));
  this->WaitFor(job, engine::JobPhase::kCancelled);
}

TYPED_TEST_P(ExecutorContract, APausedJobGoesOnWithTheNextAttempt) {
  const core::JobId job = this->world_.Add(JobKind::kLong);
  ASSERT_TRUE(this->Start(job));
  this->WaitFor(job, engine::JobPhase::kRunning);
  ASSERT_TRUE(this->executor().Execute(engine::PauseJob{job, 1}));
  ASSERT_TRUE(this->executor().Execute(engine::PauseJob{job, 1})) << "asking again does no harm";
  this->WaitFor(job, engine::JobPhase::kPaused);
  ASSERT_TRUE(this->executor().Execute(engine::PauseJob{job, 1})) << "nor does asking too late";
  ASSERT_TRUE(this->Start(job, 2));
  const auto reports = this->WaitFor(job, engine::JobPhase::kRunning);
  EXPECT_EQ(reports.back().attempt, 2);
  ASSERT_TRUE(this->executor().Execute(engine::CancelJob{job, 2}));
  this->WaitFor(job, engine::JobPhase::kCancelled);
}

TYPED_TEST_P(ExecutorContract, AFailingProgramIsReportedWithItsExitCode) {
  const core::JobId job = this->world_.Add(JobKind::kFailing);
  ASSERT_TRUE(this->Start(job));
  const auto reports = this->WaitFor(job, engine::JobPhase::kFailed);
  EXPECT_NE(reports.back().exit_code, 0);
}

TYPED_TEST_P(ExecutorContract, WhatCannotBeStartedSaysSoAtOnceOrInAReport) {
  const core::JobId job = this->world_.Add(JobKind::kUnstartable);
  // A failed start would fail again, so the job ends as failed.
  if (this->Start(job)) this->WaitFor(job, engine::JobPhase::kFailed);
}

TYPED_TEST_P(ExecutorContract, AnEndedJobIsObservedUntilItIsForgotten) {
  const core::JobId job = this->world_.Add(JobKind::kShort);
  ASSERT_TRUE(this->Start(job));
  this->executor().Forget(job);
  EXPECT_TRUE(this->Observed(job)) << "a job that runs is not forgotten";
  this->WaitFor(job, engine::JobPhase::kSucceeded);
  EXPECT_EQ(this->Observed(job)->phase, engine::JobPhase::kSucceeded);
  this->executor().Forget(job);
  this->executor().Forget(job);
  EXPECT_FALSE(this->Observed(job));
}

TYPED_TEST_P(ExecutorContract, WaitingEndsAtTheDeadline) {
  const Time deadline = this->executor().Now() + Duration{50};
  const auto reports = this->executor().WaitForEvents(deadline);
  ASSERT_TRUE(reports);
  EXPECT_TRUE(reports->empty());
  EXPECT_GE(this->executor().Now(), deadline);
}

TYPED_TEST_P(ExecutorContract, AnUnknownJobIsAnErrorAndNothingElse) {
  EXPECT_FALSE(this->Start(987654));
  EXPECT_FALSE(this->Observed(987654));
}

REGISTER_TYPED_TEST_SUITE_P(ExecutorContract, AStartedJobIsReportedRunningAndThenSucceeded,
                            StartingTwiceIsStartingOnce, AJobIsKnownAsSoonAsItsStartWasTaken,
                            APausedJobGoesOnWithTheNextAttempt,
                            AFailingProgramIsReportedWithItsExitCode,
                            WhatCannotBeStartedSaysSoAtOnceOrInAReport,
                            AnEndedJobIsObservedUntilItIsForgotten, WaitingEndsAtTheDeadline,
                            AnUnknownJobIsAnErrorAndNothingElse);

}  // namespace ebb::testing
