#include "core/ledger/energy_course.h"

#include <algorithm>
#include <map>

#include "core/ledger/counterfactual.h"

namespace ebb::core {

EnergyCourse::EnergyCourse(const std::vector<LedgerRow>& rows) {
  const std::vector<Interval> places = MovedTo(rows, Time{});
  std::map<Duration, double> steps;  // of the power, in kWh/ms
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Duration begin = places[i].begin.time_since_epoch();
    // A reading of an instant counts as a millisecond.
    const Duration length = std::max(places[i].length(), Duration{1});
    const double power = rows[i].energy.kwh() / static_cast<double>(length.count());
    steps[begin] += power;
    steps[begin + length] -= power;
  }
  Point point;
  for (const auto& [at, step] : steps) {
    point.kwh += point.kwh_per_ms * static_cast<double>((at - point.at).count());
    point.at = at;
    point.kwh_per_ms += step;
    points_.push_back(point);
  }
}

double EnergyCourse::KwhUpTo(Duration at) const {
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), at,
                       [](Duration wanted, const Point& point) { return wanted < point.at; });
  if (after == points_.begin()) return 0;
  const Point& point = *std::prev(after);
  if (after == points_.end()) return point.kwh;
  return point.kwh + point.kwh_per_ms * static_cast<double>((at - point.at).count());
}

std::optional<Emissions> EnergyCourse::At(Time start, const IntensitySeries& signal) const {
  const Time end = start + std::max(length(), Duration{1});
  const auto& samples = signal.samples();
  auto sample =
      std::upper_bound(samples.begin(), samples.end(), start,
                       [](Time wanted, const Sample& s) { return wanted < s.interval.end; });
  double grams = 0, kwh_before = 0;
  for (Time known = start; known < end; ++sample) {
    if (sample == samples.end() || sample->interval.begin > known) return std::nullopt;
    known = std::min(sample->interval.end, end);
    const double kwh = KwhUpTo(known - start);
    grams += (kwh - kwh_before) * sample->intensity.g_per_kwh;
    kwh_before = kwh;
  }
  return Emissions{grams};
}

}  // namespace ebb::core
