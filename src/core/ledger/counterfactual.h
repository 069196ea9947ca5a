#pragma once
// Emissions of the same measured energy if the run had started at another time: every reading keeps
// its place inside the run, and the whole run moves on the grid clock. No second run is needed, and
// only the schedule differs (ARCHITECTURE: "savings are always a difference against a stated
// baseline on the same energy").

#include <optional>
#include <vector>

#include "core/ledger/ledger.h"
#include "core/signal/intensity.h"

namespace ebb::core {

struct Counterfactual {
  Time start{};                     ///< start of the run on the grid clock
  Emissions emissions;              ///< emissions of the energy with known intensity
  Energy energy_without_intensity;  ///< energy at times without a value of the signal
};

/// The interval of each row if the first one starts at `start`. Attempts that ran side by side
/// (ranks of one job) stay so: each keeps its place beside the others. Pauses, in which no attempt
/// ran, are closed up: a run that starts at submission has no reason to pause.
std::vector<Interval> MovedTo(const std::vector<LedgerRow>& rows, Time start);

/// The emissions of the rows' energy at the times when it was used.
Counterfactual AsItRan(const std::vector<LedgerRow>& rows, const IntensitySeries& signal);

/// The rows moved to `start`, cut where the signal changes.
std::vector<LedgerRow> RowsAt(const std::vector<LedgerRow>& rows, Time start,
                              const IntensitySeries& signal);

/// The emissions of the rows moved to `start`.
Counterfactual RunAt(const std::vector<LedgerRow>& rows, Time start, const IntensitySeries& signal);

/// The start in [earliest, latest] with the lowest emissions in hindsight, on a grid of `step`;
/// ties go to the earlier start. A start with any energy of unknown intensity does not count;
/// nullopt if no start is left. O(rows log samples) per start.
std::optional<Counterfactual> BestStart(const std::vector<LedgerRow>& rows, Interval starts,
                                        Duration step, const IntensitySeries& signal);

/// True if no attempt ran at some time between the rows.
bool HasPaused(const std::vector<LedgerRow>& rows);

/// The lowest emissions inside `window` if the run may pause and go on at any moment, for free. The
/// energy keeps its order and is cut into up to kMostStretches stretches of running; each has a
/// place on a grid of the length of a stretch. Solved by dynamic programming. nullopt if the known
/// part of the window is too short. A schedule that pauses within a stretch may be lower still.
inline constexpr int kMostStretches = 288;
std::optional<Counterfactual> BestWithPauses(const std::vector<LedgerRow>& rows, Interval window,
                                             const IntensitySeries& signal);

}  // namespace ebb::core
