#pragma once
// An index from the labels of pods to the objects under way that they belong to.
//
// Thousands of objects may be released in one decision, so a change only marks the object, which is
// read again at the next query.

#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/pod_owner.h"
#include "kubernetes/reconciler/gated_job.h"

namespace ebb::kubernetes {

class PodOwners {
 public:
  /// Both must outlive the index. The capacity is told of changes, too.
  PodOwners(const GatedJobs& jobs, Capacity& capacity) : jobs_(jobs), capacity_(capacity) {}

  /// Call it when the object is under way from now on, or is not any more, or names other pods.
  void Changed(const GatedObject& object);
  /// The object under way to which such a pod belongs; nullptr: none.
  const GatedJob* Find(const PodOwner& owner) const;
  std::size_t remembered() const { return pods_of_.size(); }

 private:
  void FollowChanges() const;

  const GatedJobs& jobs_;
  Capacity& capacity_;
  // "namespace/label=value" of the pods of objects under way, with the object's uid, in both
  // directions.
  mutable std::set<std::pair<std::string, std::string>> held_pods_;
  mutable std::unordered_map<std::string, std::string> pods_of_;
  mutable std::set<std::string> changed_;  // uids that the two above may be wrong about
};

}  // namespace ebb::kubernetes
