#pragma once
// The budget of a job of the service, over all its attempts. The supervisor of each attempt watches
// it (runtime/budget_watch.h), whether or not a service runs, and writes each crossing to a file
// beside the job, so that the budget acts once, even if a process is killed in between. The service
// reads that file. Private to local/.

#include <filesystem>
#include <optional>

#include "runtime/accountant.h"
#include "runtime/budget_watch.h"

namespace ebb::local {

/// Use of an attempt that began at `begin`, up to its latest reading; there must be one.
runtime::BudgetSample BudgetSampleOf(const runtime::Accountant& accountant,
                                     const runtime::GridClock& clock, Time begin);

/// A text such as "stopped by its budget of 2 kWh, 500 g".
std::string StoppedByText(const core::Budget& budget);

class JobBudget {
 public:
  struct Terms {
    core::Budget budget;
    core::BudgetUse used_before;      ///< by earlier attempts
    std::filesystem::path directory;  ///< directory of the job
    int attempt = 1;
    Pue pue;
    Duration sample_interval{1000};
  };
  explicit JobBudget(const Terms& terms);

  /// Checks the budget; call it after new readings, and regularly.
  runtime::BudgetStep Look(const runtime::BudgetSample& sample, const runtime::GridClock& clock);
  bool asked_to_end() const { return watch_.asked_to_end(); }

 private:
  void Take(const runtime::BudgetStep& more, runtime::BudgetStep& step);

  std::filesystem::path directory_;
  runtime::BudgetWatch watch_;
  std::optional<Time> looked_until_;
};

}  // namespace ebb::local
