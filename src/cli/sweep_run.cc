#include "cli/sweep_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "cli/flag_values.h"
#include "cli/run_files.h"
#include "cli/sweep_budgets.h"
#include "cli/sweep_devices.h"
#include "cli/sweep_display.h"
#include "cli/sweep_engine.h"
#include "cli/sweep_report_data.h"
#include "cli/sweep_stored.h"
#include "cli/trainer_command.h"
#include "engine/journal_json.h"
#include "local/kept_pools.h"
#include "meter/cgroup.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "report/sweep_report.h"
#include "runtime/run_loop.h"
#include "signals/make_feed.h"
#include "store/journal_file.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeFailed = 1;

Power PowerOf(const std::vector<local::RunningJob>& running) {
  Power power;
  for (const local::RunningJob& job : running) power.watts += job.figures.power.watts;
  return power;
}

class SweepSession {
 public:
  /// `budget`: of each experiment.
  SweepSession(SweepRunRequest request, config::SweepConfig config, const core::Budget& budget,
               RunOptions options, SweepPaths paths)
      : request_(std::move(request)),
        sweep_(std::move(config.sweep)),
        budget_(budget),
        options_(std::move(options)),
        paths_(std::move(paths)),
        wall_(signals_) {}

  Result<int> Run(bool continued);

 private:
  Status MakeEngine(bool continued);
  Status OpenClock();
  std::vector<core::Job> NewJobs() const;
  core::RunSpec CommonSpec() const;
  Status AddJobs(local::LocalExecutor& executor) const;
  local::LocalExecutorOptions ExecutorOptions(const Devices& devices) const;
  Result<int> RunLoop(const Devices& devices);
  Status OpenWholeBudget(const SweepRecords::Say& say);
  bool UsedUp() const;
  bool OnlyHeldAreLeft() const;
  int WantsMore(const std::string& why, const std::string& flag) const;
  std::string SameCommand() const;
  int Stopped() const;
  Result<int> Finish();

  SweepRunRequest request_;
  sweep::Sweep sweep_;
  core::Budget budget_;
  std::optional<SweepBudget> whole_budget_;
  RunOptions options_;
  SweepPaths paths_;
  platform::ProcessSignals signals_;
  platform::SystemClock wall_;
  std::unique_ptr<runtime::SignalFeed> feed_;
  std::optional<prices::PriceSource> prices_;
  std::unique_ptr<engine::Engine> engine_;
  std::optional<runtime::GridClock> clock_;
  Time submitted_{};
};

Status SweepSession::MakeEngine(bool continued) {
  const Time now = options_.scheduler.clock.start.value_or(wall_.Now());
  EBB_ASSIGN_OR_RETURN(auto made, MakeSweepEngine(request_.policy, options_.scheduler.prices, now));
  engine_ = std::move(made.engine);
  prices_ = std::move(made.prices);
  if (!continued) return {};
  EBB_ASSIGN_OR_RETURN(const auto records, store::ReadJournal(paths_.journal()));
  return engine::Replay(records, *engine_);
}

// A replayed grid clock stands still while nobody looks at it.
Status SweepSession::OpenClock() {
  EBB_RETURN_IF_ERROR(ValidateSignal(options_));
  EBB_RETURN_IF_ERROR(CheckTrackers(options_.tracking));
  const auto stop_asked = [this] { return wall_.StopAsked(); };
  EBB_ASSIGN_OR_RETURN(feed_,
                       signals::MakeFeed(options_.scheduler.signal, platform::HttpGet, stop_asked));
  if (wall_.stop_signal())
    return Fail({ExitCode::kTryLater, "stopped before anything was started", "",
                 "the same command continues"});
  const Time begin = options_.scheduler.clock.start.value_or(wall_.Now());
  const Time left_off = engine_->state().now;
  clock_.emplace(wall_, ClockSettings(options_.scheduler.clock, std::max(begin, left_off)));
  const Time now = clock_->Now();
  EBB_RETURN_IF_ERROR(signals::CheckCoverage(*feed_, {now, now + Duration{1}}));
  submitted_ = options_.scheduler.clock.start.value_or(now);
  for (const auto& live : engine_->state().live) submitted_ = live->job.submitted;
  for (const auto& [job, held] : engine_->state().held) submitted_ = held->job.submitted;
  for (const auto& [job, ended] : engine_->state().ended) submitted_ = ended.submitted;
  return {};
}

