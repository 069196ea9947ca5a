#pragma once
// The budget of a job of the service, over all its attempts: watches what each has used
// (runtime/budget_watch.h) and remembers beside the job what was said already, so that a crossing
// acts once, whoever is killed in between. Private to local/.
//
// While no service runs, nobody watches: the next one acts at its first look.

#include <filesystem>
#include <vector>

#include "platform/file.h"
#include "runtime/accountant.h"
#include "runtime/budget_watch.h"

namespace ebb::local {

class JobBudget {
 public:
  struct Terms {
    core::Budget budget;
    core::BudgetUse used_before;  ///< in the store: earlier attempts, and this one's earlier part
    std::filesystem::path directory;  ///< of the job
    int attempt = 1;
    Pue pue;
    Duration sample_interval{1000};
  };
  explicit JobBudget(Terms terms);

  /// After new readings, and now and then. `wall_begin`: of the attempt.
  runtime::BudgetStep Look(const runtime::Accountant& accountant, const runtime::GridClock& clock,
                           Time wall_begin, Time wall_now);
  /// What it was stopped for; nothing before that.
  const std::optional<core::BudgetEvent>& reached() const { return reached_; }

 private:
  void Take(const runtime::BudgetStep& more, runtime::BudgetStep& step);

  std::filesystem::path file_;
  runtime::BudgetWatch watch_;
  std::optional<Time> looked_until_;
  std::optional<core::BudgetEvent> reached_;
};

}  // namespace ebb::local
