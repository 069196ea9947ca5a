#include "sim/simulated_executor.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "core/jobs/move.h"
#include "core/jobs/widths.h"

namespace ebb::sim {
namespace {

using engine::JobPhase;
using engine::JobReport;

// Streams of the world's seed.
enum Stream : std::uint64_t { kRunTime = 1, kProgramFails = 2, kStartFails = 3 };

Random Draw(const WorldOptions& world, Stream stream, core::JobId job, int attempt = 0) {
  const std::uint64_t of_stream = SeedFor(world.seed, stream);
  const std::uint64_t of_job = SeedFor(of_stream, static_cast<std::uint64_t>(job));
  return Random(SeedFor(of_job, static_cast<std::uint64_t>(attempt)));
}

Duration TrueWork(const WorldOptions& world, const core::Job& job) {
  if (world.duration_error == 0) return job.duration;
  const double factor = std::exp(world.duration_error * Draw(world, kRunTime, job.id).Normal());
  return std::max(Duration{1}, DurationFromSeconds(Seconds(job.duration) * factor));
}

bool HasEnded(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed ||
         phase == JobPhase::kCancelled;
}

}  // namespace

SimulatedExecutor::SimulatedExecutor(core::Cluster cluster, Time begin, const WorldOptions& world)
    : cluster_(std::move(cluster)), now_(begin), world_(world) {
  for (const core::DevicePool& pool : cluster_.pools) {
    std::set<int> devices;
    for (int i = 0; i < pool.count; ++i) devices.insert(devices.end(), i);
    free_.push_back(std::move(devices));
  }
}

void SimulatedExecutor::AddJob(const core::Job& job) {
  JobRun& run = runs_[job.id];
  run.job = job;
  run.true_work = run.remaining = TrueWork(world_, job);
  run.program_fails = Draw(world_, kProgramFails, job.id).Uniform() < world_.program_failures;
}

tl::unexpected<Error> SimulatedExecutor::Violate(core::JobId job, std::string what) {
  violations_.push_back(FormatTime(now_) + " job " + std::to_string(job) + ": " + what);
  return Fail({ExitCode::kBug, std::move(what), "job " + std::to_string(job), ""});
}

Result<JobRun*> SimulatedExecutor::Find(core::JobId job) {
  const auto it = runs_.find(job);
  if (it == runs_.end())
    return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""});
  return &it->second;
}

std::vector<int> SimulatedExecutor::TakeDevices(int pool, int count) {
  auto& free = free_[static_cast<std::size_t>(pool)];
  const auto end = std::next(free.begin(), count);
  std::vector<int> devices(free.begin(), end);
  free.erase(free.begin(), end);
  return devices;
}

void SimulatedExecutor::Report(JobRun& run, JobPhase phase) {
  const int pool = run.segments.empty() ? -1 : run.segments.back().pool;
  run.last = {run.job.id, run.attempt, phase, pool, now_, 0, ""};
  if (phase == JobPhase::kFailed) run.last.exit_code = 1;
  if (HasEnded(phase)) ++run.ends;
  reports_.push_back(run.last);
}

void SimulatedExecutor::Arrange(Time at, const JobRun& run, JobPhase phase) {
  due_.push({at, sequence_++, run.job.id, run.attempt, phase});
}

// The time from the begin of a segment until the job makes progress.
Duration SimulatedExecutor::Overhead(const JobRun& run, const SegmentRun& segment) const {
  return segment.moving + (run.pauses > 0 ? run.job.pause_cost : Duration::zero());
}

// The work that the running segment has done by now, at speed 1.
Duration SimulatedExecutor::Work(const JobRun& run) const {
  const SegmentRun& segment = run.segments.back();
  const Duration useful = now_ - segment.time.begin - Overhead(run, segment);
  if (useful <= Duration::zero()) return Duration::zero();
  const double speed =
      core::SpeedOn(run.job, cluster_.pools[static_cast<std::size_t>(segment.pool)],
                    static_cast<int>(segment.devices.size()));
  return Duration{static_cast<Duration::rep>(static_cast<double>(useful.count()) * speed)};
}

void SimulatedExecutor::EndSegment(JobRun& run) {
  SegmentRun& segment = run.segments.back();
  segment.time.end = now_;
  free_[static_cast<std::size_t>(segment.pool)].insert(segment.devices.begin(),
                                                       segment.devices.end());
  run.running = false;
}

