#include "core/run/accounting.h"

#include <algorithm>

#include "base/check.h"
#include "core/signal/sample_archive.h"

namespace ebb::core {
namespace {

// The values that the rows have. A row names its source in a chain; the series numbers it. An
// instant (a last reading at the very end) counts as a millisecond if no longer row covers it.
std::vector<Sample> SamplesOf(const std::vector<LedgerRow>& rows, const SignalIdentity& identity) {
  SampleArchive known, instants;
  for (const LedgerRow& row : rows) {
    if (!row.intensity) continue;
    const auto link = std::find(identity.links.begin(), identity.links.end(), row.intensity_source);
    const auto index = link == identity.links.end() ? 0 : link - identity.links.begin();
    const auto number = static_cast<std::uint8_t>(index);
    const bool is_instant = row.grid.length() == Duration::zero();
    const Time end = is_instant ? row.grid.begin + Duration{1} : row.grid.end;
    (is_instant ? instants : known)
        .Add({{{row.grid.begin, end}, *row.intensity, row.intensity_status, number}});
  }
  return Filled(known.samples(), instants.samples());
}

}  // namespace

IntensitySeries AccountingSignal(const IntensitySeries& version,
                                 const std::vector<LedgerRow>& rows) {
  auto series = IntensitySeries::Create(
      version.identity(), Filled(version.samples(), SamplesOf(rows, version.identity())));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

std::vector<LedgerRow> Revalued(const std::vector<LedgerRow>& rows, const IntensitySeries& signal) {
  std::vector<LedgerRow> revalued;
  revalued.reserve(rows.size());
  for (const LedgerRow& row : rows) {
    const EnergyReading reading{row.device, row.component, row.source,
                                row.wall,   row.energy,    row.shared};
    for (LedgerRow& part : MakeRows(reading, row.grid, row.attempt, row.pue, signal)) {
      part.signal_kind = row.signal_kind;
      part.other = row.other;
      revalued.push_back(std::move(part));
    }
  }
  return revalued;
}

RunRecord Accounted(RunRecord run) {
  if (run.spec.zones > 1) return run;
  run.signal = AccountingSignal(run.signal, run.ledger);
  run.ledger = Revalued(run.ledger, run.signal);
  return run;
}

}  // namespace ebb::core
