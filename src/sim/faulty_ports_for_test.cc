#include "sim/faulty_ports_for_test.h"

#include <cmath>

namespace ebb::sim {
namespace {

using engine::JobReport;

bool IsEnd(const JobReport& report) {
  return report.phase == engine::JobPhase::kSucceeded ||
         report.phase == engine::JobPhase::kFailed || report.phase == engine::JobPhase::kCancelled;
}

core::IntensitySeries Distorted(const core::IntensitySeries& series, Random& random) {
  std::vector<core::Sample> samples = series.samples();
  for (core::Sample& sample : samples) sample.intensity.g_per_kwh *= std::exp(random.Normal());
  return *core::IntensitySeries::Create(series.identity(), std::move(samples));
}

}  // namespace

core::Cluster FaultyExecutor::cluster() const {
  core::Cluster cluster = world_.cluster();
  if (canary_ == Canary::kIgnoresCapacity)
    for (core::DevicePool& pool : cluster.pools) pool.count *= 3;
  return cluster;
}

Time FaultyExecutor::ToWorld(Time time) const {
  if (time == Time::max()) return time;
  if (plan_.clock_jumps_at == Time::max()) return time;
  if (world_.Now() < plan_.clock_jumps_at && time < plan_.clock_jumps_at) return time;
  const Time unjumped = time - plan_.clock_jump;
  // A deadline between the two readings of the jump falls on the jump itself.
  if (unjumped >= plan_.clock_jumps_at) return unjumped;
  return std::min(time, plan_.clock_jumps_at);
}

Result<std::vector<JobReport>> FaultyExecutor::Observe() {
  EBB_ASSIGN_OR_RETURN(std::vector<JobReport> reports, world_.Observe());
  for (JobReport& report : reports) report.since = FromWorld(report.since);
  if (canary_ == Canary::kForgetsEnds)
    std::erase_if(reports, [](const JobReport& report) { return IsEnd(report); });
  return reports;
}

Status FaultyExecutor::Execute(const engine::Command& command) {
  if (dice_.Strikes(plan_.swallowed_commands, Now())) return {};
  if (dice_.Strikes(plan_.refused_commands, Now()))
    return Fail({ExitCode::kUnavailable, "the executor is away", "fault", ""});
  EBB_RETURN_IF_ERROR(world_.Execute(command));
  const auto* start = std::get_if<engine::StartJob>(&command);
  if (start && canary_ == Canary::kStartsTwice)
    std::ignore = world_.Execute(engine::StartJob{start->job, start->attempt + 1, start->pool});
  return {};
}

void FaultyExecutor::Deliver(JobReport report, std::vector<JobReport>& out) {
  report.since = FromWorld(report.since);
  if (canary_ == Canary::kForgetsEnds && IsEnd(report)) return;
  if (dice_.Strikes(plan_.lost_reports, Now())) return;
  if (dice_.Strikes(plan_.late_reports, Now())) {
    late_.push_back(std::move(report));
    return;
  }
  if (dice_.Strikes(plan_.duplicate_reports, Now())) {
    out.push_back(report);
    late_.push_back(report);
  }
  out.push_back(std::move(report));
}

void FaultyExecutor::LoseAnAttempt() {
  std::vector<core::JobId> running;
  for (const auto& [id, run] : world_.runs())
    if (run.running) running.push_back(id);
  if (!running.empty()) world_.Lose(running[dice_.random().Below(running.size())]);
}

Result<std::vector<JobReport>> FaultyExecutor::WaitForEvents(Time deadline) {
  if (dice_.Strikes(plan_.lost_attempts, Now())) LoseAnAttempt();
  EBB_ASSIGN_OR_RETURN(std::vector<JobReport> happened, world_.WaitForEvents(ToWorld(deadline)));
  std::vector<JobReport> reports = std::exchange(late_, {});
  for (JobReport& report : happened) Deliver(std::move(report), reports);
  return reports;
}

Result<core::SignalView> FaultyFeed::Observe(Time now, Duration horizon) {
  if (dice_.Strikes(plan_.signal_outages, now))
    return Fail({ExitCode::kUnavailable, "source is down", "fault", ""});
  const bool stale = dice_.Strikes(plan_.stale_signals, now);
  EBB_ASSIGN_OR_RETURN(core::SignalView view,
                       truth_.Observe(stale ? now - std::chrono::hours{6} : now, horizon));
  if (dice_.Strikes(plan_.wrong_forecasts, now))
    view.forecast.series = Distorted(view.forecast.series, dice_.random());
  return view;
}

Status CrashingJournal::Append(const runtime::JournalRecord& record) {
  const auto* event = std::get_if<engine::Event>(&record);
  const Time now = event ? event->at : std::get<engine::Decision>(record).at;
  const bool crash = dice_.Strikes(plan_.crashes, now);
  // Before an event is stored it is only in memory; a decision is stored before it is carried out.
  if (!crash || !event) records_.push_back(record);
  if (!crash) return {};
  crashed_ = true;
  return Fail({ExitCode::kUnavailable, "the process died", "fault", ""});
}

}  // namespace ebb::sim