Status SimulatedExecutor::Start(const engine::StartJob& command) {
  EBB_ASSIGN_OR_RETURN(JobRun* const run, Find(command.job));
  if (command.attempt <= run->attempt) return {};
  if (run->running) return Violate(command.job, "started while an attempt runs");
  if (run->ends > 0) return Violate(command.job, "started after its end");
  const int devices = command.devices > 0 ? command.devices : run->job.devices;
  if (command.pool < 0 || !core::FitsAt(run->job, cluster_, command.pool, devices))
    return Violate(command.job, "started where it does not fit");
  if (static_cast<int>(free_[static_cast<std::size_t>(command.pool)].size()) < devices)
    return Violate(command.job, "started without enough free devices");
  run->attempt = command.attempt;
  known_.insert(command.job);
  if (Draw(world_, kStartFails, command.job, command.attempt).Uniform() < world_.start_failures) {
    Report(*run, JobPhase::kStartFailed);
    return {};
  }
  const auto& pool = cluster_.pools[static_cast<std::size_t>(command.pool)];
  const int last_site =
      run->segments.empty()
          ? -1
          : cluster_.pools[static_cast<std::size_t>(run->segments.back().pool)].site;
  run->segments.push_back({command.attempt,
                           command.pool,
                           TakeDevices(command.pool, devices),
                           {now_, Time::max()},
                           core::MoveTo(run->job, cluster_, last_site, command.pool).takes});
  run->running = true;
  Report(*run, JobPhase::kRunning);
  const Duration work = run->program_fails ? run->remaining / 2 : run->remaining;
  Arrange(now_ + Overhead(*run, run->segments.back()) + core::TimeOn(run->job, pool, devices, work),
          *run, run->program_fails ? JobPhase::kFailed : JobPhase::kSucceeded);
  return {};
}

Status SimulatedExecutor::Pause(const engine::PauseJob& command) {
  EBB_ASSIGN_OR_RETURN(JobRun* const run, Find(command.job));
  if (!run->running || run->attempt != command.attempt) return {};
  if (!run->job.checkpointable) return Violate(command.job, "paused, which it cannot be");
  const SegmentRun& segment = run->segments.back();
  if (now_ - segment.time.begin - segment.moving < run->job.minimum_segment)
    return Violate(command.job, "paused before its minimum segment");
  Arrange(now_ + world_.checkpoint_takes, *run, JobPhase::kPaused);
  return {};
}

Status SimulatedExecutor::Cancel(const engine::CancelJob& command) {
  EBB_ASSIGN_OR_RETURN(JobRun* const run, Find(command.job));
  if (!run->running || run->attempt != command.attempt) return {};
  EndSegment(*run);
  Report(*run, JobPhase::kCancelled);
  return {};
}

Status SimulatedExecutor::Execute(const engine::Command& command) {
  if (const auto* start = std::get_if<engine::StartJob>(&command)) return Start(*start);
  if (const auto* pause = std::get_if<engine::PauseJob>(&command)) return Pause(*pause);
  return Cancel(std::get<engine::CancelJob>(command));
}

// An event that was arranged for an attempt that no longer exists does not happen.
void SimulatedExecutor::Happen(const Due& due) {
  JobRun& run = runs_.at(due.job);
  if (!run.running || run.attempt != due.attempt) return;
  if (due.phase == JobPhase::kPaused) {
    run.remaining = std::max(Duration{1}, run.remaining - Work(run));
    ++run.pauses;
  }
  EndSegment(run);
  Report(run, due.phase);
}

Result<std::vector<JobReport>> SimulatedExecutor::WaitForEvents(Time deadline) {
  while (reports_.empty()) {
    if (due_.empty() || due_.top().at > deadline) {
      if (deadline == Time::max())
        return Fail(
            {ExitCode::kBug, "nothing is under way and nothing is expected", "simulation", ""});
      now_ = std::max(now_, deadline);
      break;
    }
    now_ = std::max(now_, due_.top().at);
    while (!due_.empty() && due_.top().at <= now_) {
      const Due due = due_.top();
      due_.pop();
      Happen(due);
    }
  }
  return std::exchange(reports_, {});
}

Result<std::vector<JobReport>> SimulatedExecutor::Observe() {
  std::vector<JobReport> reports;
  reports.reserve(known_.size());
  for (const core::JobId job : known_) reports.push_back(runs_.at(job).last);
  return reports;
}

void SimulatedExecutor::Forget(core::JobId job) {
  const auto it = runs_.find(job);
  if (it != runs_.end() && it->second.ends > 0) known_.erase(job);
}

void SimulatedExecutor::Lose(core::JobId job) {
  const auto it = runs_.find(job);
  if (it == runs_.end() || !it->second.running) return;
  EndSegment(it->second);
  known_.erase(job);
}

}  // namespace ebb::sim
