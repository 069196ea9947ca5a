#pragma once
// What a run that began at once would have emitted had it waited, by the hours that were known when
// it ended and those that were expected to come. It is what makes a first measurement tell whether
// waiting is worth it. Pure.

#include <optional>
#include <string>

#include "core/run.h"

namespace ebb::report {

/// How long after its own a start may be.
inline constexpr Duration kLongestWait{std::chrono::hours{24}};

/// An estimate from a forecast, beside what was measured. Both figures are of the measured energy
/// on the intensities that were expected when the run began, so of the same start they are the
/// same.
struct HadItWaited {
  Duration up_to{};  ///< starts so long after its own were looked at; less where hours are unknown
  Time start{};      ///< its own, or the first quarter of an hour that is better than all others
  Emissions at_once, at_best;
  std::string forecast_method;  ///< whose expectation it is
  Time forecast_issued{};
  /// Of `at_once`; absent when that emits nothing.
  std::optional<double> SavingPercent() const {
    if (at_once.grams <= 0) return std::nullopt;
    return 100 * (at_once.grams - at_best.grams) / at_once.grams;
  }
};

/// Absent: the run could wait (then its savings are told), it has several zones, or nothing is
/// known about later hours.
std::optional<HadItWaited> HadItWaitedOf(const core::RunRecord& run);
/// The same for a job that began at once in one zone, by its ledger rows; `outlook` is what was
/// known and expected of the grid there.
std::optional<HadItWaited> HadItWaitedOf(const std::vector<core::LedgerRow>& rows,
                                         const core::SignalView& outlook);

/// "up to 1d 0h: 38.2 % less at 2026-11-27T13:00:00Z; an estimate by known hours and a forecast
/// (typical day)".
std::string HadItWaitedText(const HadItWaited& waited);

}  // namespace ebb::report
