#include "kubernetes/capacity.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units_text.h"
#include "kubernetes/json_reading.h"

namespace ebb::kubernetes {
namespace {

// A taint of the GPUs themselves keeps away what asks for none, and is tolerated by admission of
// the cluster or by whoever asks for them.
std::string TaintsOf(const JsonNode& node) {
  std::vector<std::string> keys;
  if (const JsonNode* taints = node.At("/spec/taints"))
    for (const JsonNode& taint : taints->items)
      if (taint.TextOf("effect") != "PreferNoSchedule" && !IsGpu(taint.TextOf("key")))
        keys.push_back(taint.TextOf("key"));
  std::ranges::sort(keys);
  return Join(keys, ",");
}

// Between the model and the taints in the name of a pool.
constexpr std::string_view kTainted = ", tainted ";

// Instead of taints, of a pool that no node has part of. No taint is like that.
constexpr const char* kSet = "(set)";

// Of sums of fractions of a core.
constexpr double kRounding = 1e-6;

// What is said of the object then: no pool has such a model.
std::string NoneOf(const PodRequests& requests) {
  const HardwareFilter& filter = requests.filter;
  if (filter.empty()) return requests.gpu_model;
  std::string text = "a GPU";
  if (filter.max_power) text += " of at most " + PowerText(*filter.max_power);
  if (filter.min_tflops_per_w)
    text += " with at least " + FormatExact(*filter.min_tflops_per_w) + " TFLOPS per W";
  return text;
}

bool Tolerates(const PodRequests& requests, const std::string& taints) {
  if (taints.empty() || requests.tolerated.contains("")) return true;
  const auto keys = Split(taints, ',');
  return std::ranges::all_of(
      keys, [&](std::string_view key) { return requests.tolerated.contains(std::string(key)); });
}

// Labels by which pods are told from those of others.
bool NamesPods(std::string_view label) {
  return label == kGangLabel || std::ranges::count(GatedKinds(), label, &GatedKind::pod_label) > 0;
}

std::string KeyOf(const std::string& name_space, const std::string& label,
                  const std::string& value) {
  return name_space + "/" + label + "=" + value;
}

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
  PoolOf(kCpuModel, "");
  PoolOf(kUnnamedGpuModel, "");
}

void Capacity::KeepPools(const core::Cluster& before) {
  for (const core::DevicePool& pool : before.pools) {
    if (pool.model.starts_with(kQueuePrefix)) {
      SetPool(pool.model, 0);
      continue;
    }
    const auto mark = pool.model.find(kTainted);
    if (mark == std::string::npos)
      PoolOf(pool.model, "");
    else
      PoolOf(pool.model.substr(0, mark), pool.model.substr(mark + kTainted.size()));
  }
}

void Capacity::TakeNode(const JsonNode& node) {
  Node& known = nodes_[TextAt(node, "/metadata/uid")];
  const Node before = known;
  known.name = TextAt(node, "/metadata/name");
  known.gpu_model = TextAt(node, "/metadata/labels/nvidia.com~1gpu.product");
  known.usable = HasCondition(node, "Ready") && !IsTrueAt(node, "/spec/unschedulable");
  known.taints = TaintsOf(node);
  known.gpus = known.cores = 0;
  if (const JsonNode* offered = node.At("/status/allocatable"))
    for (const JsonMember& member : offered->members) {
      if (IsGpu(member.name)) known.gpus += QuantityOf(member.value).value_or(0);
      if (member.name == "cpu") known.cores = QuantityOf(member.value).value_or(0);
    }
  // Nodes report that they live every few seconds.
  is_stale_ = is_stale_ || before.usable != known.usable || before.gpus != known.gpus ||
              before.cores != known.cores || before.gpu_model != known.gpu_model ||
              before.taints != known.taints;
}

void Capacity::DropNode(const std::string& uid) { is_stale_ |= nodes_.erase(uid) > 0; }

void Capacity::TakePod(const JsonNode& pod, const std::string& gang) {
  const std::string uid = TextAt(pod, "/metadata/uid");
  const std::string phase = TextAt(pod, "/status/phase");
  const std::string node = TextAt(pod, "/spec/nodeName");
  if (node.empty() || phase == "Succeeded" || phase == "Failed") return DropPod(uid);
  if (pods_.contains(uid)) return;  // what a pod asks for and where it is never changes
  PodRequests requests;
  AddPod(*pod.Find("spec"), 1, requests);
  Pod& known =
      pods_[uid] = {node,
                    requests.gpus,
                    requests.cores,
                    {TextAt(pod, "/metadata/namespace"), TextsAt(pod, "/metadata/labels")}};
  if (!gang.empty()) known.owner.labels[kGangLabel] = gang;
  Hold(known, 1);
  if (!is_stale_) Count(known);
}

void Capacity::DropPod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  if (!is_stale_) Uncount(found->second);
  Hold(found->second, -1);
  pods_.erase(found);
}

