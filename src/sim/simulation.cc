#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/jobs/widths.h"
#include "engine/engine.h"
#include "runtime/run_loop.h"
#include "sim/plan_throttle.h"
#include "sim/simulated_executor.h"

namespace ebb::sim {
namespace {

constexpr Duration kDefaultMaxDelay = engine::Options{}.default_max_delay;
// Late jobs and paused jobs run beyond the last deadline. This margin extends the truth as far as
// there is one; energy without a known truth is reported as such.
constexpr Duration kMargin{std::chrono::days{8}};

// Simulations of up to this many jobs make a whole plan with every change; longer ones have a
// throttle.
constexpr std::size_t kPlannedWithEveryChange = 2000;

// Collects submissions that are impossible on this cluster. Nothing else is refused
// (Admission::kTakeAll).
class Refusals final : public runtime::LoopObserver {
 public:
  void OnRefused(const engine::Event&, const Error& error) override {
    if (!first_) first_ = error;
  }
  const std::optional<Error>& first() const { return first_; }

 private:
  std::optional<Error> first_;
};

Error Unfinished(const core::Job& job, const std::string& label) {
  return {ExitCode::kInfeasible, "job \"" + job.name + "\" did not end under " + label, "",
          "is there a device that it fits on?"};
}

// The width of a stretch of an elastic job; 0 of any other job.
int WidthIn(const SegmentRun& segment, const core::Job& job) {
  return core::IsElastic(job) ? static_cast<int>(segment.devices.size()) : 0;
}

JobOutcome OutcomeOf(const JobRun& run) {
  JobOutcome outcome;
  outcome.job = run.job.id;
  outcome.succeeded = run.last.phase == engine::JobPhase::kSucceeded;
  for (const SegmentRun& segment : run.segments)
    outcome.segments.push_back({segment.pool, segment.time, WidthIn(segment, run.job)});
  return outcome;
}

Result<Simulation> Collect(const SimulatedExecutor& executor, const std::string& label, Time start,
                           std::vector<core::Job> jobs, const core::Cluster& cluster,
                           const TrueSignals& truth) {
  EBB_CHECK(executor.violations().empty());
  Simulation simulation;
  simulation.start = start;
  simulation.jobs = std::move(jobs);
  for (const core::Job& job : simulation.jobs) {
    JobOutcome outcome = OutcomeOf(executor.runs().at(job.id));
    if (!outcome.succeeded) return Fail(Unfinished(job, label));
    Account(job, cluster, truth.integrals, outcome);
    simulation.use += outcome.use;
    simulation.pauses += outcome.pauses;
    simulation.move_use += outcome.move_use;
    simulation.moves += outcome.moves;
    simulation.pause_energy += outcome.pause_energy;
    simulation.outcomes.push_back(std::move(outcome));
  }
  simulation.idle =
      IdleUse(cluster, truth.integrals, simulation.jobs, simulation.outcomes, simulation.span());
  return simulation;
}

// The truth must reach from the start date to the latest end.
Status CheckCoverage(const runtime::SignalFeed& feed, Interval needed) {
  const auto coverage = feed.Coverage();
  if (!coverage || (coverage->begin <= needed.begin && needed.end <= coverage->end)) return {};
  return Fail({ExitCode::kConfiguration,
               "the trace covers " + FormatTime(coverage->begin) + " to " +
                   FormatTime(coverage->end) + ", and a start at " + FormatTime(needed.begin) +
                   " needs it until " + FormatTime(needed.end),
               feed.identity().source, "choose other start dates or a longer trace"});
}

// Runs one policy from one start date; the label is for messages.
Result<Simulation> Run(const Scenario& scenario, const std::string& label,
                       std::unique_ptr<plan::Policy> decider, Time start, Feeds& feeds,
                       const TrueSignals& truth, const std::function<bool()>& stopped) {
  std::vector<core::Job> jobs = JobsAt(scenario, start);
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  options.changes_widths = true;
  const bool places_beside = decider->places_beside();
  engine::Engine engine(options, std::move(decider), engine::Explaining::kNothing);
  SimulatedExecutor executor(scenario.cluster, start, {});
  for (const core::Job& job : jobs) executor.AddJob(job);
  auto submissions = runtime::SubmissionList::OfJobs(jobs);
  Refusals refusals;
  runtime::LoopPorts ports{executor, {}, submissions, nullptr, &refusals, stopped};
  for (const auto& feed : feeds) ports.feeds.push_back(feed.get());
  std::optional<PlanThrottle> throttle;
  if (places_beside && jobs.size() > kPlannedWithEveryChange)
    ports.plan_worker = &throttle.emplace(
        executor, PlanThrottleOptions{.span = jobs.back().submitted - jobs.front().submitted});
  runtime::LoopOptions loop;
  loop.horizon = HorizonOf(scenario, kDefaultMaxDelay);
  loop.reconcile_every = std::chrono::hours{24 * 365};  // the simulated executor loses no report
  EBB_ASSIGN_OR_RETURN(const runtime::LoopResult ran, runtime::Run(engine, ports, loop));
  if (ran.interrupted) return Fail({ExitCode::kTryLater, "stopped before the end", "", ""});
  if (refusals.first()) return Fail(*refusals.first());
  return Collect(executor, label, start, std::move(jobs), scenario.cluster, truth);
}

}  // namespace

Result<std::unique_ptr<TrueSignals>> TrueSignals::Load(const Scenario& scenario, Feeds& feeds,
                                                       Time start) {
  const Interval needed{start, start + LatestEnd(scenario, kDefaultMaxDelay)};
  auto truth = std::make_unique<TrueSignals>();
  for (const auto& feed : feeds) {
    EBB_RETURN_IF_ERROR(CheckCoverage(*feed, needed));
    Interval wanted{needed.begin, needed.end + kMargin};
    if (const auto coverage = feed->Coverage()) wanted = Overlap(wanted, *coverage);
    EBB_ASSIGN_OR_RETURN(auto series, feed->Believed(wanted));
    truth->series.push_back(std::move(series));
  }
  for (const core::IntensitySeries& series : truth->series) truth->integrals.emplace_back(series);
  return truth;
}

Interval Simulation::span() const {
  Interval span{start, start};
  for (const JobOutcome& outcome : outcomes)
    if (!outcome.segments.empty()) span.end = std::max(span.end, outcome.ended());
  return span;
}

Result<Simulation> Simulate(const Scenario& scenario, const PolicyChoice& policy, Time start,
                            Feeds& feeds, const TrueSignals& truth,
                            const std::function<bool()>& stopped) {
  EBB_ASSIGN_OR_RETURN(auto decider, plan::MakePolicy(policy.policy, OptionsOf(scenario, policy)));
  return Run(scenario, policy.label, std::move(decider), start, feeds, truth, stopped);
}

Result<Simulation> Simulate(const Scenario& scenario, std::unique_ptr<plan::Policy> policy,
                            Time start, Feeds& feeds, const TrueSignals& truth,
                            const std::function<bool()>& stopped) {
  const std::string label(policy->name());
  return Run(scenario, label, std::move(policy), start, feeds, truth, stopped);
}

}  // namespace ebb::sim
