#include "core/jobs/estimate.h"

#include <cmath>

namespace ebb::core {
namespace {

// A mean of logarithms that takes one value at a time.
struct LogMean {
  double sum = 0, squares = 0;
  int count = 0;

  void Add(double value) {
    if (!(value > 0)) return;
    sum += std::log(value);
    squares += std::log(value) * std::log(value);
    ++count;
  }
  double Value() const { return std::exp(sum / count); }
  double Spread() const {
    if (count < 2) return 1;
    const double variance = (squares - sum * sum / count) / (count - 1);
    return std::exp(std::sqrt(std::max(variance, 0.0)));
  }
};

}  // namespace

std::optional<Estimate> EstimateFrom(const std::vector<EarlierRun>& runs, const Hint& hint) {
  LogMean time, power;
  for (const EarlierRun& run : runs) {
    time.Add(Seconds(run.duration));
    power.Add(run.power.watts);
  }
  if (time.count == 0) return std::nullopt;
  Estimate estimate;
  estimate.runs = time.count;
  estimate.spread = time.Spread();
  if (hint.duration) time.Add(Seconds(*hint.duration));
  if (hint.power) power.Add(hint.power->watts);
  estimate.duration = std::max(DurationFromSeconds(time.Value()), Duration{1});
  if (power.count > 0) estimate.power = Power{power.Value()};
  return estimate;
}

}  // namespace ebb::core
