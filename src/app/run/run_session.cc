#include "app/run/run_session.h"

#include <utility>
#include <vector>

#include "app/run/progress_marks.h"
#include "app/run/run_files.h"
#include "app/run/run_log.h"
#include "app/run/run_outputs.h"
#include "app/run/run_surroundings.h"
#include "app/run/run_trackers.h"
#include "base/text.h"
#include "core/jobs/script.h"
#include "local/power/power_keeper.h"
#include "local/process/measured_attempt.h"
#include "local/process/training_contract.h"
#include "plan/make_policy.h"
#include "plan/price_blend.h"
#include "platform/background.h"
#include "platform/file.h"
#include "platform/program_lookup.h"
#include "platform/system_clock.h"
#include "report/run/gate_inputs.h"
#include "report/run/progress_tail.h"
#include "report/run/run_directory.h"
#include "report/run/seal.h"
#include "report/run/summary.h"
#include "runtime/gate_loop.h"
#include "signals/make_feed.h"

namespace ebb::app {
namespace {

using platform::Path;

std::string DefaultName(const RunRequest& request) {
  if (!request.options.name.empty()) return request.options.name;
  return request.command.empty() ? "machine" : core::ScriptOf(request.command).name;
}

// The file in the run's directory that receives the output once the terminal is gone.
constexpr const char* kOutputFile = "output.log";

// The beginning of a GPU's name in readings, before its UUID.
constexpr std::string_view kGpuPrefix = "gpu:";

// The interval at which an attempt without a display is looked at.
constexpr Duration kUnseenTick{1000};

// Prices are read for the wait and the run, a day before, and far enough ahead for the longest
// look-ahead.
constexpr Duration kPriceContext = std::chrono::hours{48};

// The price options of the gate, if prices have a weight or a threshold.
std::optional<plan::PriceGateOptions> PricesOf(const config::SchedulerConfig& scheduler,
                                               const std::optional<prices::PriceSource>& prices,
                                               const plan::GateRequest& gate) {
  const config::PriceConfig& config = scheduler.prices;
  if (!prices || (config.weight <= 0 && !config.threshold)) return std::nullopt;
  const Interval span{gate.submitted - kPriceContext,
                      gate.latest_start + gate.remaining + kPriceContext};
  auto series = std::make_shared<const core::PriceSeries>(prices->Over(span));
  return plan::PriceGateOptions{std::move(series), config.weight, config.threshold};
}

Result<std::unique_ptr<plan::GatePolicy>> MakePolicy(
    const config::SchedulerConfig& scheduler, const std::optional<plan::PriceGateOptions>& prices) {
  plan::PolicyOptions options;
  options.threshold.threshold = scheduler.threshold;
  EBB_ASSIGN_OR_RETURN(auto policy, plan::MakeGatePolicy(Name(scheduler.policy), options));
  return prices ? plan::MakePriceAware(std::move(policy), *prices) : std::move(policy);
}

// Stores decisions and shows them.
class Gatekeeper final : public runtime::GateObserver {
 public:
  /// `on_first`: called once, when the first decision is stored and shown.
  using OnFirst = std::function<Status(const core::GateDecision&)>;
  Gatekeeper(report::RunDirectory& directory, report::GateInputsFile inputs, RunLog& log,
             RunDisplay& display, OnFirst on_first)
      : directory_(directory),
        inputs_(std::move(inputs)),
        log_(log),
        display_(display),
        on_first_(std::move(on_first)) {}

  Status OnDecision(const core::GateDecision& decision,
                    const runtime::GateObservation& observation) override {
    if (!at_submission_) at_submission_ = std::pair{true, decision.reason.current};
    log_.Write("grid " + FormatTime(decision.at) + "  " + std::string(Name(decision.action)) +
               " (" + std::string(Name(decision.reason.rule)) + "): " + Sentence(decision));
    display_.ShowDecision(decision, observation.view);
    EBB_RETURN_IF_ERROR(
        inputs_.Append(observation.view, observation.next_change, observation.failure));
    EBB_RETURN_IF_ERROR(directory_.AppendDecision(decision));
    const OnFirst on_first = std::exchange(on_first_, nullptr);
    if (!on_first) return {};
    EBB_RETURN_IF_ERROR(on_first(decision));
    // on_first may have printed lines over the live line of the wait, so that line is drawn again.
    if (decision.action == core::GateAction::kWait) display_.ShowWait(decision.at);
    return {};
  }
  void OnTick(Time grid_now) override { display_.ShowWait(grid_now); }
  Status OnSkippedWait(const core::SkippedWait& wait) override {
    return directory_.AppendSkippedWait(wait);
  }
  std::optional<Intensity> intensity_at_submission() const {
    return at_submission_ ? at_submission_->second : std::nullopt;
  }

