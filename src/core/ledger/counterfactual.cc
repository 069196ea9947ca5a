#include "core/ledger/counterfactual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace ebb::core {
namespace {

// The interval of each attempt on the grid, from its first row to its last.
std::map<int, Interval> AttemptsOf(const std::vector<LedgerRow>& rows) {
  std::map<int, Interval> attempts;
  for (const LedgerRow& row : rows) {
    Interval& attempt = attempts.try_emplace(row.attempt, row.grid).first->second;
    attempt.begin = std::min(attempt.begin, row.grid.begin);
    attempt.end = std::max(attempt.end, row.grid.end);
  }
  return attempts;
}

// The time without any attempt before each attempt.
std::map<int, Duration> GapsBefore(const std::map<int, Interval>& attempts) {
  std::vector<std::pair<Interval, int>> by_begin;
  for (const auto& [number, interval] : attempts) by_begin.emplace_back(interval, number);
  std::sort(by_begin.begin(), by_begin.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first.begin, a.second) < std::tuple(b.first.begin, b.second);
  });
  std::map<int, Duration> gaps;
  Duration gap{0};
  std::optional<Time> covered_until;
  for (const auto& [interval, number] : by_begin) {
    if (covered_until && interval.begin > *covered_until) gap += interval.begin - *covered_until;
    gaps[number] = gap;
    covered_until = std::max(covered_until.value_or(interval.end), interval.end);
  }
  return gaps;
}

}  // namespace

std::vector<Interval> MovedTo(const std::vector<LedgerRow>& rows, Time start) {
  const std::map<int, Interval> attempts = AttemptsOf(rows);
  const std::map<int, Duration> gaps = GapsBefore(attempts);
  if (rows.empty()) return {};
  Time first = Time::max();
  for (const auto& [number, interval] : attempts) first = std::min(first, interval.begin);
  std::vector<Interval> moved;
  moved.reserve(rows.size());
  for (const LedgerRow& row : rows) {
    const Duration shift = start - first - gaps.at(row.attempt);
    moved.push_back({row.grid.begin + shift, row.grid.end + shift});
  }
  return moved;
}

namespace {

std::vector<LedgerRow> AtPlaces(const std::vector<LedgerRow>& rows,
                                const std::vector<Interval>& places,
                                const IntensitySeries& signal) {
  std::vector<LedgerRow> moved;
  moved.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LedgerRow& row = rows[i];
    const EnergyReading reading{row.device, row.component, row.source,
                                places[i],  row.energy,    row.shared};
    for (LedgerRow& part : MakeRows(reading, places[i], row.attempt, row.pue, signal))
      moved.push_back(std::move(part));
  }
  return moved;
}

Counterfactual SumOf(const std::vector<LedgerRow>& rows, Time start) {
  Counterfactual result;
  result.start = start;
  for (const LedgerRow& row : rows) {
    if (const auto emissions = row.emissions())
      result.emissions += *emissions;
    else
      result.energy_without_intensity += row.energy;
  }
  return result;
}

}  // namespace

Counterfactual AsItRan(const std::vector<LedgerRow>& rows, const IntensitySeries& signal) {
  std::vector<Interval> places;
  Time start = rows.empty() ? Time{} : rows.front().grid.begin;
  for (const LedgerRow& row : rows) {
    places.push_back(row.grid);
    start = std::min(start, row.grid.begin);
  }
  return SumOf(AtPlaces(rows, places, signal), start);
}

std::vector<LedgerRow> RowsAt(const std::vector<LedgerRow>& rows, Time start,
                              const IntensitySeries& signal) {
  return AtPlaces(rows, MovedTo(rows, start), signal);
}

Counterfactual RunAt(const std::vector<LedgerRow>& rows, Time start,
                     const IntensitySeries& signal) {
  return SumOf(RowsAt(rows, start, signal), start);
}

namespace {

// Running sums of a signal up to any moment: g/kWh x ms, and the known part of the ms. O(log n).
class RunningSum {
 public:
  explicit RunningSum(const IntensitySeries& signal) {
    double sum = 0;
    Duration known{0};
    for (const Sample& sample : signal.samples()) {
      pieces_.push_back({sample.interval, sample.intensity.g_per_kwh, sum, known});
      sum += sample.intensity.g_per_kwh * static_cast<double>(sample.interval.length().count());
      known += sample.interval.length();
    }
  }

  /// The mean over an interval; nullopt if any part is unknown. For an empty interval, the value of
  /// its moment.
  std::optional<double> Mean(Interval interval) const {
    if (interval.length() == Duration::zero()) interval.end += Duration{1};
    const Sums begin = At(interval.begin), end = At(interval.end);
    if (end.known - begin.known != interval.length()) return std::nullopt;
    return (end.sum - begin.sum) / static_cast<double>(interval.length().count());
  }

 private:
  struct Piece {
    Interval interval;
    double g_per_kwh;
    double sum_before;
    Duration known_before;
  };
  struct Sums {
    double sum = 0;
    Duration known{0};
  };

