#include "local/process/measured_process.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include "local/process/attempt_outcome.h"
#include "local/process/grid_file.h"
#include "local/process/job_budget.h"
#include "local/process/observed_feed.h"
#include "local/readings/reading_queue.h"
#include "local/readings/row_buffer.h"
#include "runtime/clock_watch.h"

namespace ebb::local {
struct MeasuredProcess::State {
  State(const AttemptOptions& options, std::unique_ptr<ProgramMeter> program_meter,
        runtime::SignalFeed& signal, const runtime::GridClock& grid_clock,
        AttemptObserver& attempt_observer)
      : meter(std::move(program_meter)),
        clock(grid_clock),
        observer(attempt_observer),
        accountant(signal, grid_clock, options.number, options.pue, options.other_feed),
        buffer([this](std::span<const core::LedgerRow> rows) { return observer.OnRows(rows); }) {
    if (!options.directory.empty() && !options.child.argv.empty())
      grid_file.emplace(options.directory / kGridFile, signal, grid_clock, options.pue);
    const Time now = grid_clock.Now();
    feeds.emplace_back(signal, signal.NextChange(now));
    if (options.other_feed)
      feeds.emplace_back(*options.other_feed, options.other_feed->NextChange(now));
    if (!options.budget) return;
    runtime::BudgetWatch::Terms terms = *options.budget;
    terms.attempt = options.number;
    terms.pue = options.pue;
    terms.sample_interval = options.sampler.interval;
    budget.emplace(std::move(terms));
  }

  void WatchBudget();
  void Obey(const runtime::BudgetStep& step);