 private:
  report::RunDirectory& directory_;
  report::GateInputsFile inputs_;
  RunLog& log_;
  RunDisplay& display_;
  OnFirst on_first_;
  std::optional<std::pair<bool, std::optional<Intensity>>> at_submission_;
};

// Stores the measurements of an attempt and shows them.
class AttemptRecorder final : public local::AttemptObserver {
 public:
  AttemptRecorder(report::RunDirectory& directory, PrometheusExport prometheus,
                  RunTrackers& trackers, RunLog& log, RunDisplay& display)
      : directory_(directory),
        prometheus_(std::move(prometheus)),
        trackers_(trackers),
        log_(log),
        display_(display),
        tail_(directory.path() / report::kProgressFile) {}

  Status OnBegin(const core::Attempt& attempt) override {
    log_.Write("attempt " + std::to_string(attempt.number) + " begins, grid " +
               FormatTime(attempt.grid.begin));
    trackers_.OnBegin(attempt);
    return directory_.BeginAttempt(attempt);
  }
  Status OnRows(std::span<const core::LedgerRow> rows) override {
    // Rows that could not be stored are offered again together with the next ones.
    unstored_.assign(rows.begin(), rows.end());
    EBB_RETURN_IF_ERROR(directory_.AppendRows(rows));
    unstored_.clear();
    prometheus_.OnRows(rows);
    trackers_.OnRows(rows);
    return {};
  }
  void OnBudget(const core::BudgetEvent& event) override {
    const std::string text = core::BudgetText(event);
    log_.Write(text);
    display_.Say(text);
    if (auto kept = directory_.AppendBudgetEvent(event); !kept)
      log_.Write("budget event not stored: " + kept.error().Message());
  }
  void OnEnd(Duration elapsed) {
    SayFailure(prometheus_.OnEnd(elapsed));
    do {
      trackers_.OnProgress(tail_.Poll());
    } while (tail_.has_more());
  }
  /// Rows that could not be written, for example on a full disk.
  const std::vector<core::LedgerRow>& unstored() const { return unstored_; }
  bool OnTick(const local::LiveFigures& figures) override {
    SayFailure(prometheus_.OnTick(figures.elapsed));
    const bool shown = display_.TrainingInterval() > Duration::zero();
    if (!shown && !trackers_.wanted()) return false;
    const std::vector<report::ProgressEvent> events = tail_.Poll();
    trackers_.OnProgress(events);
    for (const std::string& note : trackers_.TakeNotes()) SayFailure(note);
    return shown && display_.ShowTraining(events, figures);
  }

 private:
  void SayFailure(const std::optional<std::string>& failure) {
    if (!failure) return;
    log_.Write("note: " + *failure);
    display_.Say("note: " + *failure);
  }

  report::RunDirectory& directory_;
  PrometheusExport prometheus_;
  RunTrackers& trackers_;
  RunLog& log_;
  RunDisplay& display_;
  report::ProgressTail tail_;
  std::vector<core::LedgerRow> unstored_;
};

std::string EndText(const core::Attempt& attempt) {
  const std::string code = "exit code " + std::to_string(attempt.exit_code);
  return std::string("the program ") +
         (attempt.outcome == core::AttemptOutcome::kDone ? "ended well (" + code + ")"
                                                         : "ended with " + code) +
         " after " + FormatDuration(attempt.wall.length());
}

// The objects that live as long as one run.
class Session {
 public:
  Session(RunOptions options, platform::ProcessSignals& signals, const MakeDisplay& make_display)
      : options_(std::move(options)),
        signals_(signals),
        wall_(signals),
        display_(make_display(options_)) {
    wall_.OnHangUp([this] { LeaveTerminal(); });
  }

  Result<RunResult> RunNew(const RunRequest& request);
  /// `before`: the run in the directory.
  Result<RunResult> Resume(report::RunDirectory directory, core::RunRecord before, bool detached);

