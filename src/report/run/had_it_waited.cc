#include "report/run/had_it_waited.h"

#include <algorithm>

#include "base/text.h"
#include "base/units_text.h"
#include "core/ledger/counterfactual.h"
#include "core/signal/one_value.h"

namespace ebb::report {
namespace {

constexpr Duration kBetweenStarts{std::chrono::minutes{15}};
// A start must be better by more than rounding.
constexpr double kRounding = 1e-9;
// Least saving in percent that is worth a word (plan::LowestWindowOptions has the same limit).
constexpr double kWorthSaying = 1;  // %

core::IntensitySeries Expected(const core::SignalView& view) {
  auto series = core::IntensitySeries::Create(
      view.known.identity(), core::Filled(view.known.samples(), view.forecast.series.samples()));
  return series ? *std::move(series) : core::IntensitySeries();
}

}  // namespace

std::optional<HadItWaited> HadItWaitedOf(const core::RunRecord& run) {
  if (!run.outlook || run.spec.zones > 1) return std::nullopt;
  return HadItWaitedOf(run.ledger, *run.outlook);
}

std::optional<HadItWaited> HadItWaitedOf(const std::vector<core::LedgerRow>& rows,
                                         const core::SignalView& view) {
  if (rows.empty() || !core::KnowsHours(view) || view.forecast.series.empty()) return std::nullopt;
  const core::IntensitySeries expected = Expected(view);
  const auto grams_at = [&](Time start) -> std::optional<Emissions> {
    const core::Counterfactual there = core::RunAt(rows, start, expected);
    if (there.energy_without_intensity > Energy{}) return std::nullopt;
    return there.emissions;
  };
  Time begin = Time::max();
  for (const core::LedgerRow& row : rows) begin = std::min(begin, row.grid.begin);
  const auto at_once = grams_at(begin);
  if (!at_once) return std::nullopt;
  HadItWaited waited{{}, begin, *at_once, *at_once, view.forecast.method, view.forecast.issued};
  const Time first = begin + kBetweenStarts - begin.time_since_epoch() % kBetweenStarts;
  for (Time start = first; start <= begin + kLongestWait; start += kBetweenStarts) {
    const auto grams = grams_at(start);
    if (!grams) continue;
    waited.up_to = start - begin;
    if (grams->grams >= waited.at_best.grams * (1 - kRounding)) continue;
    waited.start = start;
    waited.at_best = *grams;
  }
  if (waited.up_to <= Duration::zero()) return std::nullopt;
  if (waited.up_to + kBetweenStarts > kLongestWait) waited.up_to = kLongestWait;
  return waited;
}

std::string HadItWaitedText(const HadItWaited& waited) {
  const auto percent = waited.SavingPercent();
  const std::string whose =
      "; an estimate by known hours and a forecast (" + waited.forecast_method + ")";
  const std::string up_to = "up to " + FormatDuration(waited.up_to) + ": ";
  if (!percent || *percent < kWorthSaying) return up_to + "nothing to gain" + whose;
  return up_to + ChangeText(-*percent) + " at " + FormatTime(waited.start) + whose;
}

}  // namespace ebb::report
