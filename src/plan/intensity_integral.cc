#include "plan/intensity_integral.h"

#include <limits>

namespace ebb::plan {

IntensityIntegral::IntensityIntegral(const core::SignalView& view, Time from) {
  Time reached = from;
  double integral = 0;
  Duration covered{};
  double lowest = std::numeric_limits<double>::infinity();
  const auto add = [&](Time end, double value, bool known) {
    if (known) lowest = std::min(lowest, value);
    pieces_.push_back({reached, end, value, integral, covered, known, lowest});
    if (known) {
      integral += value * static_cast<double>((end - reached).count());
      covered += end - reached;
    }
    reached = end;
  };
  for (const core::IntensitySeries* series : {&view.known, &view.forecast.series}) {
    const auto& samples = series->samples();
    auto it = std::upper_bound(
        samples.begin(), samples.end(), reached,
        [](Time time, const core::Sample& sample) { return time < sample.interval.end; });
    for (; it != samples.end(); ++it) {
      if (it->interval.begin > reached) add(it->interval.begin, 0, false);
      add(it->interval.end, it->intensity.g_per_kwh, true);
    }
  }
}

std::size_t IntensityIntegral::PieceAt(Time time) const {
  const auto it = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                   [](Time t, const Piece& piece) { return t < piece.end; });
  return it == pieces_.end() ? pieces_.size() - 1 : static_cast<std::size_t>(it - pieces_.begin());
}

std::optional<double> IntensityIntegral::Mean(Interval window, std::size_t first,
                                              std::size_t last) const {
  const Piece& a = pieces_[first];
  const Piece& b = pieces_[last];
  const Duration into_a = window.begin - a.begin;
  const Duration into_b = window.end - b.begin;
  const Duration length = window.end - window.begin;
  const Duration covered = b.covered + (b.known ? into_b : Duration::zero()) - a.covered -
                           (a.known ? into_a : Duration::zero());
  if (covered != length) return std::nullopt;
  if (first == last) return a.value;
  const double integral = b.integral + b.value * static_cast<double>(into_b.count()) - a.integral -
                          a.value * static_cast<double>(into_a.count());
  return integral / static_cast<double>(length.count());
}

std::optional<Time> IntensityIntegral::FirstAtMost(double value) const {
  const auto first = std::partition_point(pieces_.begin(), pieces_.end(),
                                          [&](const Piece& piece) { return piece.lowest > value; });
  return first == pieces_.end() ? std::nullopt : std::optional(first->begin);
}

std::optional<double> IntensityIntegral::Mean(Interval window) const {
  if (empty() || window.begin < begin() || window.end > end() || window.end <= window.begin)
    return std::nullopt;
  return Mean(window, PieceAt(window.begin), PieceAt(window.end));
}

}  // namespace ebb::plan
