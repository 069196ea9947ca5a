// A live source goes silent while a queue of jobs waits. The loop, the engine and every policy of
// production run in virtual time, with the values that signals/feeds/live_view.h gives to a
// decision.

#include <gtest/gtest.h>

#include <map>

#include "engine/journal_json.h"
#include "plan/make_policy.h"
#include "runtime/run_loop.h"
#include "signals/feeds/live_view.h"
#include "sim/simulated_executor.h"
#include "testing/builders.h"

namespace ebb {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

const Time kBegin = *ParseTime("2026-05-04");
const Interval kOutage{kBegin + hours{6}, kBegin + hours{8}};

core::IntensitySeries Series(std::vector<core::Sample> samples) {
  return *core::IntensitySeries::Create({}, std::move(samples));
}

// Answers every five minutes, except during the outage. The forecast is right.
class SilentFeed final : public runtime::SignalFeed {
 public:
  SilentFeed(const std::vector<double>& hourly, Interval outage, signals::OutageRules rules)
      : outage_(outage), rules_(rules) {
    for (std::size_t i = 0; i < hourly.size(); ++i) {
      const Time at = kBegin + hours{static_cast<int>(i)};
      truth_.push_back({{at, at + hours{1}}, {hourly[i]}});
    }
  }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration) override {
    return signals::ViewAt(At(now), now, rules_);
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return Series(truth_).Slice(interval);
  }
  Time NextChange(Time now) const override { return std::chrono::floor<minutes>(now) + minutes{5}; }

 private:
  signals::LiveSnapshot At(Time now) const {
    const bool silent = outage_.contains(now);
    const Time answered = silent ? outage_.begin - minutes{1} : now;
    std::vector<core::Sample> known, ahead;
    for (core::Sample sample : truth_) {
      if (sample.interval.begin > answered) sample.status = core::SampleStatus::kForecast;
      (sample.interval.begin <= answered ? known : ahead).push_back(sample);
    }
    signals::LiveSnapshot snapshot;
    snapshot.known = Series(known);
    snapshot.forecast = {answered, "the truth", Series(ahead), {}, {}};
    snapshot.asked_at = now;
    snapshot.answered_at = answered;
    if (silent) snapshot.failure = Error{ExitCode::kUnavailable, "no route to host", "test", ""};
    return snapshot;
  }

  core::SignalIdentity identity_;
  std::vector<core::Sample> truth_;
  Interval outage_;
  signals::OutageRules rules_;
};

// Intensity is high, except in hours 6 to 8 (which fall into the outage) and 10 to 14.
std::vector<double> Hours() {
  std::vector<double> values(24 * 6, 400);
  for (const int hour : {6, 7}) values[static_cast<std::size_t>(hour)] = 90;
  for (int hour = 10; hour < 14; ++hour) values[static_cast<std::size_t>(hour)] = 100;
  return values;
}

struct Outcome {
  std::map<core::JobId, engine::EndedJob> ended;
  std::size_t left = 0;
};

class Queue {
 public:
  static constexpr int kJobs = 60;
  /// Job i is submitted at minute 15 i; latest starts from two hours on, a third of them pausable.
  explicit Queue(core::OnOutage on_outage = core::OnOutage::kWait) {
    for (int i = 0; i < kJobs; ++i) {
      const Time submitted = kBegin + minutes{15} * i;
      AJob builder(i + 1);
      builder.Submitted(submitted).Runs(minutes{30}).Within(hours{2 + i % 20});
      if (i % 3 == 0) builder.Pausable(minutes{1}, minutes{10});
      core::Job job = builder;
      job.threshold = Intensity{200};
      job.on_outage = on_outage;
      jobs_.push_back(job);
    }
  }
  const std::vector<core::Job>& jobs() const { return jobs_; }

