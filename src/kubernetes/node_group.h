#pragma once
// Groups of nodes that an autoscaler adds when pods find no node, and removes when they are idle.
// A node that does not stand yet is capacity all the same, up to the group's limit. What a group is
// stands in the controller's configuration (config/node_groups.h); what its autoscaler publishes
// (autoscaler_watch.h) goes before it, but never beyond its limit.
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

/// Who adds the nodes of a group, and publishes what becomes of them.
enum class Autoscaler { kSilent, kClusterAutoscaler, kKarpenter };

struct NodeGroup {
  std::string name;  ///< as its autoscaler calls it
  Autoscaler autoscaler = Autoscaler::kSilent;
  std::map<std::string, std::string> labels;  ///< of its nodes; never empty
  std::string gpu_model;                      ///< kGpuModelLabel of its nodes; empty: none
  double gpus = 0, cores = 0;                 ///< that one node offers to pods
  std::vector<std::string> taints{};          ///< keys of those that keep pods away
  std::optional<int> most_nodes{};            ///< nothing: as published
  /// From a pod that finds no node until it runs on a new one.
  Duration start_up{std::chrono::minutes{5}};
  /// So long a node stays that runs nothing. Nothing: as published, or 10 minutes.
  std::optional<Duration> idle_tail{};
  Power idle_power{};  ///< of a node that runs nothing
  /// A node that has not come within this time does not come.
  Duration gives_up_after{std::chrono::minutes{15}};
};

/// What an autoscaler publishes of one of its groups.
struct PublishedGroup {
  std::string name;
  std::optional<int> most_nodes{};
  /// The most of a resource ("nvidia.com/gpu", "cpu") that its nodes have together.
  std::map<std::string, double> most{};
  std::optional<Duration> idle_tail{};
  std::string stuck{};  ///< why no node comes; empty: nodes come
  friend bool operator==(const PublishedGroup&, const PublishedGroup&) = default;
};

class NodeGroups {
 public:
  /// `since_boot`: a clock that nobody sets.
  NodeGroups(std::vector<NodeGroup> groups, std::function<Duration()> since_boot,
             std::function<void(const std::string&)> say);

  const std::vector<NodeGroup>& groups() const { return groups_; }
  const NodeGroup& at(int group) const { return groups_[static_cast<std::size_t>(group)]; }
  /// The first group whose labels the node has; -1: it is of none.
  int Of(const JsonNode& node) const;
  /// Standing nodes included.
  int MostNodes(int group) const;
  Duration IdleTail(int group) const;
  /// Why it gets no further node now; empty: it does.
  std::string WhyStuck(int group) const;
  /// Of the autoscaler alone.
  const std::string& PublishedStuck(int group) const;

  // What becomes of it.
  /// Of all groups of one autoscaler; what is not among them is not published any more.
  void Publish(Autoscaler autoscaler, const std::vector<PublishedGroup>& published);
  /// A node of it is ready.
  void Came(int group);
  /// When a node last came; nothing: none did in this life.
  std::optional<Duration> came_at(int group) const;
  /// A node that something was released for has not come.
  void NeverCame(int group, const std::string& why);
  /// Lets groups try again that were left alone for long enough.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Goes up with each change.
  int version() const { return version_; }

 private:
  struct State {
    PublishedGroup published;
    std::optional<Duration> came_at;
    std::optional<Duration> alone_until;
    std::string why;  // it is left alone
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
