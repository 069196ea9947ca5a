#pragma once
// What an attempt uses, accounted where it is measured (supervisor.h), while the service may be
// away: for the budget of the job, and for whoever follows the attempt. The service accounts for
// the same readings in its ledger (supervised_program.h).
//
// A reading waits up to half a minute for the intensity of its time to become known; a budget
// counts it meanwhile.
//
// Thread contract: one thread, except Push.

#include <deque>
#include <optional>
#include <vector>

#include "local/job_budget.h"
#include "local/measured_process.h"
#include "local/observed_feed.h"
#include "local/reading_queue.h"
#include "runtime/accountant.h"
#include "runtime/clock_watch.h"

namespace ebb::local {

struct AccountOptions {
  runtime::SignalFeed& feed;
  const runtime::GridClock& clock;
  AttemptObserver* observer = nullptr;     ///< null: nobody follows
  std::optional<JobBudget::Terms> budget;  ///< nothing: none
  int attempt = 1;
  Pue pue;
};

class AttemptAccount {
 public:
  explicit AttemptAccount(AccountOptions options);

  void Push(std::vector<core::EnergyReading> readings) { queue_.Push(std::move(readings)); }
  /// The program has been started.
  void Begin(Time wall);
  /// Takes in what was measured since the last call. What the budget wants now.
  runtime::BudgetOrder Tick();
  /// After the last Push: the rest.
  void Finish();
  /// What its budget says of the attempt's end.
  bool asked_to_end() const { return budget_ && budget_->asked_to_end(); }

 private:
  void Account(bool all);
  bool IsKnownAt(Time wall) const;
  runtime::BudgetSample SampleNow() const;

  AccountOptions options_;
  ReadingQueue queue_;
  struct Waiting {
    core::EnergyReading reading;
    Duration since_boot{};  // when it came
  };
  std::deque<Waiting> waiting_;  // in order
  runtime::Accountant accountant_;
  std::optional<JobBudget> budget_;
  core::Attempt begun_;
  Duration begun_since_boot_{};
  std::optional<runtime::ClockWatch> watch_;  // of the clock that the readings are on
  ObservedFeed feed_;
};

}  // namespace ebb::local
