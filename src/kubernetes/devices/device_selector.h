#pragma once
// Evaluates selectors of device classes and claims for a device, in the part of CEL that such
// selectors use. An expression that it does not understand gives unknown, never a wrong answer.
// Pure.

#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace ebb::kubernetes {

using DeviceValue = std::variant<bool, double, std::string>;

/// Properties that many devices share.
struct DeviceKind {
  std::string driver;
  std::string model;                              ///< model of the pool in which it is counted
  std::map<std::string, DeviceValue> attributes;  ///< "gpu.nvidia.com/productName"
  std::map<std::string, double> capacity;
  friend bool operator==(const DeviceKind&, const DeviceKind&) = default;
  friend auto operator<=>(const DeviceKind&, const DeviceKind&) = default;
};

/// Tells if an attribute distinguishes a device from others of its kind; its value for a kind is
/// unknown.
bool IsOfOneDevice(std::string_view attribute);

enum class Match { kNo, kYes, kUnknown };

/// Evaluates `expression` in CEL, such as device.driver == "gpu.nvidia.com" &&
/// device.attributes["gpu.nvidia.com"].type == "gpu"
Match Matches(const std::string& expression, const DeviceKind& kind);

}  // namespace ebb::kubernetes
