#pragma once
// Which models of GPUs an object wants none of, by what they draw and how efficient they are
// (core/device_profile.h), and the node affinity that keeps its pods away from their nodes. A model
// that nobody knows passes, as in Compute Gardener.
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
  std::optional<Power> max_power;          ///< of one GPU: its board power limit
  std::optional<double> min_tflops_per_w;  ///< dense FP16 or BF16, of the same limit
  bool empty() const { return !max_power && !min_tflops_per_w; }
  friend bool operator==(const HardwareFilter&, const HardwareFilter&) = default;
};

/// "draws up to 700 W"; empty: it passes. `model`: as nodes are labelled.
std::string WhyFiltered(const HardwareFilter& filter, std::string_view model);

/// The spec of pods with GPUs, in an object.
struct PodTemplate {
  std::string spec;   ///< JSON pointer
  JsonNode affinity;  ///< as it is there; null: none
};
/// In the object's spec; of those that only submit, none.
std::vector<PodTemplate> TemplatesWithGpus(const JsonNode& object);

/// A JSON patch that keeps the pods of these templates away from nodes of these models; empty: they
/// are kept away already. Applies to the object with this uid and version only.
std::string AvoidModels(const std::vector<PodTemplate>& templates,
                        const std::vector<std::string>& models, const std::string& uid,
                        const std::string& version);

}  // namespace ebb::kubernetes
