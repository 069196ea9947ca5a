#include "app/run/run_session.h"

#include <utility>

#include "app/run/attempt_recorder.h"
#include "app/run/progress_marks.h"
#include "app/run/run_end.h"
#include "app/run/run_files.h"
#include "app/run/run_gate.h"
#include "app/run/run_sinks.h"
#include "app/run/run_surroundings.h"
#include "app/run/run_terminal.h"
#include "app/run/run_trackers.h"
#include "base/text.h"
#include "core/jobs/script.h"
#include "local/power/power_keeper.h"
#include "local/process/training_contract.h"
#include "platform/file.h"
#include "platform/program_lookup.h"
#include "platform/system_clock.h"
#include "signals/make_feed.h"

namespace ebb::app {
namespace {

using platform::Path;

std::string DefaultName(const RunRequest& request) {
  if (!request.options.name.empty()) return request.options.name;
  return request.command.empty() ? "machine" : core::ScriptOf(request.command).name;
}

// The beginning of a GPU's name in readings, before its UUID.
constexpr std::string_view kGpuPrefix = "gpu:";

// The interval at which an attempt without a display is looked at.
constexpr Duration kUnseenTick{1000};

// The objects that live as long as one run.
class Session {
 public:
  Session(RunOptions options, platform::ProcessSignals& signals, const MakeDisplay& make_display)
      : options_(std::move(options)),
        signals_(signals),
        wall_(signals),
        display_(make_display(options_)),
        terminal_(*display_) {
    wall_.OnHangUp([this] { terminal_.Leave(); });
  }

  Result<RunResult> RunNew(const RunRequest& request);
  /// `before`: the run in the directory.
  Result<RunResult> Resume(report::RunDirectory directory, core::RunRecord before, bool detached);

 private:
  Status Open(Time replay_begin);
  Status OpenLog();
  std::optional<RunResult> StoppedAlready();
  core::RunSpec MakeSpec(const RunRequest& request);
  Result<RunResult> GateAndRun(const plan::GateRequest& gate, int attempt_number);
  local::ContractValues ContractOf(Time submitted, const GateWait& wait, int attempt_number) const;
  Result<local::AttemptOptions> AttemptOf(Time submitted, const GateWait& wait, int attempt_number);
  /// Starts the program, measures it to its end, and ends the run.
  Result<RunResult> Run(const local::AttemptOptions& attempt);
  /// The limits and previous use for the budget of an attempt; nullopt without a budget.
  Result<std::optional<runtime::BudgetWatch::Terms>> BudgetTerms(int attempt_number);
  /// The limit of the power of the run's GPUs; nullopt if it is left alone.
  std::optional<local::PowerTerms> PowerTerms();
  /// Call these once the directory and the log are open.
  RunSinks sinks() { return {*directory_, *log_, *display_}; }
  RunEnd end() { return RunEnd(options_, *surroundings_, sinks(), wall_); }

