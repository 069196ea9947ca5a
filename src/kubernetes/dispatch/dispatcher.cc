#include "kubernetes/dispatch/dispatcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

double QuotaOf(const WorkerCluster& cluster, bool on_gpus, double nominal) {
  return (on_gpus ? cluster.gpus : cluster.cores).value_or(nominal);
}

}  // namespace

// Reports of the reflectors -------------------------------------------------------------------

bool Dispatcher::TakeCluster(const JsonNode& json) {
  WorkerCluster cluster = ReadWorkerCluster(json);
  WorkerCluster& known = clusters_[TextAt(json, "/metadata/uid")];
  const bool is_back = cluster.connected && !known.connected;
  if (known == cluster) return false;
  if (is_back) Freed(cluster.name);
  known = std::move(cluster);
  return true;
}

bool Dispatcher::DropCluster(const std::string& uid) { return clusters_.erase(uid) > 0; }

bool Dispatcher::TakeConfig(const JsonNode& json) {
  std::vector<std::string> names;
  if (const JsonNode* clusters = json.At("/spec/clusters"))
    for (const JsonNode& name : clusters->items)
      if (name.type == JsonNode::Type::kText) names.push_back(name.text);
  auto& known = configs_[TextAt(json, "/metadata/uid")];
  std::pair config(TextAt(json, "/metadata/name"), std::move(names));
  return std::exchange(known, config) != config;
}

bool Dispatcher::DropConfig(const std::string& uid) { return configs_.erase(uid) > 0; }

bool Dispatcher::TakeCheck(const JsonNode& json) {
  const std::string uid = TextAt(json, "/metadata/uid");
  if (TextAt(json, "/spec/controllerName") != kMultiKueueController) return DropCheck(uid);
  std::pair check(TextAt(json, "/metadata/name"), TextAt(json, "/spec/parameters/name"));
  return std::exchange(checks_[uid], check) != check;
}

bool Dispatcher::DropCheck(const std::string& uid) { return checks_.erase(uid) > 0; }

// Clusters of a workload ----------------------------------------------------------------------

// Kueue allows one such check for a queue.
const std::string* Dispatcher::ConfigOf(const std::set<std::string>& checks) const {
  if (!enabled()) return nullptr;
  const auto found = std::ranges::find_if(
      checks_, [&](const auto& entry) { return checks.contains(entry.second.first); });
  return found == checks_.end() ? nullptr : &found->second.second;
}

const std::vector<std::string>* Dispatcher::NamesOf(const std::set<std::string>& checks) const {
  const std::string* config = ConfigOf(checks);
  if (!config) return nullptr;
  const auto found = std::ranges::find_if(
      configs_, [&](const auto& entry) { return entry.second.first == *config; });
  return found == configs_.end() ? nullptr : &found->second.second;
}

bool Dispatcher::Sends(const std::set<std::string>& checks) const { return ConfigOf(checks); }

const WorkerCluster* Dispatcher::Find(const std::string& name) const {
  const auto found =
      std::ranges::find_if(clusters_, [&](const auto& entry) { return entry.second.name == name; });
  return found == clusters_.end() ? nullptr : &found->second;
}

std::vector<const WorkerCluster*> Dispatcher::clusters() const {
  std::vector<const WorkerCluster*> all;
  for (const auto& [uid, cluster] : clusters_) all.push_back(&cluster);
  std::ranges::sort(all, {}, &WorkerCluster::name);
  return all;
}

std::vector<std::string> Dispatcher::ClustersOf(const std::set<std::string>& checks,
                                                const ClusterWish& wish) const {
  std::vector<std::string> accepted;
  const std::vector<std::string>* names = NamesOf(checks);
  if (!names) return accepted;
  std::ranges::copy_if(*names, std::back_inserter(accepted), [&](const std::string& name) {
    const WorkerCluster* cluster = Find(name);
    return cluster && !cluster->zone.empty() && wish.Accepts(name);
  });
  return accepted;
}

std::string Dispatcher::WhyNone(const std::set<std::string>& checks,
                                const ClusterWish& wish) const {
  const std::string* config = ConfigOf(checks);
  const std::vector<std::string>* names = NamesOf(checks);
  if (!config || !names)
    return "the MultiKueueConfig " + (config ? Quoted(*config) : "of its queue") + " is not there";
  std::vector<std::string> accepted;
  std::ranges::copy_if(*names, std::back_inserter(accepted),
                       [&](const std::string& name) { return wish.Accepts(name); });
  if (accepted.empty())
    return "its annotations ebb/clusters and ebb/avoid-clusters leave none of the clusters " +
           Join(*names, ", ");
  return "no cluster of " + Join(accepted, ", ") + " has the annotation ebb/zone";
}

// Room ----------------------------------------------------------------------------------------

ClusterRoom Dispatcher::RoomIn(const std::string& name, bool on_gpus, const ClusterUse& use,
                               Duration now) const {
  const WorkerCluster* cluster = Find(name);
  const int ours = static_cast<int>(std::ceil(use.ours));
  if (!cluster) return {ours, 0};
  const double free_of_others =
      std::max(0.0, std::floor(QuotaOf(*cluster, on_gpus, use.nominal) - use.others));
  const int all = std::max(ours, static_cast<int>(free_of_others));
  const int in_flight = static_cast<int>(std::ceil(use.in_flight));
  if (!cluster->connected || IsFull(name, now)) return {ours, all - ours + in_flight};
  return {all, in_flight};
}

std::optional<std::string> Dispatcher::Choose(
    const RunNow& run, const std::function<ClusterUse(const std::string& cluster)>& use_of,
    Duration now) const {
  std::optional<std::pair<std::tuple<bool, double>, std::string>> best;
  for (const std::string& name : run.clusters) {
    const WorkerCluster* cluster = Find(name);
    if (!cluster || !cluster->connected) continue;
    const ClusterUse use = use_of(name);
    const double free = QuotaOf(*cluster, run.on_gpus, use.nominal) - use.others - use.ours;
    const bool has_room = !IsFull(name, now) && free >= run.devices;
    const auto intensity = options_.expected(cluster->zone, run.duration);
    const double grams =
        intensity ? intensity->g_per_kwh * cluster->pue.ratio : std::numeric_limits<double>::max();
    const std::tuple rank(!has_room, grams);
    if (!best || rank < best->first) best.emplace(rank, name);
  }
  return best ? std::optional(best->second) : std::nullopt;
}

void Dispatcher::DidNotAdmit(const std::string& cluster, Duration now) {
  full_until_[cluster] = now + options_.full_for;
}

bool Dispatcher::IsFull(const std::string& cluster, Duration now) const {
  const auto found = full_until_.find(cluster);
  return found != full_until_.end() && found->second > now;
}

std::optional<Duration> Dispatcher::NextDue() const {
  std::optional<Duration> next;
  for (const auto& [cluster, until] : full_until_)
    if (!next || until < *next) next = until;
  return next;
}

bool Dispatcher::Tick(Duration now) {
  return std::erase_if(full_until_, [&](const auto& full) { return full.second <= now; }) > 0;
}

}  // namespace ebb::kubernetes