// Those that the journal does not know.
std::vector<core::Job> SweepSession::NewJobs() const {
  std::vector<core::Job> jobs;
  for (const sweep::Experiment& experiment : sweep_.experiments) {
    const engine::State& state = engine_->state();
    if (state.FindLive(experiment.index) || state.FindHeld(experiment.index) ||
        state.FindEnded(experiment.index))
      continue;
    jobs.push_back(JobOf(sweep_, experiment, submitted_));
  }
  return jobs;
}

core::RunSpec SweepSession::CommonSpec() const {
  meter::MeterOptions machine = MeterOptionsFor(options_.metering);
  machine.scope = core::MeterScope::kMachine;
  meter::MeterSet meters = meter::MakeMeters(machine);
  meters.descriptions.push_back(std::string("usage: ") +
                                (meter::Cgroup::Permitted() ? "control groups" : "process trees") +
                                "; programs, idle and unattributed share what is read");
  core::RunSpec spec;
  spec.created_wall = wall_.Now();
  spec.policy = request_.policy;
  spec.submitted = submitted_;
  spec.clock = clock_->settings();
  spec.clock.begin = submitted_;
  spec.signal = feed_->identity();
  DescribeMetering(options_.metering, meters, spec);
  if (prices_) spec.prices = {prices_->identity(), options_.scheduler.prices.weight, std::nullopt};
  return spec;
}

Status SweepSession::AddJobs(local::LocalExecutor& executor) const {
  for (const sweep::Experiment& experiment : sweep_.experiments) {
    auto submission = std::make_shared<core::Submission>();
    submission->job = JobOf(sweep_, experiment, submitted_);
    submission->command = experiment.command;
    if (submission->command.front() == "ebb-train") submission->command.front() = TrainerProgram();
    submission->budget = budget_;
    submission->run_limit = RunLimit(sweep_.traits, experiment);
    const std::filesystem::path directory = paths_.RunOf(experiment);
    EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
    EBB_RETURN_IF_ERROR(executor.Add({std::move(submission), directory}));
  }
  return {};
}

local::LocalExecutorOptions SweepSession::ExecutorOptions(const Devices& devices) const {
  local::LocalExecutorOptions options;
  options.cluster = devices.cluster;
  options.gpus = devices.gpus;
  options.meters = MeterOptionsFor(options_.metering);
  options.sampler.interval = options_.metering.interval;
  if (options_.metering.share_idle) options.idle = meter::IdleRule::kShare;
  // A budget looks ahead by one sample: none waits longer than that to be counted.
  options.tick = std::min(options_.metering.interval, Duration{250});
  return options;
}

