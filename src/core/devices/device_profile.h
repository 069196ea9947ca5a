#pragma once
// Facts about a model of device before anything is measured on it: its power and its training
// speed. Ebb uses them to place jobs among unlike devices and to estimate a GPU that reports no
// power.
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
  std::string model;             ///< "L40S"; ProfileOf says which names match
  std::optional<Power> idle;     ///< power with nothing running
  std::optional<Power> max;      ///< board power limit as shipped
  std::optional<double> tflops;  ///< dense FP16/BF16 TFLOPS with FP32 accumulation
  std::string source;            ///< source of the figures, for people
};

/// The built-in profiles, in no order.
std::span<const DeviceProfile> BuiltInDeviceProfiles();

/// The profile of the device that a driver calls `name` ("NVIDIA A100-SXM4-80GB"): the fields of
/// the best match in `own`, the rest from the built-in table. `model` is empty if nothing matches.
///
/// Names are compared word by word; case and the marks between words do not count. A built-in model
/// matches a name that has all its words and no others except brands and memory sizes ("RTX 3090"
/// does not match "RTX 3090 Ti"); one of `own` matches every name that has all its words. The match
/// with the most words is the best.
DeviceProfile ProfileOf(std::string_view name, std::span<const DeviceProfile> own = {});
/// The profile of a part of the device, such as a MIG instance: power and speed in proportion.
DeviceProfile PartOf(DeviceProfile profile, double share);

/// Speed and power relative to another device, as core::DevicePool has them; 1 if either side is
/// unknown.
struct RelativeDevice {
  double speed = 1;
  double power_factor = 1;
};
RelativeDevice RelativeTo(const DeviceProfile& reference, const DeviceProfile& device);

/// Estimated power of a device that reports its load but not its power: linear in the load from
/// idle to the maximum. An unknown idle power counts as a tenth of the maximum, which is our own
/// number. nullopt without a maximum.
std::optional<Power> EstimatedPower(const DeviceProfile& profile, double utilisation);

}  // namespace ebb::core
