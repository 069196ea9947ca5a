#include "kubernetes/policies/policy_registry.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr std::string_view kEnding = ".yaml";

// Returns an empty text if the key is not that of a policy.
std::string NamespaceOf(const std::string& key) {
  return key.ends_with(kEnding) ? key.substr(0, key.size() - kEnding.size()) : "";
}

std::map<std::string, std::string> LastGoodOf(const JsonNode& config_map) {
  const auto kept = ParseJson(TextAt(config_map, "/metadata/annotations/ebb~1last-good"), "kept");
  return kept ? TextsAt(*kept, "") : std::map<std::string, std::string>{};
}

}  // namespace

bool PolicyRegistry::Take(const JsonNode& config_map) {
  const auto before = std::exchange(policies_, {});
  auto good = std::exchange(good_, {});
  good.merge(LastGoodOf(config_map));
  wrong_.clear();
  for (const auto& [key, text] : TextsAt(config_map, "/data")) {
    const std::string name_space = NamespaceOf(key);
    if (name_space.empty()) {
      wrong_[key] = key + ": is not the key of a policy: name it NAMESPACE.yaml";
      continue;
    }
    auto policy = parse_(text, key);
    if (policy) {
      good_[key] = text;
    } else {
      wrong_[key] = policy.error().Message();
      const auto last = good.find(key);
      if (last == good.end()) continue;
      policy = parse_(last->second, key);
      if (!policy) continue;  // another version of Ebb accepted it
      good_[key] = last->second;
    }
    policies_[name_space] = *std::move(policy);
  }
  return before != policies_;
}

bool PolicyRegistry::Drop() {
  good_.clear();
  wrong_.clear();
  return !std::exchange(policies_, {}).empty();
}

const NamespacePolicy* PolicyRegistry::Of(const std::string& name_space) const {
  auto found = policies_.find(name_space);
  if (found == policies_.end()) found = policies_.find(std::string(kOtherNamespaces));
  return found == policies_.end() ? nullptr : &found->second;
}

std::string PolicyRegistry::Status() const {
  std::vector<std::string> names;
  for (const auto& [name, policy] : policies_)
    names.push_back(name == kOtherNamespaces ? "all other namespaces" : name);
  std::string status =
      names.empty() ? "no policy is in force" : "in force for " + Join(names, ", ");
  for (const auto& [key, why] : wrong_)
    status += "; wrong: " + why +
              (good_.contains(key) ? " (the last good policy stays in force)" : " (ignored)");
  return status;
}

std::string PolicyRegistry::LastGood() const {
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [key, why] : wrong_)
    if (const auto good = good_.find(key); good != good_.end()) kept[key] = good->second;
  return kept.empty() ? "" : kept.dump();
}

}  // namespace ebb::kubernetes
