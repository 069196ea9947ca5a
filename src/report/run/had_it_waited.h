#pragma once
// Estimates the emissions that a run which began at once would have had after a wait, by the hours
// that were known when it ended and those that were expected. It shows after a first measurement
// whether waiting is worth it. Pure.

#include <optional>
#include <string>

#include "core/run/run.h"

namespace ebb::report {

/// How much later than its own start another start may be.
inline constexpr Duration kLongestWait{std::chrono::hours{24}};

/// An estimate from a forecast, to stand beside measured figures. Both figures are the measured
/// energy at the intensities that were expected when the run began, so the same start gives equal
/// figures.
struct HadItWaited {
  Duration up_to{};  ///< range of starts after its own; shorter if later hours are unknown
  Time start{};  ///< its own start, or the first quarter of an hour that is better than all others
  Emissions at_once, at_best;
  std::string forecast_method;  ///< method of the forecast
  Time forecast_issued{};
  /// Percent of `at_once`; absent if that emits nothing.
  std::optional<double> SavingPercent() const {
    if (at_once.grams <= 0) return std::nullopt;
    return 100 * (at_once.grams - at_best.grams) / at_once.grams;
  }
};

/// Absent if the run could wait (then its savings are reported), if it has several zones, or if no
/// later hours are known.
std::optional<HadItWaited> HadItWaitedOf(const core::RunRecord& run);
/// The estimate for a job that began at once in one zone, by its ledger rows. `outlook` has the
/// known and expected intensity of the grid there.
std::optional<HadItWaited> HadItWaitedOf(const std::vector<core::LedgerRow>& rows,
                                         const core::SignalView& outlook);

/// "up to 1d 0h: 38.2 % less at 2026-11-27T13:00:00Z; an estimate by known hours and a forecast
/// (typical day)".
std::string HadItWaitedText(const HadItWaited& waited);

}  // namespace ebb::report
