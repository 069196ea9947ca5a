#include "local/power/cap_fit.h"

#include <algorithm>
#include <cmath>

namespace ebb::local {
namespace {

using core::CapTrial;

// p0 as a share of what a GPU draws without a lower limit. Our own number: idle boards draw a tenth
// to a third of that.
constexpr double kFixedShare = 0.2;
// Even a rate without measurable scatter is not known better than this.
constexpr double kLeastError = 0.001;

double StepSecondsOf(const CapTrial& trial) { return 1 / trial.steps_per_s; }
double ErrorSeconds(const CapTrial& trial) {
  return std::max(trial.error, kLeastError) / trial.steps_per_s;
}

// The part of a residual that is not error.
double Beyond(double residual, double error) {
  const double squares = residual * residual;
  return squares > error * error ? residual * (1 - error * error / squares) : 0;
}

}  // namespace

CapFit::CapFit(const std::vector<CapTrial>& trials, int gpus)
    : gpus_(gpus), fixed_w_(kFixedShare * trials.front().gpu_power.watts) {
  FitCurve(trials);
  for (const CapTrial& trial : trials) {
    const double gpu_w = trial.gpu_power.watts;
    const double other_w = trial.power.watts - gpus * gpu_w;
    const double residual = StepSecondsOf(trial) - CurveSeconds(gpu_w);
    const Knot knot{trial.cap.watts, gpu_w, other_w, Beyond(residual, ErrorSeconds(trial))};
    knots_.push_back(knot);
    if (knots_.size() > 1 || gpu_w >= knot.cap_w) continue;
    knots_.push_back(knot);
    knots_.back().cap_w = gpu_w;
  }
  // A trial may lie between the limit and the mean power of a load that varies.
  std::ranges::sort(knots_, [](const Knot& x, const Knot& y) { return x.cap_w > y.cap_w; });
}

// Weighted least squares for a line over (p - p0)^(-1/3). A slope below zero would mean that steps
// are faster under a lower limit, which is error: then all limits count as equally fast.
void CapFit::FitCurve(const std::vector<CapTrial>& trials) {
  double weights = 0, x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  const auto weight = [](const CapTrial& trial) { return std::pow(ErrorSeconds(trial), -2); };
  const auto x = [&](const CapTrial& trial) {
    return std::pow(std::max(trial.gpu_power.watts - fixed_w_, 1.0), -1.0 / 3);
  };
  for (const CapTrial& trial : trials) {
    weights += weight(trial);
    x_mean += weight(trial) * x(trial);
    y_mean += weight(trial) * StepSecondsOf(trial);
  }
  x_mean /= weights;
  y_mean /= weights;
  for (const CapTrial& trial : trials) {
    xx += weight(trial) * (x(trial) - x_mean) * (x(trial) - x_mean);
    xy += weight(trial) * (x(trial) - x_mean) * (StepSecondsOf(trial) - y_mean);
  }
  b_ = xx > 0 ? std::max(xy / xx, 0.0) : 0;
  a_ = y_mean - b_ * x_mean;
}

double CapFit::CurveSeconds(double gpu_w) const {
  return a_ + b_ * std::pow(std::max(gpu_w - fixed_w_, 1.0), -1.0 / 3);
}

double CapFit::Interpolated(double cap_w, double Knot::*value) const {
  if (cap_w >= knots_.front().cap_w) return knots_.front().*value;
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
    const Knot &above = knots_[i], &below = knots_[i + 1];
    if (cap_w < below.cap_w) continue;
    const double part = (cap_w - below.cap_w) / (above.cap_w - below.cap_w);
    return below.*value + part * (above.*value - below.*value);
  }
  return knots_.back().*value;
}

double CapFit::GpuWatts(double cap_w) const {
  const Knot& lowest = knots_.back();
  if (cap_w < lowest.cap_w) return lowest.gpu_w * cap_w / lowest.cap_w;
  return Interpolated(cap_w, &Knot::gpu_w);
}

double CapFit::StepSeconds(Power cap) const {
  return CurveSeconds(GpuWatts(cap.watts)) + Interpolated(cap.watts, &Knot::residual_s);
}

double CapFit::StepJoules(Power cap) const {
  const double power_w = gpus_ * GpuWatts(cap.watts) + Interpolated(cap.watts, &Knot::other_w);
  return power_w * StepSeconds(cap);
}

double CapFit::Slower(Power cap) const {
  return StepSeconds(cap) / StepSeconds(Power{knots_.front().cap_w}) - 1;
}

}  // namespace ebb::local
