#include "report/period/period_cut.h"

#include <algorithm>

#include "core/run/ledger_union.h"
#include "report/run/merged_run.h"

namespace ebb::report {
namespace {

// The first day that ends after `time`.
std::size_t DayEndingAfter(const std::vector<PeriodDay>& days, Time time) {
  const auto found =
      std::upper_bound(days.begin(), days.end(), time,
                       [](Time t, const PeriodDay& day) { return t < day.wall.end; });
  return static_cast<std::size_t>(found - days.begin());
}

bool IsInstant(const core::LedgerRow& row) { return row.wall.length() == Duration::zero(); }

std::vector<Interval> Joined(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  for (const Interval& interval : intervals) {
    if (!joined.empty() && interval.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, interval.end);
    else
      joined.push_back(interval);
  }
  return joined;
}

}  // namespace

std::optional<std::size_t> DayAt(const std::vector<PeriodDay>& days, Time time) {
  const std::size_t day = DayEndingAfter(days, time);
  if (day == days.size() || time < days[day].wall.begin) return std::nullopt;
  return day;
}

void CutAtDays(const core::LedgerRow& row, const std::vector<Interval>& counted,
               const std::vector<PeriodDay>& days,
               const std::function<void(std::size_t day, const core::LedgerRow& part)>& take) {
  if (IsInstant(row)) {
    const auto day = DayAt(days, row.wall.begin);
    if (day && !counted.empty()) take(*day, row);
    return;
  }
  for (const Interval& part : counted) {
    for (std::size_t day = DayEndingAfter(days, part.begin);
         day < days.size() && days[day].wall.begin < part.end; ++day) {
      core::LedgerRow cut = row;
      cut.wall = Overlap(part, days[day].wall);
      cut.energy = core::Share(row.energy, row.wall, cut.wall);
      take(day, cut);
    }
  }
}

Energy CountedEnergy(const core::LedgerRow& row, const std::vector<Interval>& counted) {
  if (IsInstant(row)) return counted.empty() ? Energy{} : row.energy;
  Energy energy;
  for (const Interval& part : counted) energy += core::Share(row.energy, row.wall, part);
  return energy;
}

std::vector<std::vector<std::vector<Interval>>> CountedOnce(
    const std::vector<const core::RunRecord*>& runs) {
  std::vector<std::vector<std::vector<Interval>>> counted(runs.size());
  std::vector<core::UnionRow> set;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // places of the rows of the set
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const core::RunRecord& record = *runs[run];
    counted[run].resize(record.ledger.size());
    for (std::size_t row = 0; row < record.ledger.size(); ++row) {
      if (runs.size() == 1) {
        counted[run][row] = {record.ledger[row].wall};
        continue;
      }
      set.push_back({record.spec.run_id, MachineOf(record), record.spec.scope, record.ledger[row]});
      places.emplace_back(run, row);
    }
  }
  for (const core::CountedPart& part : core::CountedParts(set))
    counted[places[part.row].first][places[part.row].second].push_back(part.wall);
  return counted;
}

std::vector<Interval> RunningTimes(const core::RunRecord& run) {
  std::vector<Interval> ran;
  for (const core::Attempt& attempt : run.attempts) ran.push_back(attempt.wall);
  return Joined(std::move(ran));
}

std::vector<Interval> UnmeteredTimes(const core::RunRecord& run) {
  std::vector<Interval> read, unmetered;
  for (const core::LedgerRow& row : run.ledger) read.push_back(row.wall);
  read = Joined(std::move(read));
  for (const Interval& attempt : RunningTimes(run)) {
    Time since = attempt.begin;
    for (const Interval& metered : read) {
      if (metered.end <= since || metered.begin >= attempt.end) continue;
      if (metered.begin > since) unmetered.push_back({since, metered.begin});
      since = metered.end;
    }
    if (since < attempt.end) unmetered.push_back({since, attempt.end});
  }
  return unmetered;
}

}  // namespace ebb::report