  Outcome Run(const std::string& policy, runtime::SignalFeed& feed) const {
    engine::Options options;
    options.admission = engine::Admission::kTakeAll;
    engine::Engine engine(options, *plan::MakePolicy(policy, {}));
    sim::SimulatedExecutor executor(testing::ClusterOf(kJobs), kBegin, {});
    for (const core::Job& job : jobs_) executor.AddJob(job);
    auto submissions = runtime::SubmissionList::OfJobs(jobs_);
    runtime::LoopOptions loop;
    loop.end = kBegin + hours{24 * 5};
    EXPECT_TRUE(runtime::Run(engine, {executor, {&feed}, submissions}, loop));
    return {engine.state().ended, engine.state().live.size()};
  }

 private:
  std::vector<core::Job> jobs_;
};

// Policies that let these jobs wait: carbon-scaler lets only elastic ones.
std::vector<std::string> WaitingPolicies() {
  const auto all = plan::PolicyNames();
  std::vector<std::string> names(all.begin(), all.end());
  for (const char* at_once : {"run-now", "edf", "tiers", "carbon-scaler"})
    std::erase(names, at_once);
  return names;
}

TEST(Outage, TwoHoursReleaseNoJobEarlyAndForgetNone) {
  // No substitute is allowed, so the values of these two hours are really unknown.
  const signals::OutageRules nothing{Duration::zero(), Duration::zero()};
  const Queue queue;
  for (const std::string& policy : WaitingPolicies()) {
    SilentFeed feed(Hours(), kOutage, nothing);
    const Outcome outcome = queue.Run(policy, feed);
    EXPECT_EQ(outcome.left, 0u) << policy;
    ASSERT_EQ(outcome.ended.size(), std::size_t{Queue::kJobs}) << policy;
    for (const core::Job& job : queue.jobs()) {
      const engine::EndedJob& ended = outcome.ended.at(job.id);
      EXPECT_EQ(ended.stage, engine::Stage::kSucceeded) << policy << " job " << job.id;
      ASSERT_TRUE(ended.first_start);
      EXPECT_LE(*ended.first_start, *job.start_by) << policy << " job " << job.id;
      // The planner counts pauses and devices, so it may have to start a job a little earlier.
      if (!kOutage.contains(*ended.first_start)) continue;
      EXPECT_GE(*ended.first_start + minutes{31}, *job.start_by)
          << policy << " job " << job.id << " started " << FormatTime(*ended.first_start);
    }
  }
}

TEST(Outage, AForecastStandsInAndTheJobsStartWhenTheyWouldHave) {
  const Queue queue;
  for (const char* policy : {"threshold", "lowest-window", "carbon-time"}) {
    SilentFeed silent(Hours(), kOutage, {}), answering(Hours(), {}, {});
    const Outcome outage = queue.Run(policy, silent), none = queue.Run(policy, answering);
    for (const core::Job& job : queue.jobs())
      EXPECT_GE(*outage.ended.at(job.id).first_start, *none.ended.at(job.id).first_start)
          << policy << " job " << job.id;
  }
}

TEST(Outage, RunAndStopAreForThoseWhoAskForThem) {
  const signals::OutageRules nothing{Duration::zero(), Duration::zero()};
  const auto waits_into_it = [](const core::Job& job) {
    return job.submitted<kOutage.begin&& * job.start_by> kOutage.begin;
  };
  const Queue run(core::OnOutage::kRun), stop(core::OnOutage::kStop);
  SilentFeed feed(Hours(), kOutage, nothing);
  const Outcome ran = run.Run("threshold", feed), stopped = stop.Run("threshold", feed);
  int seen = 0;
  for (const core::Job& job : run.jobs()) {
    if (!waits_into_it(job)) continue;
    ++seen;
    EXPECT_EQ(ran.ended.at(job.id).first_start, kOutage.begin) << job.id;
    const engine::EndedJob& given_up = stopped.ended.at(job.id);
    EXPECT_EQ(given_up.stage, engine::Stage::kCancelled) << job.id;
    EXPECT_FALSE(given_up.first_start);
    EXPECT_NE(given_up.detail.find("no route to host"), std::string::npos) << given_up.detail;
  }
  EXPECT_GT(seen, 10);
  EXPECT_EQ(ran.left + stopped.left, 0u);
}

}  // namespace
}  // namespace ebb
