#pragma once
// The devices of a cluster that are available to gated objects: those of its nodes, less those that
// other pods hold. There is one pool for each model of GPU, one for GPUs of unknown model, one for
// CPU cores; and the same again for nodes with a taint, for pods that tolerate it. Pools stay where
// they are, as stored jobs name them by their numbers, and a model that has gone has none: there
// are as many as there were models and sets of taints, however many nodes come and go.
//
// Nodes are counted together; node_fit.h looks at what is free on each one. Nodes that an
// autoscaler would add (node_group.h) count as those that stand. If a group gets no further node
// for a while, its devices are away (core::DevicePool::away), so that jobs that need them wait.
//
// Values; told by reflectors of nodes and pods.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_node.h"
#include "core/devices/cluster.h"
#include "kubernetes/nodes/node_fit.h"
#include "kubernetes/nodes/node_group.h"
#include "kubernetes/objects/gated_object.h"
#include "kubernetes/objects/pod_owner.h"

namespace ebb::kubernetes {

/// Models of the pools that are always there.
inline constexpr const char* kCpuModel = "cpu";
inline constexpr const char* kUnnamedGpuModel = "gpu";

/// Prefix of the models of pools that are set: the quota of a queue. No label of a node has it.
inline constexpr std::string_view kQueuePrefix = "ClusterQueue ";

/// A GPU that a claim of a pod holds. `owner`: nullptr if the owner is unknown.
struct HeldDevice {
  std::string node, model;
  const PodOwner* owner = nullptr;
};

/// GPUs that drivers publish for nodes, and that pods claim (device_claims.h).
class PublishedDevices {
 public:
  virtual ~PublishedDevices() = default;
  /// Increases with each change.
  virtual int version() const = 0;
  /// GPUs of a node, by model.
  virtual const std::map<std::string, int>& GpusOn(const std::string& node) = 0;
  virtual std::vector<HeldDevice> HeldNow() = 0;
};

/// Devices of a pool that is set.
struct SetDevices {
  int count = 0;
  int away = 0;  ///< core::DevicePool::away
  int site = 0;
  friend bool operator==(const SetDevices&, const SetDevices&) = default;
};

/// How long pods may wait for a node that does not exist yet.
struct StartUp {
  Duration longest{};
  bool certain = false;  ///< only groups have such nodes
  friend bool operator==(const StartUp&, const StartUp&) = default;
};

class Capacity {
 public:
  /// `is_gated`: the pod belongs to an object that Ebb has released, so that a job of the engine
  /// holds its devices. It is called whenever the pools are counted.
  Capacity(core::Site site, std::function<bool(const PodOwner&)> is_gated);

  /// `devices` must outlive the use of the capacity.
  void SetPublished(PublishedDevices& devices) { published_ = &devices; }
  /// `groups` must outlive the use of the capacity. Call it before the first node.
  void SetGroups(NodeGroups& groups) { groups_ = &groups; }

  /// Keeps the numbers of the pools of an earlier life. Call it first.
  void KeepPools(const core::Cluster& before);

  void TakeNode(const JsonNode& node);
  void DropNode(const std::string& uid);
  /// `gang`: the pod's gang (pod_gang.h), used as a label (kGangLabel); empty: none.
  void TakePod(const JsonNode& pod, const std::string& gang = {});
  void DropPod(const std::string& uid);

  /// Tells if such a pod exists and has not ended; one that is being deleted may still write its
  /// checkpoint. `pods`: "label=value".
  bool HasPods(const std::string& name_space, const std::string& pods) const;

