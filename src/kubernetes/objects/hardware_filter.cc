#include "kubernetes/objects/hardware_filter.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units_text.h"
#include "core/devices/device_profile.h"
#include "kubernetes/objects/pod_requests.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kTerms = "nodeSelectorTerms";

void Find(const JsonNode& node, const std::string& path, std::vector<PodTemplate>& found) {
  for (std::size_t i = 0; i < node.items.size(); ++i)
    Find(node.items[i], path + "/" + std::to_string(i), found);
  if (!node.is_object()) return;
  const JsonNode* spec = node.Find("spec");
  if (spec && spec->Find("containers")) {
    PodRequests requests;
    AddPod(*spec, 1, requests);
    const JsonNode* affinity = spec->Find("affinity");
    if (requests.gpus > 0) found.push_back({path + "/spec", affinity ? *affinity : JsonNode{}});
    return;
  }
  for (const JsonMember& member : node.members)
    if (member.name != "submitterPodTemplate" && member.name.find('/') == std::string::npos)
      Find(member.value, path + "/" + member.name, found);
}

// Tells if a term keeps pods away from all of these models.
bool Avoids(const JsonNode& term, const std::vector<std::string>& models) {
  const JsonNode* expressions = term.Find("matchExpressions");
  if (!expressions) return false;
  return std::ranges::any_of(expressions->items, [&](const JsonNode& expression) {
    const JsonNode* values = expression.Find("values");
    return expression.TextOf("key") == kGpuModelLabel && expression.TextOf("operator") == "NotIn" &&
           values && std::ranges::all_of(models, [&](const std::string& model) {
             return std::ranges::any_of(
                 values->items, [&](const JsonNode& value) { return value.AsText() == model; });
           });
  });
}

void Avoid(const PodTemplate& pods, const std::vector<std::string>& models, Json& patch) {
  const Json expression{{"key", kGpuModelLabel}, {"operator", "NotIn"}, {"values", models}};
  const auto add = [&](const std::string& path, Json value) {
    patch.push_back({{"op", "add"}, {"path", pods.spec + path}, {"value", std::move(value)}});
  };
  const Json required{{kTerms, {{{"matchExpressions", {expression}}}}}};
  if (!pods.affinity.is_object())
    return add("/affinity", {{"nodeAffinity", {{kRequired, required}}}});
  const JsonNode* nodes = pods.affinity.Find("nodeAffinity");
  if (!nodes) return add("/affinity/nodeAffinity", {{kRequired, required}});
  const std::string place = std::string("/affinity/nodeAffinity/") + kRequired;
  const JsonNode* there = nodes->Find(kRequired);
  const JsonNode* terms = there ? there->Find(kTerms) : nullptr;
  if (!terms || terms->items.empty()) return add(place, required);
  for (std::size_t i = 0; i < terms->items.size(); ++i) {
    if (Avoids(terms->items[i], models)) continue;
    const std::string term = place + "/" + kTerms + "/" + std::to_string(i) + "/matchExpressions";
    if (terms->items[i].Find("matchExpressions"))
      add(term + "/-", expression);
    else
      add(term, Json::array({expression}));
  }
}

}  // namespace

std::string WhyFiltered(const HardwareFilter& filter, std::string_view model) {
  const core::DeviceProfile profile = core::ProfileOf(model);
  if (!profile.max) return "";
  if (filter.max_power && *profile.max > *filter.max_power)
    return "draws up to " + PowerText(*profile.max);
  if (filter.min_tflops_per_w && profile.tflops &&
      *profile.tflops / profile.max->watts < *filter.min_tflops_per_w)
    return "computes " + FormatSignificant(*profile.tflops / profile.max->watts, 2) +
           " TFLOPS per W";
  return "";
}

std::vector<PodTemplate> TemplatesWithGpus(const JsonNode& object) {
  std::vector<PodTemplate> found;
  if (const JsonNode* spec = object.Find("spec")) Find(*spec, "/spec", found);
  return found;
}

std::string AvoidModels(const std::vector<PodTemplate>& templates,
                        const std::vector<std::string>& models, const std::string& uid,
                        const std::string& version) {
  Json patch = Json::array();
  if (!models.empty())
    for (const PodTemplate& pods : templates) Avoid(pods, models, patch);
  if (patch.empty()) return "";
  Json tests{{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}},
             {{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version}}};
  tests.insert(tests.end(), patch.begin(), patch.end());
  return tests.dump();
}

}  // namespace ebb::kubernetes
