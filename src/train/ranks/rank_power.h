#pragma once
// The power of a rank's device, as a model of the device says: until a counter shows it, or if no
// counter can be read.

#include <cstdint>
#include <string>

namespace ebb::train {

/// Where a power comes from. The values are exchanged between ranks.
enum class PowerSource { kUnknown, kGiven, kCounter, kModel };
std::string Name(PowerSource source);

/// Watts of a rank's device: a GPU, or the processors that the rank's threads use.
struct RankPower {
  double busy_w = 0;
  double waiting_w = 0;  ///< while it waits for the other ranks
  PowerSource source = PowerSource::kUnknown;
};

/// By the board power and the idle power of the model (core/devices/device_profile.h). Unknown if
/// the model is.
RankPower ModelledGpuPower(const std::string& model);
/// By the thermal design power of the processors (meter/cpu/cpu_model.h), in proportion to the
/// threads.
RankPower ModelledCpuPower(std::int64_t threads, const std::string& proc_root = "/proc");

}  // namespace ebb::train
