#pragma once
// A program on GPUs under a power limit, in virtual time: its speed and power follow from the limit
// as they do on real GPUs, and it reports both with noise, in bursts, with pauses. Users: the tests
// of the search for a limit, and bench/power-cap.
//
// Dynamic power rises with the `exponent`-th power of the clock (about 3, as voltage follows the
// clock); a step takes time that the clock does not change (memory, other processes) and time in
// inverse proportion to the clock.

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "local/power/cap_window.h"

namespace ebb::local {

struct CappedLoad {
  double idle_w = 60;        ///< one GPU with nothing to do
  double draw_w = 300;       ///< one GPU at its full clock
  double exponent = 3;       ///< of the clock, in dynamic power
  double fixed_share = 0.2;  ///< share of a step's time that the clock does not change
  double step_s = 0.05;      ///< time of a step at the full clock
  double other_w = 60;       ///< processors and memory
  int gpus = 1;
  double step_noise = 0;   ///< standard deviation of a step's time, as a share
  double power_noise = 0;  ///< the same of a reading's power
  int steps_per_report = 1;
  int steps_per_pause = 0;  ///< a pause after so many steps, as for an evaluation; 0: never
  double pause_s = 0;
  double pause_draw = 0.5;  ///< dynamic power in a pause, as a share
  double drift = 0;         ///< change of a step's time over an hour, as a share

  double Clock(double cap_w) const {
    const double dynamic = (std::min(cap_w, draw_w) - idle_w) / (draw_w - idle_w);
    return std::pow(std::max(dynamic, 1e-3), 1 / exponent);
  }
  double StepSeconds(double cap_w) const {
    return step_s * (fixed_share + (1 - fixed_share) / Clock(cap_w));
  }
  double GpuWatts(double cap_w) const { return gpus * std::min(cap_w, draw_w); }
  double PauseWatts(double cap_w) const {
    return gpus * std::min(cap_w, idle_w + pause_draw * (draw_w - idle_w));
  }
  /// Mean time and energy of a step under a limit that never changes, without noise.
  double MeanStepSeconds(double cap_w) const {
    return StepSeconds(cap_w) + (steps_per_pause > 0 ? pause_s / steps_per_pause : 0);
  }
  double MeanStepJoules(double cap_w) const {
    const double pause = steps_per_pause > 0 ? pause_s / steps_per_pause : 0;
    return StepSeconds(cap_w) * GpuWatts(cap_w) + pause * PauseWatts(cap_w) +
           MeanStepSeconds(cap_w) * other_w;
  }
};

/// Runs the load in virtual time and reads it out once a second.
class CappedRun {
 public:
  CappedRun(const CappedLoad& load, std::uint64_t seed) : load_(load), random_(seed) {}

  /// Goes on until `until` under the limit. `mark` and `reading` receive what is reported.
  void Run(Time until, double cap_w, const std::function<void(const ProgressMark&)>& mark,
           const std::function<void(const core::EnergyReading&)>& reading) {
    while (now_ms_ < static_cast<double>(until.time_since_epoch().count())) {
      if (left_s_ <= 0) NextPart(cap_w, mark);
      const double to_reading_s = (read_ms_ + kReading - now_ms_) / 1000;
      const double slice = std::min(left_s_, to_reading_s);
      const double gpu_w = in_pause_ ? load_.PauseWatts(cap_w) : load_.GpuWatts(cap_w);
      gpu_j_ += gpu_w * slice;
      other_j_ += load_.other_w * slice;
      total_j_ += (gpu_w + load_.other_w) * slice;
      left_s_ -= slice;
      now_ms_ += 1000 * slice;
      if (now_ms_ >= read_ms_ + kReading - 1e-6) Read(reading);
    }
  }
  double steps() const { return steps_; }
  double joules() const { return total_j_; }
  double seconds() const { return now_ms_ / 1000; }

 private:
  static constexpr double kReading = 1000;

  // Ends a step, or a pause, and begins the next one.
  void NextPart(double cap_w, const std::function<void(const ProgressMark&)>& mark) {
    if (begun_ && !in_pause_) {
      steps_ += 1;
      const auto done = static_cast<long long>(steps_);
      if (done % load_.steps_per_report == 0) mark({TimeOf(now_ms_), steps_});
      if (load_.steps_per_pause > 0 && done % load_.steps_per_pause == 0) {
        in_pause_ = true;
        left_s_ = load_.pause_s;
        return;
      }
    }
    begun_ = true;
    in_pause_ = false;
    const double drift = 1 + load_.drift * now_ms_ / 3.6e6;
    left_s_ =
        load_.StepSeconds(cap_w) * drift * std::max(0.1, 1 + load_.step_noise * random_.Normal());
  }
  void Read(const std::function<void(const core::EnergyReading&)>& reading) {
    const Interval wall{TimeOf(read_ms_), TimeOf(read_ms_ + kReading)};
    const double noise = 1 + load_.power_noise * random_.Normal();
    reading({"gpu:0", core::Component::kGpu, core::EnergySource::kCounter, wall,
             Energy::Joules(gpu_j_ * noise)});
    reading({"cpu", core::Component::kCpu, core::EnergySource::kCounter, wall,
             Energy::Joules(other_j_)});
    gpu_j_ = other_j_ = 0;
    read_ms_ += kReading;
  }
  static Time TimeOf(double ms) { return Time{Duration{std::llround(ms)}}; }

  CappedLoad load_;
  Random random_;
  double now_ms_ = 0, read_ms_ = 0;
  double left_s_ = 0, steps_ = 0;
  double gpu_j_ = 0, other_j_ = 0, total_j_ = 0;
  bool in_pause_ = false, begun_ = false;
};

}  // namespace ebb::local