  ReadingQueue queue;                     // outlives the meter, whose thread fills it
  std::unique_ptr<PowerControl> power;    // null: the power is left alone
  std::unique_ptr<meter::Cgroup> cgroup;  // outlives the meter as well; null: none
  std::unique_ptr<ProgramMeter> meter;
  std::vector<ObservedFeed> feeds;
  const runtime::GridClock& clock;
  AttemptObserver& observer;
  runtime::Accountant accountant;
  RowBuffer buffer;
  std::optional<platform::ChildProcess> child;
  core::Attempt attempt;
  Duration since_boot{};                     // when the process began
  std::optional<runtime::ClockWatch> watch;  // watches the clock that the readings are on
  meter::SamplerSummary summary;
  std::optional<GridFile> grid_file;  // absent: there is no program, or no directory for it
  std::optional<runtime::BudgetWatch> budget;
  std::optional<Time> budget_looked_until;
};

void MeasuredProcess::State::WatchBudget() {
  if (!budget) return;
  if (const auto until = accountant.measured_until(); until && until != budget_looked_until) {
    budget_looked_until = until;
    Obey(budget->OnSample(BudgetSampleOf(accountant, clock, attempt.wall.begin)));
  }
  const Time now = clock.wall().Now();
  Obey(budget->OnTime(clock.wall().SinceBoot(), now, clock.ToGrid(now)));
}

void MeasuredProcess::State::Obey(const runtime::BudgetStep& step) {
  if (child && step.order == runtime::BudgetOrder::kAskToEnd) child->SendSignal(SIGTERM);
  if (child && step.order == runtime::BudgetOrder::kKill) child->SendSignal(SIGKILL);
  for (const core::BudgetEvent& event : step.events) observer.OnBudget(event);
}

MeasuredProcess::MeasuredProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
MeasuredProcess::~MeasuredProcess() = default;

Result<std::unique_ptr<MeasuredProcess>> MeasuredProcess::Start(const AttemptOptions& options,
                                                                std::unique_ptr<ProgramMeter> meter,
                                                                runtime::SignalFeed& feed,
                                                                const runtime::GridClock& clock,
                                                                AttemptObserver& observer) {
  auto state = std::make_unique<State>(options, std::move(meter), feed, clock, observer);
  if (options.power)
    state->power = std::make_unique<PowerControl>(AttemptPaths{options.directory, options.number},
                                                  *options.power, clock.wall().Now());
  pid_t root = options.running_root;
  if (!options.child.argv.empty()) {
    platform::ChildOptions child_options = options.child;
    // A machine is measured as a whole, without attribution to the program.
    if (options.sampler.scope == core::MeterScope::kProcessTree)
      state->cgroup = meter::Cgroup::Create(options.sampler.proc_root);
    if (state->cgroup) child_options.cgroup_procs = state->cgroup->procs_file();
    if (state->grid_file) state->grid_file->Look();
    EBB_ASSIGN_OR_RETURN(platform::ChildProcess child,
                         platform::ChildProcess::Start(child_options));
    root = child.pid();
    state->child.emplace(std::move(child));
  }
  state->meter->Start(root, state->cgroup.get(),
                      [&queue = state->queue](std::vector<core::EnergyReading> readings) {
                        queue.Push(std::move(readings));
                      });
  const Time began = clock.wall().Now();
  state->since_boot = clock.wall().SinceBoot();
  state->watch.emplace(clock.wall(), runtime::ClockWatchOptions(), began, state->since_boot);
  state->attempt.number = options.number;
  state->attempt.wall = {began, began};
  state->attempt.grid = clock.ToGrid(state->attempt.wall);
  if (auto begun = observer.OnBegin(state->attempt); !begun) {
    if (state->child) state->child->SendSignal(SIGTERM);
    return Fail(begun.error());
  }
  return std::unique_ptr<MeasuredProcess>(new MeasuredProcess(std::move(state)));
}

platform::ChildProcess& MeasuredProcess::child() { return *state_->child; }
const meter::Cgroup* MeasuredProcess::cgroup() const { return state_->cgroup.get(); }

LiveFigures MeasuredProcess::figures() const {
  const runtime::Accountant& accountant = state_->accountant;
  return {state_->clock.wall().SinceBoot() - state_->since_boot, accountant.energy(),
          accountant.emissions(), accountant.power()};
}

core::BudgetUse MeasuredProcess::use() const { return state_->accountant.use(); }

void MeasuredProcess::Tick() {
  if (const auto step = state_->watch->TakeStep())
    state_->accountant.FollowClock(step->to - step->from);
  const Time grid_now = state_->clock.Now();
  for (ObservedFeed& feed : state_->feeds) feed.KeepUp(grid_now);
  const std::vector<core::EnergyReading> readings = state_->queue.Take();
  if (state_->power) {
    state_->power->Push(readings);
    state_->power->Look(state_->clock.wall().Now());
  }
  state_->buffer.Offer(state_->accountant.Add(readings));
  if (state_->grid_file) state_->grid_file->Look();
  state_->WatchBudget();
  if (state_->observer.OnTick(figures())) state_->meter->Mark();
}

void MeasuredProcess::StopMeasuring() {
  state_->summary = state_->meter->Stop();
  state_->buffer.Offer(state_->accountant.Add(state_->queue.Take()));
  state_->buffer.Offer(state_->accountant.Flush());
}

AttemptResult MeasuredProcess::Finish(const platform::ExitStatus& status) {
  core::Attempt attempt = state_->attempt;
  const meter::Utilisation& mean = state_->summary.mean;
  attempt.wall.end = std::max(mean.wall.end, attempt.wall.begin);
  attempt.grid = state_->accountant.ToGrid(attempt.wall);
  const bool budget_stopped_it = state_->budget && state_->budget->asked_to_end() &&
                                 state_->budget->action() == core::BudgetAction::kStop;
  attempt.outcome = OutcomeOf(status);
  if (budget_stopped_it && attempt.outcome != core::AttemptOutcome::kDone)
    attempt.outcome = core::AttemptOutcome::kStoppedByBudget;
  attempt.exit_code = status.code;
  attempt.cpu_utilisation_percent = mean.cpu_percent;
  attempt.ram_used_gb = mean.ram_gb;
  attempt.gpu_utilisation_percent = mean.gpu_percent;
  AttemptResult result{attempt, state_->summary.warnings,
                       state_->child && state_->child->asked_to_pause()};
  if (state_->power)
    for (std::string& note : state_->power->End()) result.warnings.push_back(std::move(note));
  if (auto warning = state_->buffer.Warning()) result.warnings.push_back(*warning);
  return result;
}

}  // namespace ebb::local