  Sums At(Time time) const {
    auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), time,
        [](Time wanted, const Piece& piece) { return wanted < piece.interval.begin; });
    if (after == pieces_.begin()) return {};
    const Piece& piece = *--after;
    const Duration within = std::min(time, piece.interval.end) - piece.interval.begin;
    return {piece.sum_before + piece.g_per_kwh * static_cast<double>(within.count()),
            piece.known_before + within};
  }

  std::vector<Piece> pieces_;
};

double FacilityKwh(const LedgerRow& row) { return row.energy.kwh() * row.pue.ratio; }

// Grams if the first row is at that start; nullopt if any part is unknown.
std::optional<double> GramsAt(const std::vector<LedgerRow>& rows,
                              const std::vector<Interval>& from_zero, Duration start,
                              const RunningSum& sums) {
  double grams = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto mean = sums.Mean({from_zero[i].begin + start, from_zero[i].end + start});
    if (!mean) return std::nullopt;
    grams += *mean * FacilityKwh(rows[i]);
  }
  return grams;
}

}  // namespace

std::optional<Counterfactual> BestStart(const std::vector<LedgerRow>& rows, Interval starts,
                                        Duration step, const IntensitySeries& signal) {
  const RunningSum sums(signal);
  const std::vector<Interval> from_zero = MovedTo(rows, Time{});
  std::optional<Time> best;
  double fewest = 0;
  for (Time start = starts.begin; start <= starts.end; start += step) {
    const auto grams = GramsAt(rows, from_zero, start.time_since_epoch(), sums);
    if (!grams || (best && *grams >= fewest)) continue;
    best = start;
    fewest = *grams;
  }
  return best ? std::optional(RunAt(rows, *best, signal)) : std::nullopt;
}

bool HasPaused(const std::vector<LedgerRow>& rows) {
  const auto gaps = GapsBefore(AttemptsOf(rows));
  return std::any_of(gaps.begin(), gaps.end(),
                     [](const auto& gap) { return gap.second > Duration::zero(); });
}

namespace {

// The search looks at no more places than these, so stretches are longer in a long window.
constexpr double kMostPlaces = 20'000;

// Facility energy in each of `stretches` parts of a run of `length`.
std::vector<double> KwhPerStretch(const std::vector<LedgerRow>& rows,
                                  const std::vector<Interval>& from_zero, double length_ms,
                                  std::size_t stretches) {
  const double stretch_ms = length_ms / static_cast<double>(stretches);
  std::vector<double> kwh(stretches, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = static_cast<double>(from_zero[i].begin.time_since_epoch().count());
    const auto end =
        std::max(static_cast<double>(from_zero[i].end.time_since_epoch().count()), begin + 1);
    auto k = std::min(static_cast<std::size_t>(begin / stretch_ms), stretches - 1);
    double from = begin;
    for (; k + 1 < stretches && static_cast<double>(k + 1) * stretch_ms < end; ++k) {
      const double to = static_cast<double>(k + 1) * stretch_ms;
      kwh[k] += FacilityKwh(rows[i]) * (to - from) / (end - begin);
      from = to;
    }
    kwh[k] += FacilityKwh(rows[i]) * (end - from) / (end - begin);
  }
  return kwh;
}

}  // namespace

std::optional<Counterfactual> BestWithPauses(const std::vector<LedgerRow>& rows, Interval window,
                                             const IntensitySeries& signal) {
  const std::vector<Interval> from_zero = MovedTo(rows, Time{});
  Time last{};
  for (const Interval& row : from_zero) last = std::max(last, row.end);
  const auto length_ms = static_cast<double>(last.time_since_epoch().count());
  const auto window_ms = static_cast<double>(window.length().count());
  if (length_ms <= 0 || window_ms < length_ms) return std::nullopt;
  const auto stretches = static_cast<std::size_t>(
      std::clamp(std::floor(kMostPlaces * length_ms / window_ms), 1.0, double{kMostStretches}));
  const double place_ms = length_ms / static_cast<double>(stretches);
  const std::vector<double> kwh = KwhPerStretch(rows, from_zero, length_ms, stretches);
  const RunningSum sums(signal);
  const auto place = [&](std::size_t index) {
    return window.begin + Duration{std::llround(static_cast<double>(index) * place_ms)};
  };

  // fewest[k]: grams of the first k stretches in the places seen so far.
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> fewest(stretches + 1, kNever);
  std::vector<Time> started(stretches + 1);
  fewest[0] = 0;
  for (std::size_t index = 0; place(index + 1) <= window.end; ++index) {
    const auto mean = sums.Mean({place(index), place(index + 1)});
    if (!mean) continue;
    for (std::size_t done = stretches; done >= 1; --done) {  // each place is used once
      const double grams = fewest[done - 1] + kwh[done - 1] * *mean;
      if (grams >= fewest[done]) continue;
      fewest[done] = grams;
      started[done] = done == 1 ? place(index) : started[done - 1];
    }
  }
  if (fewest.back() == kNever) return std::nullopt;
  return Counterfactual{started.back(), {fewest.back()}, {}};
}

}  // namespace ebb::core