Result<int> SweepSession::RunLoop(const Devices& devices) {
  SweepDisplay display(sweep_, *engine_, ModeFor(options_.quiet));
  const auto say = [&](const std::string& line) { display.Say(line); };
  display.Say(sweep_.name + ": " + std::to_string(sweep_.experiments.size()) + " experiments on " +
              Describe(devices.cluster) + ", policy " + request_.policy + ", " +
              signals::Describe(feed_->identity()));
  if (const config::PriceConfig& prices = options_.scheduler.prices; prices.weight > 0)
    display.Say("decided by carbon and price, the price with weight " + FormatExact(prices.weight) +
                ": " + prices.path);
  for (const std::string& note : devices.notes) display.Say(note);
  if (!request_.grace.empty()) {
    EBB_ASSIGN_OR_RETURN(budget_.grace, DurationOf("--grace", request_.grace));
  }
  SweepSubmissions submissions(NewJobs());
  EBB_RETURN_IF_ERROR(HoldOrRelease(paths_, sweep_, budget_, engine_->state(), submissions));
  EBB_RETURN_IF_ERROR(OpenWholeBudget(say));
  SweepRecords records(paths_, sweep_, {CommonSpec(), options_.tracking, budget_},
                       {*feed_, prices_}, say,
                       {[&](core::JobId job) { submissions.Wish(job, engine::Wish::kHold); },
                        [&](std::span<const core::LedgerRow> rows) {
                          if (whole_budget_) whole_budget_->Add(rows);
                        }});
  SweepProgress progress(paths_, sweep_, *engine_, submissions, *clock_, options_.metering.pue,
                         say);
  local::LocalExecutorOptions executor_options = ExecutorOptions(devices);
  executor_options.grace = budget_.grace;
  executor_options.budget = [&](core::JobId job) { return records.BudgetOf(job); };
  local::LocalExecutor* running = nullptr;
  executor_options.on_tick = [&] {
    progress.Poll();
    records.Tick();
    records.CloseEnded(engine_->state().ended);
    if (running) display.Draw(clock_->Now(), running->Running(), progress);
    if (running && whole_budget_) whole_budget_->Look(PowerOf(running->Running()), *clock_);
    return submissions.pending() || UsedUp();
  };
  local::LocalExecutor executor(executor_options, *feed_, *clock_, signals_, records);
  running = &executor;
  EBB_RETURN_IF_ERROR(AddJobs(executor));
  EBB_ASSIGN_OR_RETURN(store::JournalFile journal, store::JournalFile::Open(paths_.journal()));
  const auto interrupted = [&] {
    return executor.stop_signal().has_value() || UsedUp() ||
           (submissions.closed() && OnlyHeldAreLeft());
  };
  const runtime::LoopPorts ports{executor, {feed_.get()}, submissions,
                                 &journal, &display,      interrupted};
  const auto result = runtime::Run(*engine_, ports, {});
  if (executor.stop_signal())
    display.Say("asked to stop: pausing what runs (again: at once, without waiting)");
  executor.PauseAll();
  records.WaitForTrackers();
  records.CloseEnded(engine_->state().ended);
  records.WaitForTrackers();
  display.Finish();
  if (!result) return Fail(result.error());
  if (result->interrupted && executor.stop_signal()) return Stopped();
  return Finish();
}

// One that is done stays done.
Status SweepSession::OpenWholeBudget(const SweepRecords::Say& say) {
  EBB_ASSIGN_OR_RETURN(const core::Budget budget, WholeBudget(request_.budgets));
  if (budget.empty() || (engine_->state().idle() && NewJobs().empty())) return {};
  EBB_ASSIGN_OR_RETURN(
      SweepBudget opened,
      SweepBudget::Open(paths_, sweep_, {budget, options_.metering.pue, options_.metering.interval},
                        say));
  whole_budget_.emplace(std::move(opened));
  return {};
}

bool SweepSession::UsedUp() const { return whole_budget_ && whole_budget_->used_up(); }

bool SweepSession::OnlyHeldAreLeft() const {
  const engine::State& state = engine_->state();
  return state.live.empty() && !state.held.empty();
}

std::string SweepSession::SameCommand() const {
  return "ebb sweep run " + request_.file +
         (options_.run_dir.empty() ? "" : " --run-dir " + options_.run_dir);
}

int SweepSession::Stopped() const {
  if (!options_.quiet) std::fprintf(stderr, "stopped. Continue with: %s\n", SameCommand().c_str());
  return static_cast<int>(ExitCode::kTryLater);
}

