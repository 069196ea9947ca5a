#include "kubernetes/devices/device_slices.h"

#include <algorithm>

#include "kubernetes/api/json_reading.h"
#include "kubernetes/nodes/capacity.h"

namespace ebb::kubernetes {
namespace {

std::string IdOf(const std::string& driver, const std::string& pool, const std::string& name) {
  return driver + "/" + pool + "/" + name;
}

// Adds the driver's domain to a name without one.
std::string Qualified(const std::string& name, const std::string& driver) {
  return name.find('/') == std::string::npos ? driver + "/" + name : name;
}

std::optional<DeviceValue> ValueOf(const JsonNode& attribute) {
  if (const JsonNode* number = attribute.Find("int"))
    if (const auto value = number->AsNumber()) return *value;
  if (const JsonNode* truth = attribute.Find("bool")) return truth->boolean;
  for (const char* key : {"string", "version"})
    if (const JsonNode* text = attribute.Find(key)) return text->text;
  return std::nullopt;
}

std::string TextOf(const DeviceKind& kind, const char* name) {
  const auto found = kind.attributes.find(kind.driver + "/" + name);
  const auto* text =
      found == kind.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text ? *text : "";
}

// The model in the spelling of the nodes' label.
std::string ModelOf(const DeviceKind& kind) {
  std::string model = TextOf(kind, "productName");
  if (model.empty()) model = TextOf(kind, "model");
  if (model.empty()) return kUnnamedGpuModel;
  std::ranges::replace(model, ' ', '-');
  return model;
}

bool IsSliceOfGpu(const DeviceKind& kind) { return TextOf(kind, "type") == "mig"; }

}  // namespace

bool IsGpuDriver(const std::string& driver) { return driver.starts_with("gpu."); }

DeviceSlices::Device DeviceSlices::ReadDevice(const JsonNode& json, const Slice& slice) {
  Device device;
  device.name = json.TextOf("name");
  device.node = json.TextOf("nodeName");
  device.unit = IdOf(slice.driver, slice.pool, device.name);
  if (const std::string counters = TextAt(json, "/consumesCounters/0/counterSet");
      !counters.empty())
    device.unit = IdOf(slice.driver, slice.pool, "counters of " + counters);
  DeviceKind& kind = device.kind;
  kind.driver = slice.driver;
  if (const JsonNode* attributes = json.Find("attributes"))
    for (const JsonMember& member : attributes->members)
      if (auto value = ValueOf(member.value); value && !IsOfOneDevice(member.name))
        kind.attributes[Qualified(member.name, slice.driver)] = *std::move(value);
  if (const JsonNode* capacity = json.Find("capacity"))
    for (const JsonMember& member : capacity->members)
      if (const JsonNode* value = member.value.Find("value"))
        kind.capacity[Qualified(member.name, slice.driver)] = QuantityOf(*value).value_or(0);
  kind.model = ModelOf(kind);
  return device;
}

void DeviceSlices::TakeSlice(const JsonNode& json) {
  Slice slice;
  slice.driver = TextAt(json, "/spec/driver");
  slice.pool = TextAt(json, "/spec/pool/name");
  slice.generation = NumberAt(json, "/spec/pool/generation").value_or(0);
  slice.slices = NumberAt(json, "/spec/pool/resourceSliceCount").value_or(1);
  const std::string node = TextAt(json, "/spec/nodeName");
  std::map<std::string, std::string> models;  // models of whole devices, by unit
  if (const JsonNode* devices = json.At("/spec/devices"))
    for (const JsonNode& each : devices->items) {
      Device device = ReadDevice(each, slice);
      if (device.node.empty()) device.node = node;
      if (const JsonNode* taints = each.Find("taints"); taints && !taints->items.empty())
        device.node.clear();
      if (!IsSliceOfGpu(device.kind)) models.emplace(device.unit, device.kind.model);
      slice.devices.push_back(std::move(device));
    }
  for (Device& device : slice.devices)
    if (const auto whole = models.find(device.unit); whole != models.end())
      device.kind.model = whole->second;
  slices_[TextAt(json, "/metadata/uid")] = std::move(slice);
  ++version_;
}

void DeviceSlices::DropSlice(const std::string& uid) {
  slices_.erase(uid);
  ++version_;
}

void DeviceSlices::Count() {
  if (std::exchange(counted_, version_) == version_) return;
  gpus_.clear();
  places_.clear();
  kinds_.clear();
  using Pool = std::pair<std::string, std::string>;
  std::map<Pool, std::pair<long long, long long>> newest;  // generation, and number of its slices
  for (const auto& [uid, slice] : slices_) {
    auto& [generation, count] = newest[{slice.driver, slice.pool}];
    if (slice.generation > generation) count = 0;
    generation = std::max(generation, slice.generation);
    count += slice.generation == generation ? 1 : 0;
  }
  std::set<std::string> units;
  for (const auto& [uid, slice] : slices_) {
    const auto& [generation, count] = newest.at({slice.driver, slice.pool});
    if (slice.generation == generation && count >= slice.slices) Count(slice, units);
  }
}

void DeviceSlices::Count(const Slice& slice, std::set<std::string>& units) {
  std::map<std::pair<DeviceKind, std::string>, int> on_nodes;
  for (const Device& device : slice.devices) {
    if (device.node.empty()) continue;
    int& most = kinds_[device.kind];
    most = std::max(most, ++on_nodes[{device.kind, device.node}]);
    if (!IsGpuDriver(slice.driver)) continue;
    places_[IdOf(slice.driver, slice.pool, device.name)] = {device.node, device.kind.model,
                                                            device.unit};
    if (units.insert(device.unit).second) ++gpus_[device.node][device.kind.model];
  }
}

const std::map<std::string, int>& DeviceSlices::GpusOn(const std::string& node) {
  static const std::map<std::string, int> kNone;
  Count();
  const auto found = gpus_.find(node);
  return found == gpus_.end() ? kNone : found->second;
}

const DeviceSlices::Place* DeviceSlices::Find(const std::string& driver, const std::string& pool,
                                              const std::string& device) {
  Count();
  const auto found = places_.find(IdOf(driver, pool, device));
  return found == places_.end() ? nullptr : &found->second;
}

const std::map<DeviceKind, int>& DeviceSlices::kinds() {
  Count();
  return kinds_;
}

}  // namespace ebb::kubernetes
