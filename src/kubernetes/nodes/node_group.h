#pragma once
// Groups of nodes that an autoscaler adds when pods find no node, and removes when they are idle. A
// node that does not exist yet counts as capacity, up to the group's limit. The controller's
// configuration describes the groups (config/cluster/node_groups.h); values that an autoscaler
// publishes (autoscaler_watch.h) take precedence, but never exceed the configured limit.
//
// A group whose nodes do not come is left alone for a while, as the Cluster Autoscaler does: 5
// minutes, doubled each time up to 30 (its flags initial-node-group-backoff-duration and
// max-node-group-backoff-duration, FAQ of version 1.33).
//
// Thread contract: one thread.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"
#include "base/units.h"

namespace ebb::kubernetes {

/// The autoscaler of a group, by the way in which it publishes the state of its nodes.
enum class Autoscaler { kSilent, kClusterAutoscaler, kKarpenter };

struct NodeGroup {
  std::string name;  ///< the autoscaler's name for it
  Autoscaler autoscaler = Autoscaler::kSilent;
  std::map<std::string, std::string> labels;  ///< labels of its nodes; never empty
  std::string gpu_model;                      ///< kGpuModelLabel of its nodes; empty: none
  double gpus = 0, cores = 0;                 ///< resources that one node offers to pods
  std::vector<std::string> taints{};          ///< keys of taints that keep pods away
  std::optional<int> most_nodes{};            ///< nothing: the published limit
  /// Time from a pod that finds no node until it runs on a new one.
  Duration start_up{std::chrono::minutes{5}};
  /// Time for which an idle node stays. Nothing: as published, or 10 minutes.
  std::optional<Duration> idle_tail{};
  Power idle_power{};  ///< power of an idle node
  /// A node that has not come within this time is not expected any more.
  Duration gives_up_after{std::chrono::minutes{15}};
};

/// The state that an autoscaler publishes for one of its groups.
struct PublishedGroup {
  std::string name;
  std::optional<int> most_nodes{};
  /// Limit of a resource ("nvidia.com/gpu", "cpu") over all its nodes together.
  std::map<std::string, double> most{};
  std::optional<Duration> idle_tail{};
  std::string stuck{};  ///< reason for which no node comes; empty: nodes come
  friend bool operator==(const PublishedGroup&, const PublishedGroup&) = default;
};

class NodeGroups {
 public:
  /// `since_boot`: a clock that nobody sets.
  NodeGroups(std::vector<NodeGroup> groups, std::function<Duration()> since_boot,
             std::function<void(const std::string&)> say);

  const std::vector<NodeGroup>& groups() const { return groups_; }
  const NodeGroup& at(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  /// The first group whose labels the node has; -1: none.
  int Of(const JsonNode& node) const;
  /// Largest number of nodes, existing ones included.
  int MostNodes(int group) const;
  Duration IdleTail(int group) const;
  /// The reason for which it gets no further node now; empty: it gets one.
  std::string WhyStuck(int group) const;
  /// The reason published by the autoscaler alone.
  const std::string& PublishedStuck(int group) const;

  // Takes the state of all groups of one autoscaler; a group that is missing is not published any
  // more.
  void Publish(Autoscaler autoscaler, const std::vector<PublishedGroup>& published);
  /// Notes that a node of the group is ready.
  void Came(int group);
  /// Time at which a node last came; nothing: none came in this life.
  std::optional<Duration> came_at(int group) const;
  /// Notes that a node for which something was released has not come.
  void NeverCame(int group, const std::string& why);
  /// Lets groups try again that were left alone for long enough.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Increases with each change.
  int version() const { return version_; }

 private:
  struct State {
    PublishedGroup published;
    std::optional<Duration> came_at;
    std::optional<Duration> alone_until;
    std::string why;  // why the group is left alone
    int failures = 0;
  };
  State& StateOf(int group) { return states_[static_cast<std::size_t>(group)]; }
  const State& StateOf(int group) const { return states_[static_cast<std::size_t>(group)]; }

  std::vector<NodeGroup> groups_;
  std::vector<State> states_;
  std::function<Duration()> since_boot_;
  std::function<void(const std::string&)> say_;
  int version_ = 0;
};

}  // namespace ebb::kubernetes
