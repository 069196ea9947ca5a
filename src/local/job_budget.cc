#include "local/job_budget.h"

#include <algorithm>

#include "base/text.h"
#include "engine/field_text.h"
#include "engine/fields.h"

namespace ebb::local {
namespace {

constexpr const char* kFile = "budget.events";
constexpr std::uint64_t kLongestFile = 1 << 20;

// Lines that make no sense are left out: at worst something is said twice.
std::vector<core::BudgetEvent> ReadEvents(const std::filesystem::path& file) {
  std::vector<core::BudgetEvent> events;
  const auto text = platform::ReadFile(file, kLongestFile);
  if (!text) return events;
  for (const std::string_view line : Split(*text, '\n')) {
    if (line.empty()) continue;
    if (const auto event = engine::FromFieldText<core::BudgetEvent>(line, file.string()))
      events.push_back(*event);
  }
  return events;
}

runtime::BudgetWatch WatchFor(const JobBudget::Terms& terms) {
  return runtime::BudgetWatch({terms.budget, terms.used_before, ReadEvents(terms.directory / kFile),
                               terms.attempt, terms.pue, terms.sample_interval});
}

}  // namespace

JobBudget::JobBudget(Terms terms) : file_(terms.directory / kFile), watch_(WatchFor(terms)) {}

runtime::BudgetStep JobBudget::Look(const runtime::Accountant& accountant,
                                    const runtime::GridClock& clock, Time wall_begin,
                                    Time wall_now) {
  runtime::BudgetStep step;
  if (const auto until = accountant.measured_until(); until && until != looked_until_) {
    looked_until_ = until;
    const double seconds = Seconds(*until - wall_begin);
    const double mean_w = seconds > 0 ? accountant.energy().joules() / seconds : 0;
    Take(watch_.OnSample({*until,
                          clock.ToGrid(*until),
                          accountant.use(),
                          {std::max(mean_w, accountant.power().watts)},
                          accountant.latest_intensity()}),
         step);
  }
  Take(watch_.OnTime(wall_now, clock.ToGrid(wall_now)), step);
  return step;
}

void JobBudget::Take(const runtime::BudgetStep& more, runtime::BudgetStep& step) {
  step.order = std::max(step.order, more.order);
  for (const core::BudgetEvent& event : more.events) {
    if (event.level == core::BudgetLevel::kReached) reached_ = event;
    step.events.push_back(event);
    // On a full disk it may be said again in another life.
    if (auto writer = platform::LineWriter::Open(file_))
      std::ignore = writer->Append(engine::ToFieldText(event));
  }
}

}  // namespace ebb::local
