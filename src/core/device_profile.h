#pragma once
// What is known of a model of device before anything was measured on it: its power and how fast it
// trains, for placing jobs among unlike devices, and for estimating a GPU that reports no power.
//
// Speed is the arithmetic that a data sheet promises: dense FP16 or BF16 matrix products that add
// up in FP32, as mixed-precision training does, without sparsity. It ranks devices for large dense
// models; a model that waits for memory sees less difference, which measured history corrects
// (device_history.h). Sources: device_table.cc.
//
// Pure; values only.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace ebb::core {

struct DeviceProfile {
  std::string model;             ///< "L40S"; see ProfileOf for what it matches
  std::optional<Power> idle;     ///< with nothing running
  std::optional<Power> max;      ///< board power limit as shipped
  std::optional<double> tflops;  ///< dense FP16/BF16 with FP32 accumulation
  std::string source;            ///< for people
};

/// In no order.
std::span<const DeviceProfile> BuiltInDeviceProfiles();

/// What is known of the device that a driver calls `name` ("NVIDIA A100-SXM4-80GB"): the fields of
/// the best match in `own`, the rest from the built-in table. `model` is empty where nothing
/// matches.
///
/// Names are compared word by word, whatever the case and the marks between words. A built-in model
/// matches a name that has all its words and none beside them but brands and memory sizes ("RTX
/// 3090" is no "RTX 3090 Ti"); one of `own` matches every name that has all its words. The more
/// words match, the better.
DeviceProfile ProfileOf(std::string_view name, std::span<const DeviceProfile> own = {});
/// Of a part of the device, such as a MIG instance: power and speed in proportion.
DeviceProfile PartOf(DeviceProfile profile, double share);

/// As core::DevicePool has them; 1 where either side is not known.
struct RelativeDevice {
  double speed = 1;
  double power_factor = 1;
};
RelativeDevice RelativeTo(const DeviceProfile& reference, const DeviceProfile& device);

/// Of a device that reports its load and not its power: linear in the load from idle to the
/// maximum. Idle power that nobody states is taken as a tenth of the maximum: the number is ours.
/// Nothing without a maximum.
std::optional<Power> EstimatedPower(const DeviceProfile& profile, double utilisation);

}  // namespace ebb::core
