#pragma once
// Checks that the pods of an object find nodes with as many free GPUs and cores as each of them
// asks for: a pool counts its nodes together, and a pod that asks for eight GPUs cannot have two
// times four. Pods of recent releases may not be bound to nodes yet, so they are placed too. A node
// that a group would get (node_group.h) takes only pods that fit no existing node.
//
// Values.

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/job.h"
#include "kubernetes/objects/pod_requests.h"

namespace ebb::kubernetes {

/// Free resources of a node whose taints the pods in question tolerate.
struct NodeRoom {
  double gpus = 0, cores = 0;
  std::string_view gpu_model;  ///< empty: unknown
  bool in_pool = false;        ///< its GPUs belong to the pool in question
  int group = -1;              ///< group of a node that does not exist yet; -1: it exists
  bool taken = false;          ///< pods have been placed there
};

class NodeFit {
 public:
  using Rooms = std::vector<NodeRoom>;
  static constexpr std::chrono::seconds kBoundWithin{30};
  /// `rooms`: for these pods, with GPUs of this pool; `is_bound`: the job's pods exist, or will not
  /// come any more.
  NodeFit(std::function<Rooms(const PodRequests&, int pool)> rooms,
          std::function<bool(core::JobId)> is_bound);

  struct Answer {
    std::string why_not;   ///< empty: all of them find a node
    std::set<int> groups;  ///< groups from which a node has to come first
  };
  Answer Look(const PodRequests& requests, int pool, Duration since_boot);
  /// The job's pods will not come any more, or are counted on their nodes until they have ended.
  void Forget(core::JobId job);
  /// `bound_within`: after this time its pods are bound, or wait for something else.
  void Released(core::JobId job, const PodRequests& requests, int pool, Duration since_boot,
                Duration bound_within = kBoundWithin);

 private:
  struct Release {
    core::JobId job = 0;
    PodRequests requests;
    int pool = -1;
    Duration until{};
  };
  std::function<Rooms(const PodRequests&, int)> rooms_;
  std::function<bool(core::JobId)> is_bound_;
  std::deque<Release> releases_;  // releases whose pods may not be bound yet
};

}  // namespace ebb::kubernetes
