#pragma once
// Objects of MultiKueue for tests.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ebb::kubernetes {

/// A MultiKueueCluster that the manager reaches, with annotations "ebb/...".
inline nlohmann::json WorkerClusterObject(const std::string& name,
                                          const std::map<std::string, std::string>& annotations,
                                          bool active = true) {
  nlohmann::json texts = nlohmann::json::object();
  for (const auto& [key, value] : annotations) texts["ebb/" + key] = value;
  return {
      {"metadata", {{"name", name}, {"uid", "uid-of-" + name}, {"annotations", texts}}},
      {"status", {{"conditions", {{{"type", "Active"}, {"status", active ? "True" : "False"}}}}}}};
}

inline nlohmann::json ConfigObject(const std::string& name,
                                   const std::vector<std::string>& clusters) {
  return {{"metadata", {{"name", name}, {"uid", "uid-of-" + name}}},
          {"spec", {{"clusters", clusters}}}};
}

inline nlohmann::json MultiKueueCheckObject(const std::string& name, const std::string& config) {
  return {{"metadata", {{"name", name}, {"uid", "uid-of-" + name}}},
          {"spec",
           {{"controllerName", "kueue.x-k8s.io/multikueue"}, {"parameters", {{"name", config}}}}}};
}

}  // namespace ebb::kubernetes
