#pragma once
// Speed and power of a program as functions of the power limit, fitted to a few trials. Pure.
// Private to local/.
//
// Power: straight lines between the trials. A limit above what the GPUs draw changes nothing.
//
// Speed: a step takes time that the clock does not change, and time in inverse proportion to the
// clock; dynamic power rises with the third power of the clock. So the time of a step is
// a + b (p - p0)^(-1/3), with p the power of a GPU and p0 its part that the clock does not change.
// a and b are fitted by least squares, weighted by the errors of the trials. Where a trial differs
// from that curve by more than its error, the fit follows the trial: real programs have other
// curves.

#include <vector>

#include "core/devices/power_choice.h"

namespace ebb::local {

class CapFit {
 public:
  /// `trials`: at least one, highest limit first.
  CapFit(const std::vector<core::CapTrial>& trials, int gpus);

  double StepSeconds(Power cap) const;
  double StepJoules(Power cap) const;
  /// Extra time of a step, as a share of the time under the highest limit.
  double Slower(Power cap) const;

 private:
  struct Knot {
    double cap_w = 0, gpu_w = 0, other_w = 0;
    double residual_s = 0;  // of a step's time, beyond the trial's error
  };
  double Interpolated(double cap_w, double Knot::*value) const;
  double GpuWatts(double cap_w) const;
  double CurveSeconds(double gpu_w) const;
  void FitCurve(const std::vector<core::CapTrial>& trials);

  int gpus_;
  std::vector<Knot> knots_;  // highest limit first
  double fixed_w_ = 0;       // p0
  double a_ = 0, b_ = 0;
};

}  // namespace ebb::local
