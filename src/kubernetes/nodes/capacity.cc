#include "kubernetes/nodes/capacity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "base/text.h"
#include "base/units_text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// A taint named after the GPUs keeps away pods that ask for none. Pods that ask for GPUs tolerate
// it, by themselves or because admission adds the toleration.
std::string TaintsOf(std::vector<std::string> keys) {
  std::erase_if(keys, [](const std::string& key) { return IsGpu(key); });
  std::ranges::sort(keys);
  return Join(keys, ",");
}

std::string TaintsOf(const JsonNode& node) {
  std::vector<std::string> keys;
  if (const JsonNode* taints = node.At("/spec/taints"))
    for (const JsonNode& taint : taints->items)
      if (taint.TextOf("effect") != "PreferNoSchedule") keys.push_back(taint.TextOf("key"));
  return TaintsOf(std::move(keys));
}

bool HasTaint(const JsonNode& node, std::span<const std::string_view> keys) {
  const JsonNode* taints = node.At("/spec/taints");
  return taints && std::ranges::any_of(taints->items, [&](const JsonNode& taint) {
           return std::ranges::count(keys, taint.TextOf("key")) > 0;
         });
}

// Taints of a node until its parts are there, and once it is to be removed.
constexpr std::array<std::string_view, 3> kNewTaints{
    "node.kubernetes.io/not-ready", "node.cloudprovider.kubernetes.io/uninitialized",
    "karpenter.sh/unregistered"};
constexpr std::array<std::string_view, 2> kLeavingTaints{"ToBeDeletedByClusterAutoscaler",
                                                         "karpenter.sh/disrupted"};

// A kubelet that has begun reports that its node is not ready. The status Unknown means that the
// node is not heard of any more.
bool IsStarting(const JsonNode& node) {
  if (HasCondition(node, "Ready")) return HasTaint(node, kNewTaints);
  const JsonNode* conditions = node.At("/status/conditions");
  return !conditions || std::ranges::none_of(conditions->items, [](const JsonNode& condition) {
    return condition.TextOf("type") == "Ready" && condition.TextOf("status") == "Unknown";
  });
}

// Separates the model from the taints in the name of a pool.
constexpr std::string_view kTainted = ", tainted ";

// Stands for the taints of a pool that no node is part of. No taint has this key.
constexpr const char* kSet = "(set)";

// Tolerance for sums of fractions of a core.
constexpr double kRounding = 1e-6;

