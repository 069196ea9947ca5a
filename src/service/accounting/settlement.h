#pragma once
// The settlement of a job that has ended: what it emitted, and what it would have emitted from its
// submission on, both by the same values of the signal (core/run/accounting.h). So a job that
// started at once and never paused has saved exactly 0.
//
// Providers publish some values late and revise others. So a job is settled after its end, again
// when its last hours have been published, and once more when values are no longer revised. Pure.

#include <optional>
#include <vector>

#include "core/ledger/ledger.h"
#include "core/signal/intensity.h"
#include "service/views/figures.h"

namespace ebb::service {

/// The wait until the first look whether the last hours of a job have been published. Each later
/// wait is twice as long, because some sources never publish them.
inline constexpr Duration kLookForPublished{std::chrono::minutes{10}};

/// The hours for which SettlementOf needs values: those in which the job ran, and those in which it
/// would have run from its submission on.
Interval SettledOver(Time submitted, const std::vector<core::LedgerRow>& rows);

/// The start of the run at its submission: its real start, if it started at once.
Time StartAtOnce(Time submitted, const std::vector<core::LedgerRow>& rows);

/// `published`: the newest values of the signal. Hours that it lacks keep the values of the rows.
Settlement SettlementOf(Time submitted, const std::vector<core::LedgerRow>& rows,
                        const core::IntensitySeries& published);

/// The rows of a job that were measured at one site, and the newest values of its zone.
struct RanAt {
  std::vector<core::LedgerRow> rows;
  core::IntensitySeries published;
};

/// The rows of all places, each on the values by which the job is settled.
std::vector<core::LedgerRow> AsSettled(const std::vector<RanAt>& places);

/// The same for a job that ran at other sites too. Had it run at its submission, it would have run
/// at home: `home` are the newest values there, `pue` is its PUE, and `home_rows` were measured
/// there.
Settlement SettlementOf(Time submitted, const std::vector<RanAt>& places,
                        const core::IntensitySeries& home, Pue pue,
                        const std::vector<core::LedgerRow>& home_rows);

}  // namespace ebb::service
