#pragma once
// What a job that has ended emitted, and would have at its submission, on one signal
// (core/accounting.h): so one that started at once and did not pause saves exactly 0. Providers
// revise their values: a job is settled when it has ended, when its last hours have been published,
// and once more when nothing is expected to change. Pure.

#include <optional>
#include <vector>

#include "core/intensity.h"
#include "core/ledger.h"

namespace ebb::service {

/// A start within this of the submission was at once: the rest is Ebb's own time.
inline constexpr Duration kStartedAtOnce{std::chrono::seconds{2}};

/// When it is first looked whether the last hours of a job have been published; then after twice
/// the time, as some sources never publish them.
inline constexpr Duration kLookForPublished{std::chrono::minutes{10}};

struct Settlement {
  std::optional<Emissions> emitted;        ///< nothing: the intensity of some of it is not known
  std::optional<Emissions> at_submission;  ///< of the same energy; nothing: likewise
  std::optional<double> half_width_g;      ///< of their difference: half of its 95 % interval
  bool is_published = false;               ///< all that it needs has been published
};

/// Where it would have run from its submission on, and where it did: what `published` is asked for.
Interval SettledOver(Time submitted, const std::vector<core::LedgerRow>& rows);

Settlement SettlementOf(Time submitted, const std::vector<core::LedgerRow>& rows,
                        const core::IntensitySeries& published);

}  // namespace ebb::service
