#include "core/counterfactual.h"

#include <algorithm>

namespace ebb::core {

std::vector<Interval> MovedTo(const std::vector<LedgerRow>& rows, Time start) {
  std::vector<Interval> moved(rows.size());
  Time attempt_start = start;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    Time begin = rows[first].grid.begin;
    Time end = rows[first].grid.end;
    while (last < rows.size() && rows[last].attempt == rows[first].attempt) {
      begin = std::min(begin, rows[last].grid.begin);
      end = std::max(end, rows[last].grid.end);
      ++last;
    }
    const Duration shift = attempt_start - begin;
    for (std::size_t i = first; i < last; ++i)
      moved[i] = {rows[i].grid.begin + shift, rows[i].grid.end + shift};
    attempt_start = end + shift;
    first = last;
  }
  return moved;
}

Counterfactual RunAt(const std::vector<LedgerRow>& rows, Time start,
                     const IntensitySeries& signal) {
  Counterfactual result;
  result.start = start;
  const std::vector<Interval> moved = MovedTo(rows, start);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LedgerRow& row = rows[i];
    const EnergyReading reading{row.device, row.component, row.source, moved[i], row.energy};
    for (const LedgerRow& part : MakeRows(reading, moved[i], row.attempt, row.pue, signal)) {
      if (const auto emissions = part.emissions())
        result.emissions += *emissions;
      else
        result.energy_without_intensity += part.energy;
    }
  }
  return result;
}

std::optional<Counterfactual> BestStart(const std::vector<LedgerRow>& rows, Interval starts,
                                        Duration step, const IntensitySeries& signal) {
  std::optional<Counterfactual> best;
  for (Time start = starts.begin; start <= starts.end; start += step) {
    const Counterfactual candidate = RunAt(rows, start, signal);
    if (candidate.energy_without_intensity > Energy{}) continue;
    if (!best || candidate.emissions < best->emissions) best = candidate;
  }
  return best;
}

}  // namespace ebb::core
