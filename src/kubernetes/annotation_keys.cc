#include "kubernetes/annotation_keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"

namespace ebb::kubernetes {
namespace {

constexpr std::string_view kWait = "ebb/wait", kGang = "ebb/gang", kGangSize = "ebb/gang-size";
// docs/kubernetes.md, Annotations that Ebb reads.
constexpr std::array<std::string_view, 15> kRead{
    kWait,           "ebb/threshold",      "ebb/start-by",  "ebb/finish-by",
    "ebb/duration",  "ebb/tier",           "ebb/priority",  "ebb/power",
    "ebb/workload",  "ebb/checkpointable", "ebb/on-outage", "ebb/price-threshold",
    "ebb/max-power", "ebb/min-efficiency", kGangSize};
constexpr std::array<std::string_view, 14> kWritten{"ebb/stage",
                                                    "ebb/reason",
                                                    "ebb/expected-start",
                                                    "ebb/attempt",
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

std::string Unknown(std::string_view key, const char* what,
                    std::span<const std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  return std::string(key) + ": Ebb knows no such " + what + SuggestionText(key, names);
}

}  // namespace

std::string WhyNoAnnotation(std::string_view key) {
  if (!key.starts_with(kPrefix) || IsOneOf(kRead, key) || IsOneOf(kWritten, key)) return "";
  if (key == kGang) return std::string(key) + ": is an annotation here; Ebb reads the label";
  return Unknown(key, "annotation", kRead);
}

std::string WhyNoLabel(std::string_view key) {
  if (!key.starts_with(kPrefix) || IsOneOf(kLabels, key)) return "";
  if (IsOneOf(kRead, key)) return std::string(key) + ": is a label here; Ebb reads the annotation";
  return Unknown(key, "label", kLabels);
}

std::string WhyNotOnNamespace(std::string_view key) {
  if (!key.starts_with(kPrefix) || key == kWait) return "";
  if (IsOneOf(kRead, key))
    return std::string(key) + ": Ebb does not read it on a namespace; a policy can have it";
  return Unknown(key, "annotation or label of a namespace", kLabels);
}

}  // namespace ebb::kubernetes
