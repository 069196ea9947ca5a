#include "kubernetes/capacity.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units_text.h"
#include "kubernetes/json_reading.h"

namespace ebb::kubernetes {
namespace {

// A taint named after the GPUs keeps away pods that ask for none. Pods that ask for GPUs tolerate
// it, by themselves or because admission adds the toleration.
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
  if (requests.claimed > 0) return "a GPU as its claims ask for";
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

// Labels that identify the pods of one object.
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
  // A claim gave it its devices; the claim is counted, not the request.
  if (pod.At("/status/extendedResourceClaimStatus")) requests.gpus = 0;
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

// A card that is both a resource of the node and a published device is counted once.
Capacity::Pools Capacity::PoolsOf(const Node& node) {
  const std::string model = node.gpu_model.empty() ? kUnnamedGpuModel : node.gpu_model;
  Pools pools{PoolOf(model, node.taints), PoolOf(kCpuModel, node.taints), node.gpus, {}};
  if (!published_) return pools;
  for (const auto& [published, count] : published_->GpusOn(node.name)) {
    pools.pools[published] = PoolOf(published, node.taints);
    pools.resources = std::max(0.0, pools.resources - count);
  }
  return pools;
}

const core::Cluster& Capacity::cluster() {
  const int version = published_ ? published_->version() : published_version_;
  is_stale_ = is_stale_ || version != published_version_;
  if (!is_stale_) return cluster_;
  is_stale_ = false;
  published_version_ = version;
  pools_of_.clear();
  claimed_.clear();
  free_.assign(cluster_.pools.size(), 0);
  for (const auto& [uid, node] : nodes_) {
    if (!node.usable) continue;
    const Pools& pools = pools_of_[node.name] = PoolsOf(node);
    free_.resize(cluster_.pools.size(), 0);
    free_[pools.gpus] += pools.resources;
    free_[pools.cores] += node.cores;
    for (const auto& [model, pool] : pools.pools)
      free_[pool] += published_->GpusOn(node.name).at(model);
  }
  if (published_) CountClaimed();
  for (const auto& [model, set] : set_) free_[set.first] = set.second;
  for (std::size_t i = 0; i < free_.size(); ++i) SetCount(i);
  for (auto& [uid, pod] : pods_) Count(pod);
  return cluster_;
}

void Capacity::CountClaimed() {
  for (const HeldDevice& held : published_->HeldNow()) {
    ++claimed_[{held.node, held.model}];
    const auto pools = pools_of_.find(held.node);
    if (pools == pools_of_.end() || (held.owner && is_gated_(*held.owner))) continue;
    if (const auto pool = pools->second.pools.find(held.model); pool != pools->second.pools.end())
      free_[pool->second] -= 1;
  }
}

// Of its GPUs those of a pool that no pod holds.
double Capacity::FreeOf(const Node& node, const Pools& pools, std::size_t pool) const {
  double free = 0;
  if (pools.gpus == pool) {
    const auto held = held_on_.find(node.name);
    free += pools.resources - (held == held_on_.end() ? 0 : held->second.gpus);
  }
  for (const auto& [model, of_model] : pools.pools) {
    if (of_model != pool) continue;
    const auto claimed = claimed_.find({node.name, model});
    free +=
        published_->GpusOn(node.name).at(model) - (claimed == claimed_.end() ? 0 : claimed->second);
  }
  return free;
}

std::vector<NodeRoom> Capacity::RoomOnNodes(const PodRequests& requests, int pool) {
  cluster();
  std::vector<NodeRoom> rooms;
  for (const auto& [uid, node] : nodes_) {
    const auto pools = pools_of_.find(node.name);
    if (pools == pools_of_.end() || !Tolerates(requests, node.taints)) continue;
    const auto held = held_on_.find(node.name);
    const double cores = node.cores - (held == held_on_.end() ? 0 : held->second.cores);
    const auto wanted = static_cast<std::size_t>(pool);
    const Pools& has = pools->second;
    const bool in_pool =
        has.gpus == wanted ||
        std::ranges::any_of(has.pools, [&](const auto& each) { return each.second == wanted; });
    rooms.push_back(
        {FreeOf(node, has, in_pool ? wanted : has.gpus), cores, node.gpu_model, in_pool});
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
    const bool is_claimed = requests.claimed <= 0 || requests.claim_models.contains(base);
    const bool is_named = is_claimed && (requests.gpu_model.empty() || base == requests.gpu_model);
    const bool passes = is_cpu || WhyFiltered(requests.filter, base).empty();
    if (on_gpus != is_cpu && (is_cpu || is_named) && passes && Tolerates(requests, taints))
      models.push_back(cluster_.pools[i].model);
  }
  // An empty list would mean any; the node that has them may come later.
  if (models.empty()) models.push_back(NoneOf(requests));
  return models;
}

}  // namespace ebb::kubernetes
