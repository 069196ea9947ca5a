#pragma once
// Follows released objects whose nodes do not exist yet: an autoscaler has to add them
// (node_group.h). Such an object waits until the first of its pods is on a node. If that takes too
// long, or the autoscaler says that no node comes, the start has failed: the object is held back
// again, where it can be, and the group counts for nothing for a while.
//
// Thread contract: one thread.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubernetes/nodes/node_group.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

class NodeWait {
 public:
  struct Ports {
    NodeGroups& groups;
    /// The current object; nullptr: it is gone, or not gated any more.
    std::function<const GatedObject*(core::JobId)> find;
    /// Called when a node is on its way, or has come, so that the text for the job changes.
    std::function<void(core::JobId)> changed;
    /// Called when the start of the job has failed.
    std::function<void(core::JobId, const std::string& why)> give_up;
    std::function<Duration()> since_boot;
  };
  explicit NodeWait(Ports ports) : ports_(std::move(ports)) {}

  void Begin(core::JobId job, std::set<int> groups);
  /// Notes that a pod of this object is on a node. If the object needs GPUs, only pods with GPUs
  /// count, because a RayJob's head finds a node without them.
  void SawPod(const std::string& object, bool has_gpus);
  bool empty() const { return waiting_.empty(); }
  /// A text such as "a node of group a100 has to start for it, about 5m", or the reason for which
  /// its last start failed; empty: it waits for no node.
  std::string Sentence(core::JobId job) const;

  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Waiting {
    std::set<int> groups;
    Duration since{};
  };
  Duration PatienceOf(const Waiting& waiting) const;
  std::string WhyGivenUp(const Waiting& waiting) const;

  Ports ports_;
  std::map<core::JobId, Waiting> waiting_;
  std::map<core::JobId, std::string> failed_;  // why; until the next start
};

}  // namespace ebb::kubernetes
