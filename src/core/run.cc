#include "core/run.h"

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

Duration RunRecord::waited() const {
  if (const auto start = started()) return *start - spec.submitted;
  return decisions.empty() ? Duration::zero() : decisions.back().at - spec.submitted;
}

Duration RunRecord::running_time() const {
  Duration total{0};
  for (const Attempt& attempt : attempts) total += attempt.wall.length();
  return total;
}

}  // namespace ebb::core