 private:
  Status Open(Time replay_begin);
  void LeaveTerminal();
  Status OnFirstDecision(const core::GateDecision& decision);
  std::optional<RunResult> StoppedAlready();
  core::RunSpec MakeSpec(const RunRequest& request);
  Result<RunResult> GateAndRun(const plan::GateRequest& gate, int attempt_number);
  local::ContractValues ContractOf(const plan::GateRequest& gate,
                                   const core::GateDecision& decision,
                                   std::optional<Intensity> at_submission,
                                   int attempt_number) const;
  Result<RunResult> Start(const plan::GateRequest& gate, const core::GateDecision& decision,
                          std::optional<Intensity> at_submission, int attempt_number);
  /// The limits and previous use for the budget of an attempt; nullopt without a budget.
  Result<std::optional<runtime::BudgetWatch::Terms>> BudgetTerms(int attempt_number);
  /// The limit of the power of the run's GPUs; nullopt if it is left alone.
  std::optional<local::PowerTerms> PowerTerms();
  Status NotStarted(int attempt_number, const Error& error);
  Status Close();
  Result<report::Summary> Finish();
  /// Shows how the program ended and the figures that could not be written; returns `error` with
  /// advice.
  Error ShowUnwritten(const core::Attempt& attempt, const std::vector<core::LedgerRow>& unstored,
                      Error error);
  void SayNotes(const std::vector<std::string>& notes);
  void SayWhyUnknown();