int SweepSession::WantsMore(const std::string& why, const std::string& flag) const {
  if (!options_.quiet)
    std::fprintf(stderr, "%s. Continue with a larger one: %s %skwh KWH (or %sg GRAMS)\n",
                 why.c_str(), SameCommand().c_str(), flag.c_str(), flag.c_str());
  return static_cast<int>(ExitCode::kTryLater);
}

Result<int> SweepSession::Finish() {
  EBB_ASSIGN_OR_RETURN(const report::SweepReport report, ReadSweepReport(paths_.directory));
  if (options_.json)
    std::fputs(report::SweepJson(report).c_str(), stdout);
  else if (!options_.quiet)
    std::fprintf(stderr, "\n%s  kept in  %s\n", report::SweepText(report).c_str(),
                 paths_.directory.c_str());
  const engine::State& state = engine_->state();
  if (UsedUp() && !state.idle())
    return WantsMore("stopped by the budget of the sweep", "--sweep-budget-");
  if (!state.held.empty())
    return WantsMore("held by their budget: " + std::to_string(state.held.size()), "--budget-");
  const bool failed = std::any_of(state.ended.begin(), state.ended.end(), [](const auto& job) {
    return job.second.stage == engine::Stage::kFailed;
  });
  return failed ? kSomeFailed : 0;
}

Result<int> SweepSession::Run(bool continued) {
  EBB_RETURN_IF_ERROR(MakeEngine(continued));
  EBB_RETURN_IF_ERROR(OpenClock());
  EBB_ASSIGN_OR_RETURN(
      Devices devices,
      MakeDevices({request_.slots, request_.gpus, options_.metering.own_profiles,
                   local::HasGpuPools(engine_->state().cluster)},
                  sweep_.traits.devices, {"here", feed_->identity().zone, options_.metering.pue}));
  local::KeepPools(engine_->state().cluster, devices.cluster, devices.gpus);
  if (!continued) {
    EBB_RETURN_IF_ERROR(CheckFeasible(NewJobs(), devices.cluster, submitted_));
    EBB_RETURN_IF_ERROR(StoreSweep(sweep_, request_, options_, paths_));
  }
  return RunLoop(devices);
}

}  // namespace

std::string SweepDirectory(const RunOptions& options, const std::string& name) {
  if (!options.run_dir.empty()) return options.run_dir;
  return (fs::path(options.output_dir) / ("sweep-" + name)).string();
}

Result<int> RunSweep(const SweepRunRequest& given) {
  EBB_ASSIGN_OR_RETURN(config::SweepConfig config, config::LoadSweepConfig(given.file));
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(given.flags, options));
  const SweepPaths paths{SweepDirectory(options, config.sweep.name)};
  SweepRunRequest request = given;
  request.policy = plan::PolicyNameOf(given.policy);
  const bool continued = fs::exists(paths.sweep_file());
  if (continued) {
    EBB_RETURN_IF_ERROR(CheckSameSweep(paths, config.sweep));
    EBB_ASSIGN_OR_RETURN(request, WithStoredFlags(request, paths));
    options = {};
    EBB_RETURN_IF_ERROR(ApplyFlags(request.flags, options));
    options.run_dir = paths.directory.string();
  }
  if (request.policy.empty()) request.policy = "planner";
  EBB_ASSIGN_OR_RETURN(const core::Budget budget,
                       ExperimentBudget(config.sweep.traits, request.budgets));
  EBB_RETURN_IF_ERROR(WholeBudget(request.budgets));
  if (continued && !given.budgets.empty()) EBB_RETURN_IF_ERROR(StoreBudgets(request, paths));
  if (options.metering.scope == core::MeterScope::kMachine)
    return Fail({ExitCode::kUsage, "--scope machine would charge each run of a sweep the machine",
                 "", "leave it out: the report has what the machine used beside its runs"});
  return SweepSession(std::move(request), std::move(config), budget, std::move(options), paths)
      .Run(continued && fs::exists(paths.journal()));
}

}  // namespace ebb::cli
