#pragma once
// What the same measured energy would have emitted had the run started elsewhere in time: every
// reading keeps its place inside the run and the whole run is moved on the grid clock. No second
// run is needed, and nothing but the schedule differs (ARCHITECTURE: "savings are always a
// difference against a stated baseline on the same energy").

#include <optional>
#include <vector>

#include "core/intensity.h"
#include "core/ledger.h"

namespace ebb::core {

struct Counterfactual {
  Time start{};                     ///< when the run would have started on the grid clock
  Emissions emissions;              ///< of the energy whose intensity is known there
  Energy energy_without_intensity;  ///< where the signal has no value
};

/// Where each row would lie with the first one starting at `start`. Attempts that ran side by side
/// (ranks of one job) stay so: each keeps its place beside the others. Times in which none ran,
/// pauses, are closed up: a run that starts at submission has no reason to pause.
std::vector<Interval> MovedTo(const std::vector<LedgerRow>& rows, Time start);

/// The rows' energy where it was used.
Counterfactual AsItRan(const std::vector<LedgerRow>& rows, const IntensitySeries& signal);

/// The rows moved to there, cut where the signal changes.
std::vector<LedgerRow> RowsAt(const std::vector<LedgerRow>& rows, Time start,
                              const IntensitySeries& signal);

/// Their energy.
Counterfactual RunAt(const std::vector<LedgerRow>& rows, Time start, const IntensitySeries& signal);

/// The start in [earliest, latest] with the lowest emissions in hindsight, on a grid of `step`;
/// ties go to the earlier. Starts with any energy of unknown intensity are not considered; nothing
/// when no start is left. O(rows log samples) per start.
std::optional<Counterfactual> BestStart(const std::vector<LedgerRow>& rows, Interval starts,
                                        Duration step, const IntensitySeries& signal);

/// Whether there are times between its rows in which no attempt ran.
bool HasPaused(const std::vector<LedgerRow>& rows);

/// The lowest emissions inside `window` when the run may pause and go on at any moment, for free:
/// its energy in the order in which it was used, cut into up to kMostStretches of running that each
/// have a place on a grid of their own length; by dynamic programming. Nothing where the known part
/// of the window is too short. A schedule that pauses within a stretch may be lower still.
inline constexpr int kMostStretches = 288;
std::optional<Counterfactual> BestWithPauses(const std::vector<LedgerRow>& rows, Interval window,
                                             const IntensitySeries& signal);

}  // namespace ebb::core
