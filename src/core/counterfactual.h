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

/// Where each row would lie with the first one starting at `start`. Pauses between attempts are
/// closed up, each attempt beginning where the one before it ended: a run that starts at submission
/// has no reason to pause.
std::vector<Interval> MovedTo(const std::vector<LedgerRow>& rows, Time start);

/// The rows' energy at those places.
Counterfactual RunAt(const std::vector<LedgerRow>& rows, Time start, const IntensitySeries& signal);

/// The start in [earliest, latest] with the lowest emissions in hindsight, on a grid of `step`;
/// ties go to the earlier. Starts with any energy of unknown intensity are not considered; nothing
/// when no start is left.
std::optional<Counterfactual> BestStart(const std::vector<LedgerRow>& rows, Interval starts,
                                        Duration step, const IntensitySeries& signal);

}  // namespace ebb::core
