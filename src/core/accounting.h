#pragma once
// One version of the signal for all figures of a run. A ledger row keeps the value that was known
// when it was closed, and providers revise theirs. Both sides of a saving come from one series:
// otherwise a run that started at once would show a saving that is only a revision. The law, to the
// last bit: a run that starts at once and does not pause saves 0, whatever was revised and wherever
// boundaries lie. Pure.

#include <vector>

#include "core/run.h"

namespace ebb::core {

/// How long after an interval a provider that revises its values is expected to. None states when
/// they are final: our judgement (docs/METHOD.md, Settling).
inline constexpr Duration kRevisedFor{std::chrono::days{7}};

/// The version, and where it has no value what the rows were accounted at when they were closed:
/// of several rows the better value, of equals the later row's.
IntensitySeries AccountingSignal(const IntensitySeries& version,
                                 const std::vector<LedgerRow>& rows);

/// The same energy at the values of `signal`, to the microjoule: rows are cut where it changes. A
/// second signal keeps the values that the rows have.
std::vector<LedgerRow> Revalued(const std::vector<LedgerRow>& rows, const IntensitySeries& signal);

/// The run with its ledger and its signal so: what summaries and reports are made of. Of one that
/// is accounted already, or that ran in several zones: itself.
RunRecord Accounted(RunRecord run);

}  // namespace ebb::core
