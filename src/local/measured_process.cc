#include "local/measured_process.h"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <optional>

#include "local/training_contract.h"

namespace ebb::local {
namespace {

// Readings on their way from the sampler's thread to ours.
class ReadingQueue {
 public:
  void Push(std::vector<core::EnergyReading> readings) {
    const std::lock_guard lock(mutex_);
    readings_.insert(readings_.end(), std::make_move_iterator(readings.begin()),
                     std::make_move_iterator(readings.end()));
  }
  std::vector<core::EnergyReading> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(readings_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<core::EnergyReading> readings_;
};

// Keeps rows that could not be stored (a full disk) until they can.
class RowKeeper {
 public:
  explicit RowKeeper(AttemptObserver& observer) : observer_(observer) {}

  void Offer(std::vector<core::LedgerRow> rows) {
    unkept_.insert(unkept_.end(), std::make_move_iterator(rows.begin()),
                   std::make_move_iterator(rows.end()));
    if (unkept_.empty()) return;
    const Status kept = observer_.OnRows(unkept_);
    if (kept)
      unkept_.clear();
    else
      last_error_ = kept.error().Message();
  }
  std::optional<std::string> Warning() const {
    if (unkept_.empty()) return std::nullopt;
    return std::to_string(unkept_.size()) + " ledger rows could not be stored: " + last_error_;
  }

 private:
  AttemptObserver& observer_;
  std::vector<core::LedgerRow> unkept_;
  std::string last_error_;
};

// A live source is asked once per new value, so that accounting has what the grid did meanwhile; a
// failure leaves a gap in the signal and is asked again when the feed says so.
struct ObservedFeed {
  std::reference_wrapper<runtime::SignalFeed> feed;
  Time next{};

  void KeepUp(Time grid_now) {
    if (grid_now < next) return;
    std::ignore = feed.get().Observe(grid_now, Duration::zero());
    next = feed.get().NextChange(grid_now);
  }
};

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status, bool budget_stopped_it) {
  if (budget_stopped_it && (status.by_signal || status.code != 0))
    return core::AttemptOutcome::kStoppedByBudget;
  if (status.by_signal) return core::AttemptOutcome::kKilled;
  if (status.code == 0) return core::AttemptOutcome::kDone;
  return status.code == kPausedExitCode ? core::AttemptOutcome::kPaused
                                        : core::AttemptOutcome::kFailed;
}

Time WallNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

}  // namespace

struct MeasuredProcess::State {
  State(const AttemptOptions& options, std::vector<std::unique_ptr<meter::Meter>> meters,
        runtime::SignalFeed& signal, const runtime::GridClock& grid_clock,
        AttemptObserver& attempt_observer)
      : sampler(std::move(meters), options.sampler,
                [this](std::vector<core::EnergyReading> readings, meter::Utilisation) {
                  queue.Push(std::move(readings));
                }),
        clock(grid_clock),
        observer(attempt_observer),
        accountant(signal, grid_clock, options.number, options.pue, options.other_feed),
        keeper(attempt_observer) {
    feeds.push_back({signal});
    if (options.other_feed) feeds.push_back({*options.other_feed});
    if (!options.budget) return;
    runtime::BudgetWatch::Terms terms = *options.budget;
    terms.attempt = options.number;
    terms.pue = options.pue;
    terms.sample_interval = options.sampler.interval;
    budget.emplace(std::move(terms));
  }

  void WatchBudget();
  void Obey(const runtime::BudgetStep& step);

