#pragma once
// Accounts for the energy of an attempt where it is measured (supervisor.h), while the service may
// be away. The budget of the job and an observer of the attempt need it. The service accounts for
// the same readings in its ledger (supervised_program.h).
//
// A reading waits up to half a minute for the intensity of its time to become known; a budget
// counts it meanwhile.
//
// Thread contract: one thread, except Push.

#include <deque>
#include <optional>
#include <vector>

#include "local/process/job_budget.h"
#include "local/process/measured_process.h"
#include "local/process/observed_feed.h"
#include "local/readings/reading_queue.h"
#include "runtime/accountant.h"
#include "runtime/clock_watch.h"

namespace ebb::local {

struct AccountOptions {
  runtime::SignalFeed& feed;
  ObservedFeed& observed;  ///< keeps the same feed up to date
  const runtime::GridClock& clock;
  AttemptObserver* observer = nullptr;     ///< null: no observer
  std::optional<JobBudget::Terms> budget;  ///< nothing: no budget
  int attempt = 1;
  Pue pue;
};

class AttemptAccount {
 public:
  explicit AttemptAccount(AccountOptions options);

  void Push(std::vector<core::EnergyReading> readings) { queue_.Push(std::move(readings)); }
  /// Call it when the program has been started.
  void Begin(Time wall);
  /// Accounts for the readings since the last call. Returns the order of the budget.
  runtime::BudgetOrder Tick();
  /// Accounts for the remaining readings; call it after the last Push.
  void Finish();
  /// Tells if the budget asked the attempt to end.
  bool asked_to_end() const { return budget_ && budget_->asked_to_end(); }

 private:
  void Account(bool all);
  bool IsKnownAt(Time wall) const;
  runtime::BudgetSample SampleNow() const;

  AccountOptions options_;
  ReadingQueue queue_;
  struct Waiting {
    core::EnergyReading reading;
    Duration since_boot{};  // when the reading came
  };
  std::deque<Waiting> waiting_;  // in order
  runtime::Accountant accountant_;
  std::optional<JobBudget> budget_;
  core::Attempt begun_;
  Duration begun_since_boot_{};
  std::optional<runtime::ClockWatch> watch_;  // watches the clock that the readings are on
};

}  // namespace ebb::local