void Capacity::Hold(const Pod& pod, int times) {
  Use& use = held_on_[pod.node];
  use.gpus += times * pod.gpus;
  use.cores += times * pod.cores;
  if ((use.pods += times) == 0) held_on_.erase(pod.node);
  for (const auto& [label, value] : pod.owner.labels)
    if (NamesPods(label)) {
      const auto at = labelled_.try_emplace(KeyOf(pod.owner.name_space, label, value)).first;
      if ((at->second += times) == 0) labelled_.erase(at);
    }
}

void Capacity::SetCount(std::size_t pool) {
  cluster_.pools[pool].count = static_cast<int>(std::max(0.0, std::floor(free_[pool] + kRounding)));
}

void Capacity::Count(Pod& pod) {
  const auto pools = pools_of_.find(pod.node);
  pod.counts = pools != pools_of_.end() && !is_gated_(pod.owner);
  if (!pod.counts) return;
  free_[pools->second.gpus] -= pod.gpus;
  free_[pools->second.cores] -= pod.cores;
  SetCount(pools->second.gpus);
  SetCount(pools->second.cores);
}

void Capacity::Uncount(const Pod& pod) {
  if (!pod.counts) return;
  const Pools& pools = pools_of_.at(pod.node);
  free_[pools.gpus] += pod.gpus;
  free_[pools.cores] += pod.cores;
  SetCount(pools.gpus);
  SetCount(pools.cores);
}

bool Capacity::HasPods(const std::string& name_space, const std::string& pods) const {
  return labelled_.contains(name_space + "/" + pods);
}

std::size_t Capacity::PoolOf(const std::string& base, const std::string& taints) {
  const auto found = std::ranges::find(traits_, std::pair(base, taints));
  if (found != traits_.end()) return static_cast<std::size_t>(found - traits_.begin());
  return AddPool(base, taints, taints.empty() ? base : base + std::string(kTainted) + taints);
}

std::size_t Capacity::AddPool(const std::string& base, const std::string& taints,
                              const std::string& name) {
  traits_.emplace_back(base, taints);
  cluster_.pools.push_back(PoolNamed(name));
  return traits_.size() - 1;
}

void Capacity::SetPool(const std::string& model, int count) {
  auto found = set_.find(model);
  if (found == set_.end()) {
    found = set_.try_emplace(model, AddPool("", kSet, model), count).first;
    free_.resize(traits_.size(), 0);
  }
  found->second.second = count;
  free_[found->second.first] = count;
  SetCount(found->second.first);
}

const core::Cluster& Capacity::cluster() {
  if (!is_stale_) return cluster_;
  is_stale_ = false;
  pools_of_.clear();
  free_.assign(cluster_.pools.size(), 0);
  for (const auto& [uid, node] : nodes_) {
    if (!node.usable) continue;
    const std::string model = node.gpu_model.empty() ? kUnnamedGpuModel : node.gpu_model;
    const Pools pools{PoolOf(model, node.taints), PoolOf(kCpuModel, node.taints)};
    free_.resize(cluster_.pools.size(), 0);
    pools_of_[node.name] = pools;
    free_[pools.gpus] += node.gpus;
    free_[pools.cores] += node.cores;
  }
  for (const auto& [model, set] : set_) free_[set.first] = set.second;
  for (std::size_t i = 0; i < free_.size(); ++i) SetCount(i);
  for (auto& [uid, pod] : pods_) Count(pod);
  return cluster_;
}

std::vector<NodeRoom> Capacity::RoomOnNodes(const PodRequests& requests, int pool) {
  cluster();
  std::vector<NodeRoom> rooms;
  for (const auto& [uid, node] : nodes_) {
    const auto pools = pools_of_.find(node.name);
    if (pools == pools_of_.end() || !Tolerates(requests, node.taints)) continue;
    const auto held = held_on_.find(node.name);
    const Use use = held == held_on_.end() ? Use{} : held->second;
    rooms.push_back({node.gpus - use.gpus, node.cores - use.cores, node.gpu_model,
                     pools->second.gpus == static_cast<std::size_t>(pool)});
  }
  return rooms;
}

std::vector<std::string> Capacity::FilteredModels(const HardwareFilter& filter) {
  std::set<std::string> models;
  for (const auto& [uid, node] : nodes_)
    if (!node.gpu_model.empty() && !WhyFiltered(filter, node.gpu_model).empty())
      models.insert(node.gpu_model);
  return {models.begin(), models.end()};
}

std::vector<std::string> Capacity::ModelsFor(const PodRequests& requests) {
  cluster();
  const bool on_gpus = requests.gpus > 0;
  std::vector<std::string> models;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    const auto& [base, taints] = traits_[i];
    if (taints == kSet) continue;
    const bool is_cpu = base == kCpuModel;
    const bool is_named = requests.gpu_model.empty() || base == requests.gpu_model;
    const bool passes = is_cpu || WhyFiltered(requests.filter, base).empty();
    if (on_gpus != is_cpu && (is_cpu || is_named) && passes && Tolerates(requests, taints))
      models.push_back(cluster_.pools[i].model);
  }
  // An empty list would mean any; the node that has them may come later.
  if (models.empty()) models.push_back(NoneOf(requests));
  return models;
}

}  // namespace ebb::kubernetes