  RunOptions options_;
  platform::ProcessSignals& signals_;
  platform::SystemClock wall_;
  const std::unique_ptr<RunDisplay> display_;
  RunTerminal terminal_;
  std::unique_ptr<Surroundings> surroundings_;
  std::optional<report::RunDirectory> directory_;
  core::RunRecord before_;  ///< the run up to the end of earlier attempts
  std::optional<RunLog> log_;
  std::optional<Duration> stop_grace_;
  std::optional<RunRequest::JobAttempt> attempt_of_;
};

Status Session::Open(Time replay_begin) {
  EBB_ASSIGN_OR_RETURN(surroundings_, OpenSurroundings(options_, wall_, replay_begin,
                                                       [this] { return wall_.StopAsked(); }));
  return {};
}

Status Session::OpenLog() {
  EBB_ASSIGN_OR_RETURN(log_, RunLog::Open(directory_->path()));
  terminal_.UseLog(*log_);
  return {};
}

// Handles Ctrl-C during the first request for the signal.
std::optional<RunResult> Session::StoppedAlready() {
  if (!wall_.stop_signal()) return std::nullopt;
  display_->Say("stopped before anything was started");
  return RunResult{128 + *wall_.stop_signal(), {}, core::AttemptOutcome::kNotStarted};
}

core::RunSpec Session::MakeSpec(const RunRequest& request) {
  core::RunSpec spec = SpecOf(options_, *surroundings_, DefaultName(request), wall_.Now());
  spec.command = request.command;
  spec.training = request.training;
  return spec;
}

Result<RunResult> Session::RunNew(const RunRequest& request) {
  const Time begin = options_.scheduler.clock.start.value_or(wall_.Now());
  stop_grace_ = request.stop_grace;
  attempt_of_ = request.attempt_of;
  // Checks that the program exists before waiting for clean power.
  platform::ChildOptions child;
  child.argv = request.command;
  if (!child.argv.empty()) EBB_RETURN_IF_ERROR(platform::CheckStart(child));
  EBB_RETURN_IF_ERROR(CheckOutputs(options_));
  EBB_RETURN_IF_ERROR(CheckTrackers(options_.tracking));
  EBB_RETURN_IF_ERROR(Open(begin));
  if (const auto stopped = StoppedAlready()) return *stopped;
  const core::RunSpec spec = MakeSpec(request);
  const Path path = DirectoryFor(options_, spec);
  EBB_RETURN_IF_ERROR(
      platform::EnsureWritableDirectory(path.has_parent_path() ? path.parent_path() : "."));
  EBB_ASSIGN_OR_RETURN(directory_, report::RunDirectory::Create(path, spec));
  terminal_.UseDirectory(directory_->path(), request.detached);
  before_.spec = spec;
  EBB_RETURN_IF_ERROR(WriteFlags(path / kOptionsFile, ToFlags(options_)));
  EBB_RETURN_IF_ERROR(OpenLog());
  display_->Say(spec.name + ": " + signals::Describe(surroundings_->feed->identity()));
  const std::string& origin = options_.scheduler.signal.zone_origin;
  if (!origin.empty()) display_->Say("zone of " + origin);
  sinks().SayNotes(surroundings_->feed->TakeNotes());
  if (request.show_meter_notes) {
    sinks().SayNotes(surroundings_->meters.notes);
  } else {
    for (const std::string& note : surroundings_->meters.notes) log_->Write("note: " + note);
  }
  return GateAndRun({spec.submitted, spec.start_by.value_or(spec.submitted), spec.duration,
                     options_.scheduler.on_deadline, options_.scheduler.on_outage},
                    1);
}

Result<RunResult> Session::Resume(report::RunDirectory directory, core::RunRecord before,
                                  bool detached) {
  directory_ = std::move(directory);
  terminal_.UseDirectory(directory_->path(), detached);
  before_ = std::move(before);
  const Path& path = directory_->path();
  const core::RunRecord& record = before_;
  const int attempt = static_cast<int>(record.attempts.size()) + 1;
  if (const core::BudgetEvent* stopped = core::StoppedBy(record.budget, options_.metering.budget))
    return Fail({ExitCode::kUsage,
                 "the run was stopped by its budget of " + core::LimitText(*stopped), path.string(),
                 "raise it to go on: --budget-" +
                     std::string(stopped->measure == core::BudgetMeasure::kEnergy ? "kwh" : "g") +
                     " with more than " + FormatSignificant(stopped->limit, 3)});
  if (!record.attempts.empty() && record.attempts.back().outcome == core::AttemptOutcome::kDone)
    return Fail(
        {ExitCode::kUsage, "the run is done: there is nothing to resume", path.string(), ""});
  // A replayed grid clock stands still between attempts.
  const Time begin =
      record.attempts.empty() ? record.spec.submitted : record.attempts.back().grid.end;
  EBB_RETURN_IF_ERROR(Open(begin));
  if (const auto stopped = StoppedAlready()) return *stopped;
  EBB_RETURN_IF_ERROR(OpenLog());
  for (const std::string& notice : directory_->notices()) display_->Say(notice);
  display_->Say(record.spec.name + ": attempt " + std::to_string(attempt));
  return GateAndRun({record.spec.submitted, record.latest_start(), record.spec.duration,
                     options_.scheduler.on_deadline, options_.scheduler.on_outage},
                    attempt);
}

Result<RunResult> Session::GateAndRun(const plan::GateRequest& gate, int attempt_number) {
  const auto on_first = [this](const core::GateDecision& decision) {
    const bool waits = decision.action == core::GateAction::kWait;
    return terminal_.OnFirstDecision(waits && !surroundings_->clock.settings().skip_waits);
  };
  EBB_ASSIGN_OR_RETURN(const GateWait wait, WaitAtGate(gate, attempt_number, options_.scheduler,
                                                       *surroundings_, sinks(), on_first));
  display_->EndLine();
  if (wait.result.interrupted) {
    const int signal = wall_.stop_signal().value_or(2);
    display_->Say("stopped while waiting; the program was not started. Continue with: ebb resume " +
                  directory_->path().string());
    EBB_RETURN_IF_ERROR(end().Close());
    return RunResult{128 + signal, directory_->path(), core::AttemptOutcome::kNotStarted};
  }
  if (wait.result.decision.action == core::GateAction::kStop) {
    EBB_RETURN_IF_ERROR(end().Close());
    return RunResult{static_cast<int>(ExitCode::kTryLater), directory_->path(),
                     core::AttemptOutcome::kNotStarted};
  }
  EBB_ASSIGN_OR_RETURN(const local::AttemptOptions attempt,
                       AttemptOf(gate.submitted, wait, attempt_number));
  return Run(attempt);
}

local::ContractValues Session::ContractOf(Time submitted, const GateWait& wait,
                                          int attempt_number) const {
  const core::GateDecision& decision = wait.result.decision;
  local::ContractValues contract;
  contract.job_id = attempt_of_ ? attempt_of_->job_id : directory_->spec().run_id;
  contract.run_directory = directory_->path();
  contract.checkpoint_directory =
      attempt_of_ ? attempt_of_->checkpoints : directory_->path() / "checkpoints";
  contract.resume = attempt_of_ ? attempt_of_->resume : attempt_number > 1;
  contract.submitted = submitted;
  contract.scheduled = decision.at;
  contract.intensity_at_submission = wait.intensity_at_submission;
  contract.intensity_at_start = decision.reason.current;
  return contract;
}

Result<local::AttemptOptions> Session::AttemptOf(Time submitted, const GateWait& wait,
                                                 int attempt_number) {
  local::AttemptOptions attempt;
  attempt.child = {directory_->spec().command,
                   local::ContractEnvironment(ContractOf(submitted, wait, attempt_number))};
  if (attempt_of_) {
    attempt.child.pause_signal = attempt_of_->pause_signal;
    for (const auto& variable : attempt_of_->environment)
      attempt.child.environment.push_back(variable);
  }
  attempt.stop_grace = stop_grace_;
  attempt.number = attempt_number;
  attempt.pue = options_.metering.pue;
  attempt.other_feed = surroundings_->other_feed.get();
  attempt.sampler.interval = options_.metering.interval;
  attempt.sampler.scope = options_.metering.scope;
  attempt.tick =
      display_->TrainingInterval() > Duration::zero() ? display_->TrainingInterval() : kUnseenTick;
  EBB_ASSIGN_OR_RETURN(attempt.budget, BudgetTerms(attempt_number));
  attempt.directory = directory_->path();
  attempt.power = PowerTerms();
  return attempt;
}

Result<RunResult> Session::Run(const local::AttemptOptions& attempt) {
  if (attempt.power && !attempt.power->gpus.empty())
    EBB_RETURN_IF_ERROR(local::StartPowerKeeper({attempt.directory, attempt.number}));
  RunTrackers trackers(options_.tracking, directory_->spec(), before_, directory_->path());
  AttemptRecorder recorder(sinks(), PrometheusExport(options_, directory_->spec(), before_),
                           trackers);
  // Ebb's own trainer is told to print nothing.
  display_->BeginProgram(!attempt.child.argv.empty() && !directory_->spec().training);
  const auto measure = attempt.child.argv.empty() ? local::MonitorMachine : local::RunAttempt;
  auto result = measure(attempt, std::move(surroundings_->meters.meters), *surroundings_->feed,
                        surroundings_->clock, signals_, recorder);
  display_->EndLine();
  if (!result) {
    trackers.OnFailure(wall_.Now());
    trackers.WaitForEnd();
    EBB_RETURN_IF_ERROR(end().NotStarted(attempt.number, result.error()));
    return Fail(result.error());
  }
  const core::Attempt& ended = result->attempt;
  recorder.OnEnd(ended.wall.length());
  sinks().SayNotes(result->warnings);
  log_->Write("attempt " + std::to_string(ended.number) + " " + std::string(Name(ended.outcome)) +
              ", exit code " + std::to_string(ended.exit_code));
  const auto summary = end().Finish(ended);
  if (!summary) {
    trackers.OnFailure(wall_.Now());
    trackers.WaitForEnd();
    return Fail(end().ShowUnwritten(ended, recorder.unstored(), summary.error()));
  }
  trackers.OnEnd(ended, *summary);
  trackers.WaitForEnd();
  sinks().SayNotes(trackers.TakeNotes());
  end().SayRemarks(ended.outcome, *summary, attempt_of_.has_value());
  return RunResult{ended.exit_code, directory_->path(), ended.outcome, result->asked_to_pause};
}

Result<std::optional<runtime::BudgetWatch::Terms>> Session::BudgetTerms(int attempt_number) {
  const core::Budget& budget = options_.metering.budget;
  if (budget.empty()) return std::optional<runtime::BudgetWatch::Terms>();
  EBB_RETURN_IF_ERROR(directory_->AppendBudget(budget, attempt_number));
  runtime::BudgetWatch::Terms terms;
  terms.budget = budget;
  terms.used_before = core::UseOf(before_.ledger);
  terms.fired = before_.budget.events;
  return std::optional(std::move(terms));
}

std::optional<local::PowerTerms> Session::PowerTerms() {
  if (!options_.power_cap || directory_->spec().command.empty()) return std::nullopt;
  local::PowerTerms terms;
  terms.cap = *options_.power_cap;
  terms.slower_by = options_.slower_by;
  terms.sample_interval = options_.metering.interval;
  terms.progress = ProgressMarksIn(directory_->path());
  for (const meter::GpuHolding& gpu : surroundings_->meters.gpus) {
    if (gpu.share == 1) {
      terms.gpus.push_back(gpu.device.substr(kGpuPrefix.size()));
      continue;
    }
    sinks().SayNote("--power-cap: the run has a part of " + gpu.device +
                    ", and a limit would hold for all of it, so it is left alone");
    return std::nullopt;
  }
  return terms;
}

}  // namespace

Result<RunResult> RunOnce(const RunRequest& request, platform::ProcessSignals& signals,
                          const MakeDisplay& make_display) {
  return Session(request.options, signals, make_display).RunNew(request);
}

Result<RunResult> ResumeRun(const Path& directory, const FlagValues& given, bool detached,
                            platform::ProcessSignals& signals, const MakeDisplay& make_display) {
  if (!report::HoldsRun(directory))
    return Fail({ExitCode::kUnavailable, "is not a run directory", directory.string(),
                 "give the directory that the run printed at its end"});
  EBB_ASSIGN_OR_RETURN(RunOptions options, ReadOptions(directory));
  EBB_ASSIGN_OR_RETURN(report::RunDirectory opened, report::RunDirectory::Open(directory));
  EBB_ASSIGN_OR_RETURN(core::RunRecord before, report::ReadRun(directory));
  // An earlier resume may have raised the budget.
  const bool limited = !options.metering.budget.empty() || given.contains("budget-kwh") ||
                       given.contains("budget-g");
  if (limited && before.budget.budget) options.metering.budget = *before.budget.budget;
  EBB_RETURN_IF_ERROR(ApplyFlags(given, options));
  return Session(std::move(options), signals, make_display)
      .Resume(std::move(opened), std::move(before), detached);
}

}  // namespace ebb::app