// Text about an object if no pool has such a model.
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
  for (std::size_t i = 1; i < before.sites.size(); ++i) cluster_.sites.push_back(before.sites[i]);
  for (const core::DevicePool& pool : before.pools) {
    if (pool.model.starts_with(kQueuePrefix)) {
      SetPool(pool.model, {.site = pool.site});
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
  const bool leaves = IsTrueAt(node, "/spec/unschedulable") || HasTaint(node, kLeavingTaints);
  known.starting = !leaves && IsStarting(node);
  known.usable = !leaves && !known.starting && HasCondition(node, "Ready");
  known.group = groups_ ? groups_->Of(node) : -1;
  known.taints = TaintsOf(node);
  known.gpus = known.cores = 0;
  if (const JsonNode* offered = node.At("/status/allocatable"))
    for (const JsonMember& member : offered->members) {
      if (IsGpu(member.name)) known.gpus += QuantityOf(member.value).value_or(0);
      if (member.name == "cpu") known.cores = QuantityOf(member.value).value_or(0);
    }
  // Nodes send heartbeats every few seconds, which change nothing here.
  is_stale_ = is_stale_ || before.usable != known.usable || before.gpus != known.gpus ||
              before.cores != known.cores || before.gpu_model != known.gpu_model ||
              before.taints != known.taints || before.group != known.group ||
              before.starting != known.starting;
  if (known.group >= 0 && CountsNow(known) && !(before.usable && CountsNow(before)))
    groups_->Came(known.group);
}

void Capacity::DropNode(const std::string& uid) { is_stale_ |= nodes_.erase(uid) > 0; }

void Capacity::TakePod(const JsonNode& pod, const std::string& gang) {
  const std::string uid = TextAt(pod, "/metadata/uid");
  const std::string phase = TextAt(pod, "/status/phase");
  const std::string node = TextAt(pod, "/spec/nodeName");
  if (node.empty() || phase == "Succeeded" || phase == "Failed") return DropPod(uid);
  if (pods_.contains(uid)) return;  // requests and node of a pod never change
  PodRequests requests;
  AddPod(*pod.Find("spec"), 1, requests);
  // The claim that gave the pod its devices is counted, not the request.
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

// Pods that do not exist yet are counted when they come.
void Capacity::OwnersChanged(const std::string& name_space, const std::string& pods) {
  is_stale_ |= HasPods(name_space, pods) || claimants_.contains(name_space + "/" + pods);
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

void Capacity::SetPool(const std::string& model, const SetDevices& devices) {
  auto found = set_.find(model);
  if (found == set_.end()) {
    found = set_.try_emplace(model, AddPool("", kSet, model), devices).first;
    free_.resize(traits_.size(), 0);
  }
  found->second.second = devices;
  Show(found->second.first, devices);
}

void Capacity::Show(std::size_t pool, const SetDevices& devices) {
  free_[pool] = devices.count;
  cluster_.pools[pool].away = devices.away;
  cluster_.pools[pool].site = devices.site;
  SetCount(pool);
}

int Capacity::SiteLike(const core::Site& site) {
  const auto found = std::find(cluster_.sites.begin() + 1, cluster_.sites.end(), site);
  const auto at = found - cluster_.sites.begin();
  if (found == cluster_.sites.end()) cluster_.sites.push_back(site);
  return static_cast<int>(at);
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
  const int of_groups = groups_ ? groups_->version() : groups_version_;
  is_stale_ = is_stale_ || version != published_version_ || of_groups != groups_version_;
  if (!is_stale_) return cluster_;
  is_stale_ = false;
  published_version_ = version;
  groups_version_ = of_groups;
  pools_of_.clear();
  claimed_.clear();
  claimants_.clear();
  free_.assign(cluster_.pools.size(), 0);
  standing_.assign(cluster_.pools.size(), 0);
  for (const auto& [uid, node] : nodes_) {
    if (!CountsNow(node)) continue;
    const Pools& pools = pools_of_[node.name] = PoolsOf(node);
    free_.resize(cluster_.pools.size(), 0);
    standing_.resize(cluster_.pools.size(), 0);
    const auto add = [&](std::size_t pool, double devices) {
      free_[pool] += devices;
      if (node.group < 0) standing_[pool] += devices;
    };
    add(pools.gpus, pools.resources);
    add(pools.cores, node.cores);
    for (const auto& [model, pool] : pools.pools)
      add(pool, published_->GpusOn(node.name).at(model));
  }
  if (groups_) CountGroups();
  if (published_) CountClaimed();
  for (std::size_t i = 0; i < free_.size(); ++i) SetCount(i);
  for (const auto& [model, set] : set_) Show(set.first, set.second);
  for (auto& [uid, pod] : pods_) Count(pod);
  return cluster_;
}

// A node of a group is ready some time before its driver reports the GPUs.
bool Capacity::IsComing(const Node& node) const {
  if (node.group < 0) return false;
  if (node.starting) return true;
  const bool has_gpus = node.gpus > 0 || (published_ && !published_->GpusOn(node.name).empty());
  return node.usable && !has_gpus && groups_->at(node.group).gpus > 0;
}

// Cores of a node with GPUs do not count for jobs without GPUs: no such node should be added for
// them.
void Capacity::CountGroups() {
  const auto& groups = groups_->groups();
  std::vector<int> coming(groups.size()), others(groups.size());
  for (const auto& [uid, node] : nodes_)
    if (node.group >= 0) ++(IsComing(node) ? coming : others)[static_cast<std::size_t>(node.group)];
  room_.assign(groups.size(), {});
  for (core::DevicePool& pool : cluster_.pools) pool.away = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const NodeGroup& group = groups[i];
    const std::string model = group.gpu_model.empty() ? kUnnamedGpuModel : group.gpu_model;
    GroupRoom& room = room_[i];
    room.pool = PoolOf(group.gpus > 0 ? model : kCpuModel, TaintsOf(group.taints));
    free_.resize(cluster_.pools.size(), 0);
    standing_.resize(cluster_.pools.size(), 0);
    const int number = static_cast<int>(i);
    const int open = std::max(coming[i], groups_->MostNodes(number) - others[i]);
    room.coming = groups_->WhyStuck(number).empty() ? open : coming[i];
    room.away = open - room.coming;
    const double of_one = group.gpus > 0 ? group.gpus : group.cores;
    free_[room.pool] += room.coming * of_one;
    cluster_.pools[room.pool].away += static_cast<int>(room.away * of_one);
  }
}

StartUp Capacity::StartUpOf(const PodRequests& requests) {
  if (!groups_ || groups_->groups().empty()) return {};
  const std::vector<std::string> models = ModelsFor(requests);
  const auto has = [&](std::size_t pool) {
    return std::ranges::count(models, cluster_.pools[pool].model) > 0;
  };
  StartUp start_up;
  for (std::size_t i = 0; i < room_.size(); ++i)
    if (has(room_[i].pool) && groups_->MostNodes(static_cast<int>(i)) > 0)
      start_up.longest = std::max(start_up.longest, groups_->groups()[i].start_up);
  if (start_up.longest == Duration::zero()) return {};
  const double wanted = requests.gpus > 0 ? requests.gpus : requests.cores;
  start_up.certain = true;
  for (std::size_t pool = 0; pool < standing_.size(); ++pool)
    if (has(pool) && standing_[pool] + kRounding >= wanted) start_up.certain = false;
  return start_up;
}

void Capacity::CountClaimed() {
  for (const HeldDevice& held : published_->HeldNow()) {
    ++claimed_[{held.node, held.model}];
    if (held.owner)
      for (const auto& [label, value] : held.owner->labels)
        if (NamesPods(label)) claimants_.insert(KeyOf(held.owner->name_space, label, value));
    const auto pools = pools_of_.find(held.node);
    if (pools == pools_of_.end() || (held.owner && is_gated_(*held.owner))) continue;
    if (const auto pool = pools->second.pools.find(held.model); pool != pools->second.pools.end())
      free_[pool->second] -= 1;
  }
}

// GPUs of the node in that pool that no pod holds.
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
  if (groups_) AddComing(requests, static_cast<std::size_t>(pool), rooms);
  return rooms;
}

// A node with GPUs is added for pods that need them; other pods may be placed there, too.
void Capacity::AddComing(const PodRequests& requests, std::size_t pool,
                         std::vector<NodeRoom>& rooms) const {
  for (std::size_t i = 0; i < room_.size(); ++i) {
    const NodeGroup& group = groups_->groups()[i];
    const bool is_named = std::ranges::any_of(requests.shapes, [&](const PodShape& shape) {
      return !shape.gpu_model.empty() && shape.gpu_model == group.gpu_model;
    });
    const bool is_wanted = group.gpus <= 0 || room_[i].pool == pool || is_named;
    if (!is_wanted || !Tolerates(requests, TaintsOf(group.taints))) continue;
    const NodeRoom room{group.gpus, group.cores, group.gpu_model, room_[i].pool == pool,
                        static_cast<int>(i)};
    rooms.insert(rooms.end(), static_cast<std::size_t>(room_[i].coming), room);
  }
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
  // An empty list would mean any model; a node with the requested model may come later.
  if (models.empty()) models.push_back(NoneOf(requests));
  return models;
}

}  // namespace ebb::kubernetes
