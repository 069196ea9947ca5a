#pragma once
// Whether the pods of an object find nodes that have as many GPUs free as each of them asks for: a
// pool counts its nodes together, and a pod that asks for eight GPUs cannot have two times four.
// What was released a moment ago may not be bound to nodes yet, and has its place beside the rest.
//
// Values.

#include <deque>
#include <functional>
#include <vector>

#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

class NodeFit {
 public:
  /// `free`: GPUs that no pod holds, by node of a pool; `is_bound`: the job's pods are there, or
  /// will not come any more.
  NodeFit(std::function<std::vector<double>(int pool)> free,
          std::function<bool(core::JobId)> is_bound);

  bool Fits(const PodRequests& requests, int pool, Duration since_boot);
  void Released(core::JobId job, const PodRequests& requests, int pool, Duration since_boot);

 private:
  struct Release {
    core::JobId job = 0;
    PodRequests requests;
    int pool = -1;
    Duration at{};
  };
  std::function<std::vector<double>(int)> free_;
  std::function<bool(core::JobId)> is_bound_;
  std::deque<Release> releases_;  // of the last seconds
};

}  // namespace ebb::kubernetes
