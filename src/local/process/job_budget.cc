#include "local/process/job_budget.h"

#include <algorithm>

#include "base/text.h"
#include "local/files/attempt_files.h"

namespace ebb::local {
namespace {

runtime::BudgetWatch WatchFor(const JobBudget::Terms& terms) {
  return runtime::BudgetWatch({terms.budget, terms.used_before, ReadBudgetEvents(terms.directory),
                               terms.attempt, terms.pue, terms.sample_interval});
}

}  // namespace

runtime::BudgetSample BudgetSampleOf(const runtime::Accountant& accountant,
                                     const runtime::GridClock& clock, Time begin) {
  const Time until = accountant.measured_until().value_or(begin);
  const double seconds = Seconds(until - begin);
  const double mean_w = seconds > 0 ? accountant.energy().joules() / seconds : 0;
  return {until,
          accountant.ToGrid(until),
          clock.wall().SinceBoot(),
          accountant.use(),
          {std::max(mean_w, accountant.power().watts)},
          accountant.latest_intensity()};
}

std::string StoppedByText(const core::Budget& budget) {
  std::vector<std::string> limits;
  for (const auto measure : {core::BudgetMeasure::kEnergy, core::BudgetMeasure::kEmissions})
    if (const auto limit = budget.Limit(measure))
      limits.push_back(core::AmountText(*limit, measure));
  return "stopped by its budget of " + Join(limits, ", ");
}

JobBudget::JobBudget(const Terms& terms) : directory_(terms.directory), watch_(WatchFor(terms)) {}

runtime::BudgetStep JobBudget::Look(const runtime::BudgetSample& sample,
                                    const runtime::GridClock& clock) {
  runtime::BudgetStep step;
  if (sample.wall != looked_until_) {
    looked_until_ = sample.wall;
    Take(watch_.OnSample(sample), step);
  }
  const Time now = clock.wall().Now();
  Take(watch_.OnTime(clock.wall().SinceBoot(), now, clock.ToGrid(now)), step);
  return step;
}

void JobBudget::Take(const runtime::BudgetStep& more, runtime::BudgetStep& step) {
  step.order = std::max(step.order, more.order);
  for (const core::BudgetEvent& event : more.events) {
    step.events.push_back(event);
    // After a full disk, another life may report the event again.
    std::ignore = AppendBudgetEvent(directory_, event);
  }
}

}  // namespace ebb::local
