#include "kubernetes/capacity.h"

#include <algorithm>
#include <cmath>

#include "kubernetes/gated_object.h"
#include "kubernetes/json_reading.h"

namespace ebb::kubernetes {
namespace {

core::DevicePool PoolNamed(const std::string& model) {
  core::DevicePool pool;
  pool.model = model;
  pool.count = 0;
  return pool;
}

}  // namespace

Capacity::Capacity(core::Site site, std::function<bool(const PodOwner&)> is_gated)
    : is_gated_(std::move(is_gated)) {
  cluster_.sites = {std::move(site)};
  cluster_.pools = {PoolNamed(kCpuModel), PoolNamed(kUnnamedGpuModel)};
}

void Capacity::TakeNode(const JsonNode& node) {
  Node& known = nodes_[TextAt(node, "/metadata/uid")];
  const Node before = known;
  known.name = TextAt(node, "/metadata/name");
  known.gpu_model = TextAt(node, "/metadata/labels/nvidia.com~1gpu.product");
  known.usable = HasCondition(node, "Ready") && !IsTrueAt(node, "/spec/unschedulable");
  known.gpus = known.cores = 0;
  if (const JsonNode* offered = node.At("/status/allocatable"))
    for (const JsonMember& member : offered->members) {
      if (IsGpu(member.name)) known.gpus += QuantityOf(member.value).value_or(0);
      if (member.name == "cpu") known.cores = QuantityOf(member.value).value_or(0);
    }
  // Nodes report that they live every few seconds.
  is_stale_ = is_stale_ || before.usable != known.usable || before.gpus != known.gpus ||
              before.cores != known.cores || before.gpu_model != known.gpu_model;
}

void Capacity::DropNode(const std::string& uid) { is_stale_ |= nodes_.erase(uid) > 0; }

void Capacity::TakePod(const JsonNode& pod) {
  const std::string uid = TextAt(pod, "/metadata/uid");
  const std::string phase = TextAt(pod, "/status/phase");
  const std::string node = TextAt(pod, "/spec/nodeName");
  if (node.empty() || phase == "Succeeded" || phase == "Failed") return DropPod(uid);
  if (pods_.contains(uid)) return;  // what a pod asks for and where it is never changes
  PodRequests requests;
  AddPod(*pod.Find("spec"), 1, requests);
  pods_[uid] = {node,
                requests.gpus,
                requests.cores,
                {TextAt(pod, "/metadata/namespace"), TextsAt(pod, "/metadata/labels")}};
  is_stale_ = true;
}

void Capacity::DropPod(const std::string& uid) { is_stale_ |= pods_.erase(uid) > 0; }

std::size_t Capacity::PoolOf(const std::string& model) {
  const auto found = std::ranges::find(cluster_.pools, model, &core::DevicePool::model);
  if (found != cluster_.pools.end())
    return static_cast<std::size_t>(found - cluster_.pools.begin());
  cluster_.pools.push_back(PoolNamed(model));
  return cluster_.pools.size() - 1;
}

const core::Cluster& Capacity::cluster() {
  if (!is_stale_) return cluster_;
  is_stale_ = false;
  std::vector<double> free(cluster_.pools.size(), 0);
  std::unordered_map<std::string, std::size_t> gpu_pools;  // by name of node
  for (const auto& [uid, node] : nodes_) {
    if (!node.usable) continue;
    const std::size_t pool =
        PoolOf(node.gpu_model.empty() ? std::string(kUnnamedGpuModel) : node.gpu_model);
    free.resize(cluster_.pools.size(), 0);
    gpu_pools[node.name] = pool;
    free[pool] += node.gpus;
    free[0] += node.cores;
  }
  for (const auto& [uid, pod] : pods_) {
    const auto pool = gpu_pools.find(pod.node);
    if (pool == gpu_pools.end() || is_gated_(pod.owner)) continue;
    free[pool->second] -= pod.gpus;
    free[0] -= pod.cores;
  }
  for (std::size_t i = 0; i < free.size(); ++i)
    cluster_.pools[i].count = static_cast<int>(std::max(0.0, std::floor(free[i])));
  return cluster_;
}

std::vector<std::string> Capacity::GpuModels() const {
  std::vector<std::string> models;
  for (const core::DevicePool& pool : cluster_.pools)
    if (pool.model != kCpuModel) models.push_back(pool.model);
  return models;
}

}  // namespace ebb::kubernetes
