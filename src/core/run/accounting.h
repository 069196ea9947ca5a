#pragma once
// One version of the signal for all figures of a run. A ledger row keeps the value that was known
// when it was closed, and providers revise theirs. Both sides of a saving come from one series:
// otherwise a run that started at once would show a saving that is only a revision. The law, to the
// last bit: a run that starts at once and does not pause saves 0, whatever was revised and wherever
// boundaries lie. Pure.

#include <vector>

#include "core/run/run.h"

namespace ebb::core {

/// The time after an interval in which a provider may still revise its value. No provider states
/// when values are final, so this is our judgement (docs/METHOD.md, Settling).
inline constexpr Duration kRevisedFor{std::chrono::days{7}};

/// The version. If it has no value, the series takes the value of the rows from when they were
/// closed: of several rows the better value, and of equals the later row's.
IntensitySeries AccountingSignal(const IntensitySeries& version,
                                 const std::vector<LedgerRow>& rows);

/// The same energy at the values of `signal`, to the microjoule: rows are cut where the signal
/// changes. The values of a second signal stay as the rows have them.
std::vector<LedgerRow> Revalued(const std::vector<LedgerRow>& rows, const IntensitySeries& signal);

/// The run with its ledger and its signal on one version: the input of summaries and reports.
/// Returns the run unchanged if it is accounted already or ran in several zones.
RunRecord Accounted(RunRecord run);

}  // namespace ebb::core
