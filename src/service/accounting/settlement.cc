#include "service/accounting/settlement.h"

#include <algorithm>

#include "core/ledger/counterfactual.h"
#include "core/run/accounting.h"
#include "core/run/uncertainty.h"

namespace ebb::service {
namespace {

Time FirstBegin(const std::vector<core::LedgerRow>& rows) {
  Time first = Time::max();
  for (const core::LedgerRow& row : rows) first = std::min(first, row.grid.begin);
  return first;
}

std::optional<Emissions> KnownGrams(const core::Counterfactual& run) {
  return run.energy_without_intensity == Energy{} ? std::optional(run.emissions) : std::nullopt;
}

}  // namespace

Interval SettledOver(Time submitted, const std::vector<core::LedgerRow>& rows) {
  Interval over{submitted, submitted + Duration{1}};
  for (const core::LedgerRow& row : rows)
    over = {std::min(over.begin, row.grid.begin), std::max(over.end, row.grid.end)};
  return over;
}

Time StartAtOnce(Time submitted, const std::vector<core::LedgerRow>& rows) {
  const Time first = FirstBegin(rows);
  return first - submitted <= kStartedAtOnce ? first : submitted;
}

Settlement SettlementOf(Time submitted, const std::vector<core::LedgerRow>& rows,
                        const core::IntensitySeries& published) {
  Settlement settlement;
  if (rows.empty()) return settlement;
  const core::IntensitySeries signal = core::AccountingSignal(published, rows);
  const Time start = StartAtOnce(submitted, rows);
  settlement.emitted = KnownGrams(core::AsItRan(rows, signal));
  settlement.at_submission = KnownGrams(core::RunAt(rows, start, signal));
  if (settlement.emitted && settlement.at_submission)
    settlement.half_width_g =
        core::HalfWidthOfDifference(core::Revalued(rows, signal), core::RowsAt(rows, start, signal),
                                    core::MeterScope::kProcessTree);
  settlement.uncertainty =
      core::UncertaintyOf(core::Revalued(rows, signal), core::MeterScope::kProcessTree);
  settlement.is_published = KnownGrams(core::AsItRan(rows, published)).has_value() &&
                            KnownGrams(core::RunAt(rows, start, published)).has_value();
  return settlement;
}

std::vector<core::LedgerRow> AsSettled(const std::vector<RanAt>& places) {
  std::vector<core::LedgerRow> settled;
  for (const RanAt& place : places)
    for (core::LedgerRow& row :
         core::Revalued(place.rows, core::AccountingSignal(place.published, place.rows)))
      settled.push_back(std::move(row));
  return settled;
}

Settlement SettlementOf(Time submitted, const std::vector<RanAt>& places,
                        const core::IntensitySeries& home, Pue pue,
                        const std::vector<core::LedgerRow>& home_rows) {
  Settlement settlement;
  const std::vector<core::LedgerRow> as_it_ran = AsSettled(places);
  std::vector<core::LedgerRow> at_home;
  settlement.emitted = Emissions{};
  settlement.is_published = true;
  for (const RanAt& place : places) {
    const core::IntensitySeries signal = core::AccountingSignal(place.published, place.rows);
    const auto emitted = KnownGrams(core::AsItRan(place.rows, signal));
    if (!emitted) settlement.emitted.reset();
    if (settlement.emitted) *settlement.emitted += *emitted;
    settlement.is_published = settlement.is_published &&
                              KnownGrams(core::AsItRan(place.rows, place.published)).has_value();
    at_home.insert(at_home.end(), place.rows.begin(), place.rows.end());
  }
  if (as_it_ran.empty()) return {};
  for (core::LedgerRow& row : at_home) row.pue = pue;
  const core::IntensitySeries signal = core::AccountingSignal(home, home_rows);
  const Time start = StartAtOnce(submitted, at_home);
  settlement.at_submission = KnownGrams(core::RunAt(at_home, start, signal));
  if (settlement.emitted && settlement.at_submission)
    settlement.half_width_g = core::HalfWidthOfDifference(
        as_it_ran, core::RowsAt(at_home, start, signal), core::MeterScope::kProcessTree);
  settlement.uncertainty = core::UncertaintyOf(as_it_ran, core::MeterScope::kProcessTree);
  settlement.is_published =
      settlement.is_published && KnownGrams(core::RunAt(at_home, start, home)).has_value();
  return settlement;
}

}  // namespace ebb::service
