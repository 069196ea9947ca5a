#pragma once
// Excludes models of GPUs for an object by their power and efficiency
// (core/devices/device_profile.h), and makes the node affinity that keeps its pods away from their
// nodes. An unknown model passes, as in Compute Gardener.
//
// The affinity is set while the object is held back: an expression more in each term of each
// template of pods with GPUs, and nothing else of it is changed. It is never taken away.
//
// Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/units.h"

namespace ebb::kubernetes {

struct HardwareFilter {
  std::optional<Power> max_power;          ///< limit for the board power of one GPU
  std::optional<double> min_tflops_per_w;  ///< dense FP16 or BF16, at the board power limit
  bool empty() const { return !max_power && !min_tflops_per_w; }
  friend bool operator==(const HardwareFilter&, const HardwareFilter&) = default;
};

/// The reason for which the filter excludes a model, such as "draws up to 700 W"; empty: it passes.
/// `model`: as in the label of nodes.
std::string WhyFiltered(const HardwareFilter& filter, std::string_view model);

/// The place of a spec of pods with GPUs in an object.
struct PodTemplate {
  std::string spec;   ///< JSON pointer
  JsonNode affinity;  ///< existing affinity; null: none
};
/// Templates of pods with GPUs in the object's spec; without those of pods that only submit.
std::vector<PodTemplate> TemplatesWithGpus(const JsonNode& object);

/// A JSON patch that keeps the pods of these templates away from nodes of these models; empty: they
/// are kept away already. It applies only to the object with this uid and version.
std::string AvoidModels(const std::vector<PodTemplate>& templates,
                        const std::vector<std::string>& models, const std::string& uid,
                        const std::string& version);

}  // namespace ebb::kubernetes