  ReadingQueue queue;  // outlives the sampler, whose thread fills it
  meter::Sampler sampler;
  std::vector<ObservedFeed> feeds;
  const runtime::GridClock& clock;
  AttemptObserver& observer;
  runtime::Accountant accountant;
  RowKeeper keeper;
  std::optional<platform::ChildProcess> child;
  core::Attempt attempt;
  meter::SamplerSummary summary;
  std::optional<runtime::BudgetWatch> budget;
  std::optional<Time> budget_looked_until;
};

void MeasuredProcess::State::WatchBudget() {
  if (!budget) return;
  if (const auto until = accountant.measured_until(); until && until != budget_looked_until) {
    budget_looked_until = until;
    const double seconds = Seconds(*until - attempt.wall.begin);
    const double mean_w = seconds > 0 ? accountant.energy().joules() / seconds : 0;
    Obey(budget->OnSample({*until,
                           clock.ToGrid(*until),
                           accountant.use(),
                           {std::max(mean_w, accountant.power().watts)},
                           accountant.latest_intensity()}));
  }
  const Time now = WallNow();
  Obey(budget->OnTime(now, clock.ToGrid(now)));
}

void MeasuredProcess::State::Obey(const runtime::BudgetStep& step) {
  if (child && step.order == runtime::BudgetOrder::kAskToEnd) child->SendSignal(SIGTERM);
  if (child && step.order == runtime::BudgetOrder::kKill) child->SendSignal(SIGKILL);
  for (const core::BudgetEvent& event : step.events) observer.OnBudget(event);
}

MeasuredProcess::MeasuredProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
MeasuredProcess::~MeasuredProcess() = default;

Result<std::unique_ptr<MeasuredProcess>> MeasuredProcess::Start(
    const AttemptOptions& options, std::vector<std::unique_ptr<meter::Meter>> meters,
    runtime::SignalFeed& feed, const runtime::GridClock& clock, AttemptObserver& observer) {
  auto state = std::make_unique<State>(options, std::move(meters), feed, clock, observer);
  std::vector<pid_t> roots;
  if (!options.child.argv.empty()) {
    EBB_ASSIGN_OR_RETURN(platform::ChildProcess child,
                         platform::ChildProcess::Start(options.child));
    roots = {child.pid()};
    state->child.emplace(std::move(child));
  }
  state->sampler.Start(std::move(roots));
  const Time began = WallNow();
  state->attempt.number = options.number;
  state->attempt.wall = {began, began};
  state->attempt.grid = clock.ToGrid(state->attempt.wall);
  if (auto begun = observer.OnBegin(state->attempt); !begun) {
    if (state->child) state->child->SendSignal(SIGTERM);
    return Fail(begun.error());
  }
  for (ObservedFeed& observed : state->feeds)
    observed.next = observed.feed.get().NextChange(state->attempt.grid.begin);
  return std::unique_ptr<MeasuredProcess>(new MeasuredProcess(std::move(state)));
}

platform::ChildProcess& MeasuredProcess::child() { return *state_->child; }

LiveFigures MeasuredProcess::figures() const {
  const runtime::Accountant& accountant = state_->accountant;
  return {WallNow() - state_->attempt.wall.begin, accountant.energy(), accountant.emissions(),
          accountant.power()};
}

void MeasuredProcess::Tick() {
  const Time grid_now = state_->clock.Now();
  for (ObservedFeed& feed : state_->feeds) feed.KeepUp(grid_now);
  state_->keeper.Offer(state_->accountant.Add(state_->queue.Take()));
  state_->WatchBudget();
  if (state_->observer.OnTick(figures())) state_->sampler.Mark();
}

void MeasuredProcess::StopMeasuring() {
  state_->summary = state_->sampler.Stop();
  state_->keeper.Offer(state_->accountant.Add(state_->queue.Take()));
  state_->keeper.Offer(state_->accountant.Flush());
}

AttemptResult MeasuredProcess::Finish(const platform::ExitStatus& status) {
  core::Attempt attempt = state_->attempt;
  const meter::Utilisation& mean = state_->summary.mean;
  attempt.wall.end = std::max(mean.wall.end, attempt.wall.begin);
  attempt.grid = state_->clock.ToGrid(attempt.wall);
  const bool budget_stopped_it = state_->budget && state_->budget->asked_to_end() &&
                                 state_->budget->action() == core::BudgetAction::kStop;
  attempt.outcome = OutcomeOf(status, budget_stopped_it);
  attempt.exit_code = status.code;
  attempt.cpu_utilisation_percent = mean.cpu_percent;
  attempt.ram_used_gb = mean.ram_gb;
  attempt.gpu_utilisation_percent = mean.gpu_percent;
  AttemptResult result{attempt, state_->summary.warnings};
  if (auto warning = state_->keeper.Warning()) result.warnings.push_back(*warning);
  return result;
}

}  // namespace ebb::local