  RunOptions options_;
  platform::ProcessSignals& signals_;
  platform::SystemClock wall_;
  const std::unique_ptr<RunDisplay> display_;
  std::unique_ptr<Surroundings> surroundings_;
  std::optional<report::RunDirectory> directory_;
  core::RunRecord before_;  ///< the run up to the end of earlier attempts
  std::optional<RunLog> log_;
  std::optional<Duration> stop_grace_;
  std::optional<RunRequest::JobAttempt> attempt_of_;
  const platform::StandardFiles standard_files_;
  std::optional<Path> left_to_;  ///< file for the output if the terminal is gone
  bool detached_ = false;        ///< RunRequest::detached
};

Status Session::Open(Time replay_begin) {
  EBB_ASSIGN_OR_RETURN(surroundings_, OpenSurroundings(options_, wall_, replay_begin,
                                                       [this] { return wall_.StopAsked(); }));
  return {};
}

// Lets the run go on without its terminal. Printing to a closed terminal must not end a waiting run
// or its program.
void Session::LeaveTerminal() {
  const Path file = directory_ ? directory_->path() / kOutputFile : Path("/dev/null");
  if (std::exchange(left_to_, file) == file) return;  // a shell may send the signal twice
  display_->LeaveTerminal();
  const Status moved = standard_files_.MoveTo(file);
  if (!log_) return;
  log_->Write("the terminal is gone (SIGHUP); what is printed is in " + file.string() +
              (moved ? "" : ": " + moved.error().Message()));
}

// The person at the terminal now knows if the run starts or waits.
Status Session::OnFirstDecision(const core::GateDecision& decision) {
  const Path file = directory_->path() / kOutputFile;
  if (left_to_) LeaveTerminal();  // the terminal was gone before there was a file for the output
  if (detached_) {
    const std::string process = std::to_string(platform::Background::ProcessId());
    display_->Say("goes on without the terminal, as process " + process +
                  "; what it prints: " + file.string() + "; to end it: kill " + process);
    return platform::Background::LetGo(file);
  }
  const bool waits = decision.action == core::GateAction::kWait;
  if (waits && standard_files_.any() && !surroundings_->clock.settings().skip_waits)
    display_->Say("goes on waiting if this terminal ends, and prints to " + file.string() +
                  " then; Ctrl-C ends it. Without a terminal: --detach, or ebb submit");
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
  detached_ = request.detached;
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
  before_.spec = spec;
  EBB_RETURN_IF_ERROR(WriteFlags(path / kOptionsFile, ToFlags(options_)));
  EBB_ASSIGN_OR_RETURN(log_, RunLog::Open(path));
  display_->Say(spec.name + ": " + signals::Describe(surroundings_->feed->identity()));
  const std::string& origin = options_.scheduler.signal.zone_origin;
  if (!origin.empty()) display_->Say("zone of " + origin);
  SayNotes(surroundings_->feed->TakeNotes());
  if (request.show_meter_notes) {
    SayNotes(surroundings_->meters.notes);
  } else {
    for (const std::string& note : surroundings_->meters.notes) log_->Write("note: " + note);
  }
  return GateAndRun({spec.submitted, spec.start_by.value_or(spec.submitted), spec.duration,
                     options_.scheduler.on_deadline, options_.scheduler.on_outage},
                    1);
}

Result<RunResult> Session::Resume(report::RunDirectory directory, core::RunRecord before,
                                  bool detached) {
  detached_ = detached;
  directory_ = std::move(directory);
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
  EBB_ASSIGN_OR_RETURN(log_, RunLog::Open(path));
  for (const std::string& notice : directory_->notices()) display_->Say(notice);
  display_->Say(record.spec.name + ": attempt " + std::to_string(attempt));
  return GateAndRun({record.spec.submitted, record.latest_start(), record.spec.duration,
                     options_.scheduler.on_deadline, options_.scheduler.on_outage},
                    attempt);
}

Result<RunResult> Session::GateAndRun(const plan::GateRequest& gate, int attempt_number) {
  const auto prices = PricesOf(options_.scheduler, surroundings_->prices, gate);
  EBB_ASSIGN_OR_RETURN(const auto policy, MakePolicy(options_.scheduler, prices));
  const config::SchedulerConfig& scheduler = options_.scheduler;
  const bool has_threshold = scheduler.policy == plan::GatePolicyKind::kThreshold;
  EBB_ASSIGN_OR_RETURN(
      auto inputs,
      report::GateInputsFile::Begin(
          directory_->path(),
          {gate, attempt_number, std::string(Name(scheduler.policy)),
           has_threshold ? std::optional(scheduler.threshold) : std::nullopt, prices}));
  Gatekeeper gatekeeper(
      *directory_, std::move(inputs), *log_, *display_,
      [this](const core::GateDecision& decision) { return OnFirstDecision(decision); });
  EBB_ASSIGN_OR_RETURN(
      const runtime::GateResult result,
      runtime::WaitForStart(gate, *policy, *surroundings_->feed, surroundings_->clock, gatekeeper));
  display_->EndLine();
  if (result.interrupted) {
    const int signal = wall_.stop_signal().value_or(2);
    display_->Say("stopped while waiting; the program was not started. Continue with: ebb resume " +
                  directory_->path().string());
    EBB_RETURN_IF_ERROR(Close());
    return RunResult{128 + signal, directory_->path(), core::AttemptOutcome::kNotStarted};
  }
  if (result.decision.action == core::GateAction::kStop) {
    EBB_RETURN_IF_ERROR(Close());
    return RunResult{static_cast<int>(ExitCode::kTryLater), directory_->path(),
                     core::AttemptOutcome::kNotStarted};
  }
  return Start(gate, result.decision, gatekeeper.intensity_at_submission(), attempt_number);
}

local::ContractValues Session::ContractOf(const plan::GateRequest& gate,
                                          const core::GateDecision& decision,
                                          std::optional<Intensity> at_submission,
                                          int attempt_number) const {
  local::ContractValues contract;
  contract.job_id = attempt_of_ ? attempt_of_->job_id : directory_->spec().run_id;
  contract.run_directory = directory_->path();
  contract.checkpoint_directory =
      attempt_of_ ? attempt_of_->checkpoints : directory_->path() / "checkpoints";
  contract.resume = attempt_of_ ? attempt_of_->resume : attempt_number > 1;
  contract.submitted = gate.submitted;
  contract.scheduled = decision.at;
  contract.intensity_at_submission = at_submission;
  contract.intensity_at_start = decision.reason.current;
  return contract;
}

Result<RunResult> Session::Start(const plan::GateRequest& gate, const core::GateDecision& decision,
                                 std::optional<Intensity> at_submission, int attempt_number) {
  local::AttemptOptions attempt;
  attempt.child = {directory_->spec().command, local::ContractEnvironment(ContractOf(
                                                   gate, decision, at_submission, attempt_number))};
  if (attempt_of_) attempt.child.pause_signal = attempt_of_->pause_signal;
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
  if (attempt.power && !attempt.power->gpus.empty())
    EBB_RETURN_IF_ERROR(local::StartPowerKeeper({attempt.directory, attempt_number}));

  RunTrackers trackers(options_.tracking, directory_->spec(), before_, directory_->path());
  AttemptRecorder recorder(*directory_, PrometheusExport(options_, directory_->spec(), before_),
                           trackers, *log_, *display_);
  // Ebb's own trainer is told to print nothing.
  display_->BeginProgram(!attempt.child.argv.empty() && !directory_->spec().training);
  const auto measure = attempt.child.argv.empty() ? local::MonitorMachine : local::RunAttempt;
  auto result = measure(attempt, std::move(surroundings_->meters.meters), *surroundings_->feed,
                        surroundings_->clock, signals_, recorder);
  display_->EndLine();
  if (!result) {
    trackers.OnFailure(wall_.Now());
    trackers.WaitForEnd();
    EBB_RETURN_IF_ERROR(NotStarted(attempt_number, result.error()));
    return Fail(result.error());
  }
  recorder.OnEnd(result->attempt.wall.length());
  SayNotes(result->warnings);
  log_->Write("attempt " + std::to_string(attempt_number) + " " +
              std::string(Name(result->attempt.outcome)) + ", exit code " +
              std::to_string(result->attempt.exit_code));
  const Status stored = directory_->EndAttempt(result->attempt);
  const auto summary = stored ? Finish() : Result<report::Summary>(Fail(stored.error()));
  if (!summary) {
    trackers.OnFailure(wall_.Now());
    trackers.WaitForEnd();
    return Fail(ShowUnwritten(result->attempt, recorder.unstored(), summary.error()));
  }
  trackers.OnEnd(result->attempt, *summary);
  trackers.WaitForEnd();
  SayNotes(trackers.TakeNotes());
  SayNotes(surroundings_->feed->TakeNotes());
  if (summary->totals.energy_without_intensity > Energy{}) SayWhyUnknown();
  if (result->attempt.outcome == core::AttemptOutcome::kPaused && !attempt_of_)
    display_->Say("paused with a checkpoint. Continue with: ebb resume " +
                  directory_->path().string());
  if (result->attempt.outcome == core::AttemptOutcome::kStoppedByBudget)
    display_->Say("stopped by its budget. Continue with a larger one: ebb resume " +
                  directory_->path().string() + " --budget-kwh KWH (or --budget-g GRAMS)");
  return RunResult{result->attempt.exit_code, directory_->path(), result->attempt.outcome,
                   result->asked_to_pause};
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
    SayNotes({"--power-cap: the run has a part of " + gpu.device +
              ", and a limit would hold for all of it, so it is left alone"});
    return std::nullopt;
  }
  return terms;
}

// Records in the run that the program could not be started.
Status Session::NotStarted(int attempt_number, const Error& error) {
  core::Attempt attempt;
  attempt.number = attempt_number;
  attempt.wall = {wall_.Now(), wall_.Now()};
  attempt.grid = surroundings_->clock.ToGrid(attempt.wall);
  attempt.outcome = core::AttemptOutcome::kNotStarted;
  attempt.exit_code = static_cast<int>(error.code);
  log_->Write("not started: " + error.Message());
  EBB_RETURN_IF_ERROR(directory_->BeginAttempt(attempt));
  EBB_RETURN_IF_ERROR(directory_->EndAttempt(attempt));
  return Close();
}

// Closes a run that has nothing to summarize.
Status Session::Close() {
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory_->path()));
  EBB_RETURN_IF_ERROR(StoreSurroundings(*directory_, *surroundings_, run));
  return report::SealRun(directory_->path(), wall_.Now());
}

