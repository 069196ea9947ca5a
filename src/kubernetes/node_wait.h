#pragma once
// What was released though nodes do not stand for it yet: an autoscaler has to add them
// (node_group.h). It waits until the first of its pods is on a node. If that takes too long, or the
// autoscaler says that no node comes, the start has failed: the object is held back again, where it
// can be, and the group counts for nothing for a while.
//
// Thread contract: one thread.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubernetes/gated_object.h"
#include "kubernetes/node_group.h"

namespace ebb::kubernetes {

class NodeWait {
 public:
  struct Ports {
    NodeGroups& groups;
    /// As it is; nullptr: it is not there, or not gated any more.
    std::function<const GatedObject*(core::JobId)> find;
    /// A node is on its way, or has come, so that other words hold of the job.
    std::function<void(core::JobId)> changed;
    /// Its start has failed.
    std::function<void(core::JobId, const std::string& why)> give_up;
    std::function<Duration()> since_boot;
  };
  explicit NodeWait(Ports ports) : ports_(std::move(ports)) {}

  void Begin(core::JobId job, std::set<int> groups);
  /// A pod of this object is on a node. Of one that needs GPUs, only pods that have some count: a
  /// RayJob's head finds a node without them.
  void SawPod(const std::string& object, bool has_gpus);
  bool empty() const { return waiting_.empty(); }
  /// "a node of group a100 has to start for it, about 5m", or why its last start has failed; empty:
  /// it waits for none.
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
