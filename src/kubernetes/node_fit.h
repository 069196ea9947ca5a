#pragma once
// Whether the pods of an object find nodes that have as many GPUs and cores free as each of them
// asks for: a pool counts its nodes together, and a pod that asks for eight GPUs cannot have two
// times four. What was released a moment ago may not be bound to nodes yet, and has its place
// beside the rest. A node that a group would get (node_group.h) takes only what finds none that
// stands.
//
// Values.

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/job.h"
#include "kubernetes/pod_requests.h"

namespace ebb::kubernetes {

/// What no pod holds of a node whose taints the pods in question tolerate.
struct NodeRoom {
  double gpus = 0, cores = 0;
  std::string_view gpu_model;  ///< empty: nobody names it
  bool in_pool = false;        ///< its GPUs are those of the pool in question
  int group = -1;              ///< it does not stand yet, and is of this group; -1: it stands
  bool taken = false;          ///< pods have been placed there
};

class NodeFit {
 public:
  using Rooms = std::vector<NodeRoom>;
  static constexpr std::chrono::seconds kBoundWithin{30};
  /// `rooms`: for these pods, with GPUs of this pool; `is_bound`: the job's pods are there, or will
  /// not come any more.
  NodeFit(std::function<Rooms(const PodRequests&, int pool)> rooms,
          std::function<bool(core::JobId)> is_bound);

  struct Answer {
    std::string why_not;   ///< empty: all of them find a node
    std::set<int> groups;  ///< from which a node has to come first
  };
  Answer Look(const PodRequests& requests, int pool, Duration since_boot);
  /// `bound_within`: after that its pods are bound, or wait for something else.
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
  std::deque<Release> releases_;  // whose pods may not be bound yet
};

}  // namespace ebb::kubernetes