  /// The pools. They are counted anew only if nodes or owners have changed; pods are added and
  /// subtracted.
  const core::Cluster& cluster();
  /// Call it when pods ("label=value") may belong to another owner: an object was released, or has
  /// ended.
  void OwnersChanged(const std::string& name_space, const std::string& pods);
  /// Sets a pool that no node is part of (kQueuePrefix). Only objects that name its model can use
  /// it.
  void SetPool(const std::string& model, const SetDevices& devices);
  /// The number of a site beside the cluster's own (0): a worker cluster. It is added if there is
  /// none like it.
  int SiteLike(const core::Site& site);
  /// Models of the pools that these pods can use; never empty.
  std::vector<std::string> ModelsFor(const PodRequests& requests);
  /// Models of the nodes' GPUs that the filter excludes.
  std::vector<std::string> FilteredModels(const HardwareFilter& filter);
  /// Start-up time for pods whose pools have nodes of groups.
  StartUp StartUpOf(const PodRequests& requests);
  /// Free resources by node that these pods tolerate, then of each node that would come. Valid
  /// until the next change.
  std::vector<NodeRoom> RoomOnNodes(const PodRequests& requests, int pool);
  /// Number of nodes, pods and pools.
  std::size_t remembered() const {
    return nodes_.size() + pods_.size() + traits_.size() + held_on_.size() + labelled_.size();
  }

 private:
  struct Node {
    std::string name, gpu_model;
    std::string taints;  // keys of taints that keep pods away, with commas
    double gpus = 0, cores = 0;
    bool usable = false;
    bool starting = false;  // it was never ready, as far as is known
    int group = -1;
  };
  // Nodes that a group would get when pods need them, and nodes that it will get once nothing
  // prevents it any more.
  struct GroupRoom {
    std::size_t pool = 0;
    int coming = 0, away = 0;
  };
  struct Pod {
    std::string node;
    double gpus = 0, cores = 0;
    PodOwner owner;
    bool counts = false;  // held by others, on a usable node
  };
  struct Pools {
    std::size_t gpus, cores;
    double resources = 0;                      // of `gpus`, those that are no published devices
    std::map<std::string, std::size_t> pools;  // of published ones, by model
  };
  struct Use {
    double gpus = 0, cores = 0;
    int pods = 0;
  };
  void Hold(const Pod& pod, int times);
  Pools PoolsOf(const Node& node);
  void CountClaimed();
  void CountGroups();
  bool IsComing(const Node& node) const;
  void AddComing(const PodRequests& requests, std::size_t pool, std::vector<NodeRoom>& rooms) const;
  bool CountsNow(const Node& node) const { return node.usable && !IsComing(node); }
  double FreeOf(const Node& node, const Pools& pools, std::size_t pool) const;
  void Count(Pod& pod);
  void Uncount(const Pod& pod);
  void SetCount(std::size_t pool);
  void Show(std::size_t pool, const SetDevices& devices);
  std::size_t PoolOf(const std::string& base, const std::string& taints);
  std::size_t AddPool(const std::string& base, const std::string& taints, const std::string& name);

  std::function<bool(const PodOwner&)> is_gated_;
  std::unordered_map<std::string, Node> nodes_;  // by uid
  std::unordered_map<std::string, Pod> pods_;
  core::Cluster cluster_;
  std::vector<std::pair<std::string, std::string>> traits_;  // of the pools: base model, taints
  std::map<std::string, std::pair<std::size_t, SetDevices>> set_;  // model -> pool
  std::vector<double> free_;                                       // by pool
  std::vector<double> standing_;                     // of no group, held or free, by pool
  std::vector<GroupRoom> room_;                      // by group
  std::unordered_map<std::string, Pools> pools_of_;  // by name of node
  std::unordered_map<std::string, Use> held_on_;     // by all pods of the node
  std::unordered_map<std::string, int> labelled_;    // pods, by "namespace/label=value"
  std::map<std::pair<std::string, std::string>, int> claimed_;  // by node and model
  std::set<std::string> claimants_;                             // pods of claimed_, as labelled_
  PublishedDevices* published_ = nullptr;
  NodeGroups* groups_ = nullptr;
  int published_version_ = -1, groups_version_ = -1;
  bool is_stale_ = true;
};

}  // namespace ebb::kubernetes
