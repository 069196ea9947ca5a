#include "app/slurm/wrapped_attempt.h"

#include <chrono>
#include <csignal>
#include <utility>

#include "app/run/local_rank.h"
#include "app/slurm/job_runs.h"
#include "local/process/training_contract.h"
#include "platform/child_process.h"
#include "platform/system_clock.h"
#include "report/run/run_directory.h"
#include "slurm/jobs/job_note.h"

namespace ebb::app {
namespace {

using platform::Path;
using SteadyClock = std::chrono::steady_clock;

constexpr Duration kLook{500};  // between looks at other tasks, and while nothing is measured
constexpr Duration kBetweenTries = std::chrono::seconds{10};
// Slurm ends the job at most this long after it was requeued: signals, KillWait, an epilog.
constexpr Duration kUntilSlurmEndsIt = std::chrono::minutes{5};

Path FreeFolder(const Path& directory, const slurm::JobPlace& place) {
  int steps_before = 0;
  Path folder = slurm::RunFolder(directory, place, steps_before);
  while (report::HoldsRun(folder)) folder = slurm::RunFolder(directory, place, ++steps_before);
  return folder;
}

RunRequest::JobAttempt AttemptOf(const WrappedAttempt& attempt) {
  return {"slurm-" + attempt.place.job, slurm::CheckpointFolder(attempt.directory),
          attempt.place.attempt > 1, SIGUSR1, attempt.environment};
}

// Runs a task whose energy another task of this node counts.
Result<RunResult> RunUncounted(const WrappedAttempt& attempt, platform::ProcessSignals& signals) {
  const RunRequest::JobAttempt of = AttemptOf(attempt);
  const Time now = platform::SystemClock(signals).Now();
  local::ContractValues contract;
  contract.job_id = of.job_id;
  contract.run_directory = attempt.run.options.run_dir;
  contract.checkpoint_directory = of.checkpoints;
  contract.resume = of.resume;
  contract.submitted = contract.scheduled = now;
  platform::ChildOptions options{attempt.run.command, local::ContractEnvironment(contract)};
  for (const auto& variable : of.environment) options.environment.push_back(variable);
  options.pause_signal = of.pause_signal;
  EBB_ASSIGN_OR_RETURN(platform::ChildProcess child, platform::ChildProcess::Start(options));
  std::optional<platform::ExitStatus> status;
  while (!status) status = child.Wait(signals, kLook);
  RunResult result{status->code, attempt.run.options.run_dir};
  if (status->by_signal) result.outcome = core::AttemptOutcome::kKilled;
  if (status->code == local::kPausedExitCode) result.outcome = core::AttemptOutcome::kPaused;
  result.asked_to_pause = child.asked_to_pause();
  return result;
}

Result<RunResult> RunOrShare(WrappedAttempt& attempt, platform::ProcessSignals& signals,
                             const MakeDisplay& make_display) {
  RunOptions& options = attempt.run.options;
  const std::optional<LocalRank> rank = attempt.place.tasks > 1 ? FindLocalRank() : std::nullopt;
  if (IsCountedElsewhere(rank, options.metering.scope)) return RunUncounted(attempt, signals);
  ClaimedGpus claimed;
  if (rank && options.metering.scope == core::MeterScope::kProcessTree)
    claimed = ClaimGpus(*rank, options);
  attempt.run.attempt_of = AttemptOf(attempt);
  return RunOnce(attempt.run, signals, make_display);
}

// A program that ends by a signal when it is asked to pause has lost its work, but the job goes on.
bool IsPause(const RunResult& result) {
  return result.asked_to_pause && (result.outcome == core::AttemptOutcome::kPaused ||
                                   result.outcome == core::AttemptOutcome::kKilled);
}

bool OthersRun(const WrappedAttempt& attempt) {
  const auto found =
      report::SearchForRuns(slurm::AttemptFolder(attempt.directory, attempt.place.attempt));
  for (const Path& run : found.runs)
    if (report::IsBeingWritten(run)) return true;
  return false;
}

Status NoteEnergy(const WrappedAttempt& attempt, const slurm::RunCommand& slurm) {
  if (OthersRun(attempt)) return {};
  std::vector<std::string> notices;
  EBB_ASSIGN_OR_RETURN(const auto runs, ReadJobRuns(attempt.directory, notices));
  const report::JobEnergy energy = report::EnergyOf(attempt.place.job, runs);
  return slurm::NoteInJob(slurm, attempt.place.job, report::JobEnergySentence(energy));
}

// Waits until a signal asks this process to end, or `done`. Returns false for a signal.
template <typename Done>
bool WaitUntil(const Done& done, Duration longest, Duration look,
               platform::ProcessSignals& signals) {
  const auto until = SteadyClock::now() + longest;
  while (!done() && SteadyClock::now() < until)
    if (signals.WaitForStop(look)) return false;
  return true;
}

constexpr auto kNever = [] { return false; };

std::string Release(const WrappedAttempt& attempt) {
  return "scontrol release " + attempt.place.requeue;
}

// Puts the job back into the queue, held, and waits for Slurm to end this task.
Status Requeue(const WrappedAttempt& attempt, const slurm::RunCommand& slurm,
               platform::ProcessSignals& signals, const SayLine& say) {
  const auto client = slurm::MakeSlurmCommands(slurm);
  Status requeued;
  const auto try_it = [&] {
    requeued = client->RequeueHeld(attempt.place.requeue);
    return requeued || requeued.error().code != ExitCode::kUnavailable;
  };
  if (!WaitUntil(try_it, attempt.grace, kBetweenTries, signals)) return {};
  if (!requeued) return requeued;
  say("Slurm holds the job; to go on: " + Release(attempt));
  WaitUntil(kNever, kUntilSlurmEndsIt, kUntilSlurmEndsIt, signals);
  return {};
}

void Pause(const WrappedAttempt& attempt, const RunResult& result, const slurm::RunCommand& slurm,
           platform::ProcessSignals& signals, const SayLine& say) {
  if (result.outcome == core::AttemptOutcome::kKilled)
    say("the program did not end with a checkpoint when it was asked to pause (exit code " +
        std::to_string(result.exit_code) + ")");
  // A task that ends before the others may make srun end them.
  if (attempt.place.task > 0) {
    WaitUntil(kNever, attempt.grace, attempt.grace, signals);
    return;
  }
  const auto others_have_ended = [&] { return !OthersRun(attempt); };
  if (!WaitUntil(others_have_ended, attempt.grace, kLook, signals)) return;
  if (const Status requeued = Requeue(attempt, slurm, signals, say); !requeued)
    say("the job was not put back into the queue: " + requeued.error().Message() +
        ". It ends with exit code " + std::to_string(result.exit_code) +
        "; submit it with sbatch --requeue");
}

}  // namespace

Result<int> RunWrapped(WrappedAttempt attempt, const slurm::RunCommand& slurm,
                       platform::ProcessSignals& signals, const MakeDisplay& make_display,
                       const SayLine& say) {
  if (attempt.directory.empty())
    attempt.directory = slurm::JobFolder(attempt.place.submitted_from, attempt.place.job);
  EBB_RETURN_IF_ERROR(WriteJobFile(attempt.directory, attempt.place));
  RunOptions& options = attempt.run.options;
  options.run_dir = FreeFolder(attempt.directory, attempt.place);
  if (options.name.empty()) options.name = attempt.place.name;
  attempt.run.stop_grace = attempt.grace;
  EBB_ASSIGN_OR_RETURN(const RunResult result, RunOrShare(attempt, signals, make_display));
  // A node that is measured for a site is not a task of the job.
  if (attempt.run.command.empty()) return result.exit_code;
  if (const Status noted = NoteEnergy(attempt, slurm); !noted && !options.quiet)
    say("the job's comment does not say what it used: " + noted.error().Message());
  if (IsPause(result)) Pause(attempt, result, slurm, signals, say);
  return result.exit_code;
}

}  // namespace ebb::app
