#pragma once
// Whether a device is one that a selector of a device class or a claim asks for: the part of CEL
// that such selectors are made of. What it does not understand is unknown, and never wrong.
//
// Pure.

#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace ebb::kubernetes {

using DeviceValue = std::variant<bool, double, std::string>;

/// What many devices have in common.
struct DeviceKind {
  std::string driver;
  std::string model;                              ///< of the pool that it is counted in
  std::map<std::string, DeviceValue> attributes;  ///< "gpu.nvidia.com/productName"
  std::map<std::string, double> capacity;
  friend bool operator==(const DeviceKind&, const DeviceKind&) = default;
  friend auto operator<=>(const DeviceKind&, const DeviceKind&) = default;
};

/// Whether an attribute tells a device from others of its kind; nobody knows it of a kind.
bool IsOfOneDevice(std::string_view attribute);

enum class Match { kNo, kYes, kUnknown };

/// `expression`: CEL, such as
///   device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"
Match Matches(const std::string& expression, const DeviceKind& kind);

}  // namespace ebb::kubernetes
