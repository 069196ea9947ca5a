#include "app/slurm/quota_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"

namespace ebb::app {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

std::string Grams(Intensity intensity) { return FormatFixed(intensity.g_per_kwh, 0) + " g/kWh"; }

QuotaChoice ByThreshold(const core::SignalView& view, const QuotaRule& rule) {
  const core::Sample* current = view.Current();
  if (!current) return {rule.full, "the carbon intensity is unknown"};
  const bool is_clean = current->intensity <= *rule.threshold;
  return {is_clean ? rule.full : rule.reduced, Grams(current->intensity) +
                                                   (is_clean ? " is not above " : " is above ") +
                                                   FormatFixed(rule.threshold->g_per_kwh, 0)};
}

struct Slot {
  Interval when;
  double expected;  // infinite: unknown
};

// The rest of the current hour and the hours after it until the day ends.
std::vector<Slot> SlotsOfDay(const core::SignalView& view, Time end) {
  std::vector<Slot> slots;
  for (Time from = view.now; from < end;) {
    const Time to = std::min(end, std::chrono::floor<std::chrono::hours>(from) + kHour);
    const auto mean = view.Mean({from, to});
    slots.push_back(
        {{from, to}, mean ? mean->intensity.g_per_kwh : std::numeric_limits<double>::infinity()});
    from = to;
  }
  return slots;
}

}  // namespace

QuotaChoice ChooseQuota(const core::SignalView& view, const QuotaRule& rule, QuotaDay& day) {
  if (rule.threshold) return ByThreshold(view, rule);
  const Time today = std::chrono::floor<std::chrono::days>(view.now);
  if (day.day != today) day = {today, {}};
  // Hours at the full quota that give the wanted GPU hours, beside those of the reduced one.
  const double hours =
      std::max(0.0, (rule.gpu_hours - 24.0 * rule.reduced) / std::max(1, rule.full - rule.reduced));
  Duration left = Duration(static_cast<std::int64_t>(hours * 3'600'000.0)) - day.at_full;
  if (left <= Duration::zero())
    return {rule.reduced,
            "today's " + FormatSignificant(rule.gpu_hours, 4) + " GPU hours are there"};
  std::vector<Slot> slots = SlotsOfDay(view, today + std::chrono::days{1});
  std::ranges::stable_sort(slots, {}, &Slot::expected);
  for (const Slot& slot : slots) {
    if (left <= Duration::zero()) break;
    left -= slot.when.length();
    if (slot.when.begin == view.now)
      return {rule.full, "one of the cleanest hours that are left today"};
  }
  return {rule.reduced, "cleaner hours come today"};
}

}  // namespace ebb::app
