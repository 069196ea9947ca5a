#pragma once
// The power limit that was found for a run's GPUs (--power-cap auto), and the measurements behind
// it. Values and text only; local/power/cap_search.h finds the limit. Method: docs/METHOD.md.

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/devices/power_cap.h"

namespace ebb::core {

/// The file in a run's directory with the limits that were found, a line for each attempt.
inline constexpr const char* kPowerChoiceFile = "power-cap.jsonl";

/// A program's speed and power under one limit.
struct CapTrial {
  Power cap;               ///< limit of each GPU
  double steps_per_s = 0;  ///< rate of progress
  double error = 0;        ///< standard error of `steps_per_s`, as a share of it
  Power power;             ///< everything that is booked to the run: GPUs, processors, memory
  Power gpu_power;         ///< one GPU
  Duration measured{};     ///< time without the wait for a steady state

  double joules_per_step() const { return power.watts / steps_per_s; }
  friend bool operator==(const CapTrial&, const CapTrial&) = default;
};

struct PowerChoice {
  int attempt = 1;
  std::string device_model;  ///< "NVIDIA L4"
  int gpus = 1;
  Slowdown slower_by;  ///< the largest slowdown that was allowed
  Power limit;         ///< limit of each GPU before
  /// Highest limit first; the first one is `limit`. Empty: nothing was measured.
  std::vector<CapTrial> trials;
  std::optional<Power> cap;  ///< the limit that was kept; nullopt: the limit was left alone
  double slower = 0;  ///< by the fit: extra time of a step under `cap`, as a share of its time
  double saved = 0;   ///< by the fit: energy that a step saves, as a share of its energy
  std::string why;    ///< reason, for people; empty if a limit was kept
  /// Job whose search found the limit; 0: this attempt searched.
  std::int64_t found_by = 0;

  friend bool operator==(const PowerChoice&, const PowerChoice&) = default;
};

/// "kept 210 W of 300 W: 13 % less energy per step, 4.1 % slower (5 limits tried)", or the reason
/// why the limit was left alone.
std::string Describe(const PowerChoice& choice);

}  // namespace ebb::core
