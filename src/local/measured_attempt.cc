#include "local/measured_attempt.h"

#include <algorithm>
#include <csignal>
#include <mutex>

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

core::AttemptOutcome OutcomeOf(const platform::ExitStatus& status) {
  if (status.by_signal) return core::AttemptOutcome::kKilled;
  if (status.code == 0) return core::AttemptOutcome::kDone;
  return status.code == kPausedExitCode ? core::AttemptOutcome::kPaused
                                        : core::AttemptOutcome::kFailed;
}

Time WallNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

LiveFigures Figures(const runtime::Accountant& accountant, Time began) {
  return {WallNow() - began, accountant.energy(), accountant.emissions(), accountant.power()};
}

}  // namespace

Result<AttemptResult> RunAttempt(const AttemptOptions& options,
                                 std::vector<std::unique_ptr<meter::Meter>> meters,
                                 runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                 platform::ProcessSignals& signals, AttemptObserver& observer) {
  ReadingQueue queue;
  meter::Sampler sampler(std::move(meters), options.sampler,
                         [&queue](std::vector<core::EnergyReading> readings, meter::Utilisation) {
                           queue.Push(std::move(readings));
                         });
  EBB_ASSIGN_OR_RETURN(platform::ChildProcess child, platform::ChildProcess::Start(options.child));
  sampler.Start({child.pid()});

  core::Attempt attempt;
  attempt.number = options.number;
  const Time began = WallNow();
  attempt.wall = {began, began};
  attempt.grid = clock.ToGrid(attempt.wall);
  if (auto begun = observer.OnBegin(attempt); !begun) {
    child.SendSignal(SIGTERM);
    return Fail(begun.error());
  }

  runtime::Accountant accountant(feed, clock, options.number, options.pue);
  RowKeeper keeper(observer);
  std::optional<platform::ExitStatus> status;
  Time next_observation = feed.NextChange(attempt.grid.begin);
  while (!status) {
    status = child.Wait(signals, options.tick);
    // A live source is asked once per new value, so that accounting has what the grid did
    // meanwhile; a failure leaves a gap in the signal and is asked again when the feed says so.
    if (const Time grid_now = clock.Now(); grid_now >= next_observation) {
      std::ignore = feed.Observe(grid_now, Duration::zero());
      next_observation = feed.NextChange(grid_now);
    }
    keeper.Offer(accountant.Add(queue.Take()));
    if (observer.OnTick(Figures(accountant, began))) sampler.Mark();
  }
  const meter::SamplerSummary summary = sampler.Stop();
  keeper.Offer(accountant.Add(queue.Take()));
  keeper.Offer(accountant.Flush());

  attempt.wall.end = std::max(summary.mean.wall.end, began);
  attempt.grid = clock.ToGrid(attempt.wall);
  attempt.outcome = OutcomeOf(*status);
  attempt.exit_code = status->code;
  attempt.cpu_utilisation_percent = summary.mean.cpu_percent;
  attempt.ram_used_gb = summary.mean.ram_gb;
  attempt.gpu_utilisation_percent = summary.mean.gpu_percent;
  AttemptResult result{attempt, summary.warnings};
  if (auto warning = keeper.Warning()) result.warnings.push_back(*warning);
  return result;
}

}  // namespace ebb::local
