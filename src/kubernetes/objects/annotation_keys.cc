#include "kubernetes/objects/annotation_keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "core/options/job_options.h"

namespace ebb::kubernetes {
namespace {

constexpr std::string_view kWait = "ebb/wait", kGang = "ebb/gang", kGangSize = "ebb/gang-size";
// docs/kubernetes.md, Annotations that Ebb reads; options of jobs come after them.
constexpr std::array<std::string_view, 8> kOfClusters{
    kWait,     "ebb/workload",        "ebb/max-power", "ebb/min-efficiency",
    kGangSize, "ebb/price-threshold", "ebb/clusters",  "ebb/avoid-clusters"};
constexpr std::array<std::string_view, 17> kWritten{"ebb/stage",
                                                    "ebb/reason",
                                                    "ebb/cluster",
                                                    "ebb/expected-start",
                                                    "ebb/attempt",
                                                    "ebb/devices",
                                                    "ebb/own-devices",
                                                    "ebb/first-created",
                                                    "ebb/held",
                                                    "ebb/intensity-at-submission",
                                                    "ebb/intensity-at-start",
                                                    "ebb/energy-j",
                                                    "ebb/emissions-g",
                                                    "ebb/saved-g",
                                                    "ebb/measured-until",
                                                    "ebb/idle-energy-j",
                                                    "ebb/idle-emissions-g"};
constexpr std::array<std::string_view, 3> kLabels{kWait, kGang, kGangSize};

bool IsOneOf(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::count(keys, key) > 0;
}

std::vector<std::string> AnnotationsRead() {
  std::vector<std::string> keys(kOfClusters.begin(), kOfClusters.end());
  for (const core::JobOption& option : core::JobOptions())
    if (!option.annotation.empty()) keys.push_back(std::string(kPrefix) + option.annotation);
  return keys;
}

bool IsRead(std::string_view key) {
  static const std::vector<std::string> keys = AnnotationsRead();
  return std::ranges::count(keys, key) > 0;
}

std::string Unknown(std::string_view key, const char* what, const std::vector<std::string>& names) {
  return std::string(key) + ": Ebb knows no such " + what + SuggestionText(key, names);
}

}  // namespace

std::string WhyNoAnnotation(std::string_view key) {
  if (!key.starts_with(kPrefix) || IsRead(key) || IsOneOf(kWritten, key)) return "";
  if (key == kGang) return std::string(key) + ": is an annotation here; Ebb reads the label";
  return Unknown(key, "annotation", AnnotationsRead());
}

std::string WhyNoLabel(std::string_view key) {
  if (!key.starts_with(kPrefix) || IsOneOf(kLabels, key)) return "";
  if (IsRead(key)) return std::string(key) + ": is a label here; Ebb reads the annotation";
  return Unknown(key, "label", {kLabels.begin(), kLabels.end()});
}

std::string WhyNotOnNamespace(std::string_view key) {
  if (!key.starts_with(kPrefix) || key == kWait) return "";
  if (IsRead(key))
    return std::string(key) + ": Ebb does not read it on a namespace; a policy can have it";
  return Unknown(key, "annotation or label of a namespace", {kLabels.begin(), kLabels.end()});
}

}  // namespace ebb::kubernetes
