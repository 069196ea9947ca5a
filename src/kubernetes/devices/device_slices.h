#pragma once
// The devices that drivers publish (resource.k8s.io/v1, ResourceSlices): how many GPUs of which
// model each node has, and what kinds of devices there are, for selectors.
//
// Only slices of a pool's newest generation count, and only once all of them are there, as for
// Kubernetes. A device of a driver whose name begins with "gpu." is a GPU. Devices that draw on the
// same counters (a GPU and slices of it) are one, of the model of the whole. Devices of no single
// node and tainted devices are not counted.
//
// Values; told by a reflector.

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/devices/device_selector.h"

namespace ebb::kubernetes {

class DeviceSlices {
 public:
  void TakeSlice(const JsonNode& slice);
  void DropSlice(const std::string& uid);

  /// GPUs of a node, by model.
  const std::map<std::string, int>& GpusOn(const std::string& node);
  /// Place of an allocated device.
  struct Place {
    std::string node, model;
    std::string unit;  ///< shared by all devices that draw on the same counters
  };
  /// Returns nullptr if the device is not a GPU, or is not published.
  const Place* Find(const std::string& driver, const std::string& pool, const std::string& device);
  /// All kinds of devices, with the largest number on one node.
  const std::map<DeviceKind, int>& kinds();
  /// Increases with each change.
  int version() const { return version_; }
  std::size_t remembered() const { return slices_.size() + places_.size(); }

 private:
  struct Device {
    std::string name, node, unit;
    DeviceKind kind;
  };
  struct Slice {
    std::string driver, pool;
    long long generation = 0, slices = 0;
    std::vector<Device> devices;
  };
  static Device ReadDevice(const JsonNode& json, const Slice& slice);
  void Count();
  void Count(const Slice& slice, std::set<std::string>& units);

  std::map<std::string, Slice> slices_;                     // by uid
  std::map<std::string, std::map<std::string, int>> gpus_;  // by node, by model
  std::unordered_map<std::string, Place> places_;           // by driver, pool and device
  std::map<DeviceKind, int> kinds_;
  int version_ = 0, counted_ = 0;
};

/// Tells if devices of such a driver are GPUs.
bool IsGpuDriver(const std::string& driver);

}  // namespace ebb::kubernetes