// The run is read once, and everything is derived from that.
Result<report::Summary> Session::Finish() {
  std::vector<std::string> notices;
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory_->path(), &notices));
  EBB_RETURN_IF_ERROR(StoreSurroundings(*directory_, *surroundings_, run));
  EBB_RETURN_IF_ERROR(StoreOutlook(directory_->path(), *surroundings_, run));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(directory_->path(), std::move(run)));
  SayNotes(notices);
  SayNotes(PublishEmissions(options_, views.record, views.summary, directory_->path()));
  display_->ShowSummary(views.record, views.summary, directory_->path().string());
  return views.summary;
}

Error Session::ShowUnwritten(const core::Attempt& attempt,
                             const std::vector<core::LedgerRow>& unstored, Error error) {
  const std::string directory = directory_->path().string();
  display_->Say(EndText(attempt) + "; its figures could not be written to " + directory +
                ". This is what was measured:");
  if (auto run = report::ReadRun(directory_->path())) {
    run->ledger.insert(run->ledger.end(), unstored.begin(), unstored.end());
    std::erase_if(run->attempts,
                  [&](const core::Attempt& each) { return each.number == attempt.number; });
    run->attempts.push_back(attempt);
    if (auto signal = surroundings_->feed->Settled(SettledAround(*run, wall_.Now())))
      run->signal = *std::move(signal);
    display_->ShowSummary(*run, report::Summarise(*run), directory);
  }
  error.what = EndText(attempt) + ", but its figures could not be written: " + error.what;
  error.next =
      "make room on the disk, then write the figures that were kept: ebb summary " + directory;
  return error;
}

void Session::SayNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    log_->Write("note: " + note);
    display_->Say("note: " + note);
  }
}

// Reports the error of a source that still fails, as a sentence for the user.
void Session::SayWhyUnknown() {
  const auto view = surroundings_->feed->Observe(surroundings_->clock.Now(), Duration::zero());
  if (!view) SayNotes({"the carbon intensity is not known: " + view.error().Message()});
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
