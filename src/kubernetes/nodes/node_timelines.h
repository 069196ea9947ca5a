#pragma once
// The start-up and idle time of nodes of groups (node_group.h) for the objects that Ebb released:
// nodes start for them, and stay idle for a while after them. Each such stretch belongs to the
// objects that the node ran beside it, by the time for which their pods were there: the start to
// those of its first busy stretch, idle time to those of the busy stretch before it. An idle
// stretch ends when the next pod comes, when the node goes, or after the group's idle tail: what
// keeps the node for longer is not theirs.
//
// Pods of others are not looked at. Times are wall time.
//
// Values; told by reflectors of nodes and pods.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"
#include "kubernetes/nodes/node_group.h"
#include "kubernetes/objects/pod_owner.h"

namespace ebb::kubernetes {

/// Part of a stretch that is attributed to an object.
struct StretchShare {
  std::string object;  ///< uid
  int attempt = 1;
  double part = 1;  ///< fraction; all add up to 1
};

struct NodeStretch {
  std::string node;
  int group = 0;
  bool is_start = false;  ///< false: an idle stretch
  Interval wall;
  std::vector<StretchShare> shares;
};

class NodeTimelines {
 public:
  struct Ports {
    NodeGroups& groups;
    /// Returns the object under way of a pod.
    std::function<std::optional<PodsObject>(const PodOwner&)> object_of;
    std::function<Time()> now;
  };
  explicit NodeTimelines(Ports ports) : ports_(std::move(ports)) {}

  void TakeNode(const JsonNode& node);
  void DropNode(const std::string& uid);
  /// `gang`: as for Capacity.
  void TakePod(const JsonNode& pod, const std::string& gang);
  void DropPod(const std::string& uid);

  /// The end of the next stretch that was not taken yet, as known now; nothing: there is none.
  std::optional<Time> NextOver() const;
  /// Stretches that are over and were not taken before.
  std::vector<NodeStretch> TakeOver();
  /// The idle stretch of a node at this moment, over or not; nullptr: none.
  const NodeStretch* IdleAt(const std::string& node, Time moment) const;
  std::size_t remembered() const { return nodes_.size() + pods_.size() + stretches_.size(); }

 private:
  struct Node {
    std::string name;
    int group = 0;
    Time created{};
    bool has_started = false;              // its start was reported
    std::optional<Time> first_pod;         // of the busy stretch
    std::map<std::string, Duration> busy;  // of the busy stretch: by object
    std::map<std::string, int> attempts;   // of the same
    int pods = 0;                          // number of running pods
    bool is_idle = false;
  };
  struct Pod {
    std::string node;
    PodOwner owner;
    Time since{};
    std::optional<PodsObject> object;  // nothing: unknown, or not Ebb's
  };
  struct Stretch {
    NodeStretch told;
    bool taken = false;
  };
  Node* NodeNamed(const std::string& name);
  void Resolve(Pod& pod);
  void Begin(Node& node, Time at);
  void BecomeIdle(Node& node, Time at);
  void EndIdle(Node& node, Time at);
  void Ended(Pod& pod);

  Ports ports_;
  std::map<std::string, Node> nodes_;          // by uid, those of groups
  std::map<std::string, std::string> uid_of_;  // by name
  std::unordered_map<std::string, Pod> pods_;  // by uid, where there are groups at all
  std::deque<Stretch> stretches_;              // of the last hour
  Time resolve_at_ = Time::min();
};

}  // namespace ebb::kubernetes
