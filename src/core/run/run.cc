#include "core/run/run.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"

namespace ebb::core {
namespace {
constexpr std::array<std::string_view, 7> kOutcomeNames{
    "running", "done", "paused", "failed", "killed", "not_started", "stopped_by_budget"};
}

std::string_view Name(AttemptOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::optional<AttemptOutcome> AttemptOutcomeFromName(std::string_view name) {
  return EnumFromName<AttemptOutcome>(kOutcomeNames, name);
}

Emissions Embodied::Of(Duration reserved) const {
  return {total.grams * (Seconds(reserved) / Seconds(lifetime)) * share};
}

std::optional<Time> RunRecord::started() const {
  if (attempts.empty()) return std::nullopt;
  return attempts.front().grid.begin;
}

Time RunRecord::latest_start() const {
  return spec.start_by.value_or(started().value_or(spec.submitted));
}
Duration RunRecord::waited() const {
  if (const auto start = started()) return *start - spec.submitted;
  return decisions.empty() ? Duration::zero() : decisions.back().at - spec.submitted;
}

Duration RunRecord::running_time() const {
  std::vector<Interval> walls;
  for (const Attempt& attempt : attempts) walls.push_back(attempt.wall);
  std::sort(walls.begin(), walls.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Duration total{0};
  Time until = Time::min();
  for (const Interval& wall : walls) {
    if (wall.end > until) total += wall.end - std::max(wall.begin, until);
    until = std::max(until, wall.end);
  }
  return total;
}

AttemptOutcome RunRecord::outcome() const {
  if (attempts.empty()) return AttemptOutcome::kNotStarted;
  const Time last_begin =
      std::max_element(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) {
        return a.wall.begin < b.wall.begin;
      })->wall.begin;
  constexpr std::array kWorstFirst{
      AttemptOutcome::kFailed,  AttemptOutcome::kKilled, AttemptOutcome::kStoppedByBudget,
      AttemptOutcome::kRunning, AttemptOutcome::kPaused, AttemptOutcome::kNotStarted,
      AttemptOutcome::kDone};
  for (const AttemptOutcome outcome : kWorstFirst)
    for (const Attempt& attempt : attempts)
      if (attempt.outcome == outcome &&
          (attempt.wall.end > last_begin || attempt.wall.begin == last_begin))
        return outcome;
  return attempts.back().outcome;
}

}  // namespace ebb::core
