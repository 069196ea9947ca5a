#include "kubernetes/dispatch/worker_cluster.h"

#include <algorithm>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kMostPue = 10, kMostDevices = 100'000;

struct Range {
  int least, most;
};

std::optional<double> NumberOf(const JsonNode& json, const char* key, Range range,
                               std::vector<std::string>& problems) {
  const std::string text = TextAt(json, std::string("/metadata/annotations/ebb~1") + key);
  if (text.empty()) return std::nullopt;
  const auto number = ParseNumber(text);
  if (number && *number >= range.least && *number <= range.most) return number;
  problems.push_back("ebb/" + std::string(key) + ": " + Quoted(text) + " is not a number from " +
                     std::to_string(range.least) + " to " + std::to_string(range.most));
  return std::nullopt;
}

}  // namespace

WorkerCluster ReadWorkerCluster(const JsonNode& json) {
  WorkerCluster cluster;
  cluster.name = TextAt(json, "/metadata/name");
  cluster.zone = TextAt(json, "/metadata/annotations/ebb~1zone");
  std::vector<std::string>& problems = cluster.problems;
  if (cluster.zone.empty())
    problems.push_back("the annotation ebb/zone is missing, so nothing is sent there");
  if (const auto pue = NumberOf(json, "pue", {1, kMostPue}, problems)) cluster.pue = Pue{*pue};
  cluster.gpus = NumberOf(json, "gpus", {0, kMostDevices}, problems);
  cluster.cores = NumberOf(json, "cores", {0, kMostDevices}, problems);
  cluster.connected = HasCondition(json, "Active");
  return cluster;
}

std::set<std::string> ClusterNames(std::string_view text) {
  std::set<std::string> names;
  for (const std::string_view name : Split(text, ','))
    if (!Trim(name).empty()) names.emplace(Trim(name));
  return names;
}

}  // namespace ebb::kubernetes
