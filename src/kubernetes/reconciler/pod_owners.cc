#include "kubernetes/reconciler/pod_owners.h"

namespace ebb::kubernetes {
namespace {

// Empty if the object has no pods of its own.
std::string PodsKey(const GatedJob& entry) {
  const bool has_pods = entry.IsUnderWay() && !entry.object.pods.empty();
  return has_pods ? entry.object.name_space + "/" + entry.object.pods : "";
}

}  // namespace

void PodOwners::Changed(const GatedObject& object) {
  changed_.insert(object.uid);
  capacity_.OwnersChanged(object.name_space, object.pods);
}

void PodOwners::FollowChanges() const {
  for (const std::string& uid : std::exchange(changed_, {})) {
    const GatedJob* entry = jobs_.Find(uid);
    const std::string key = entry ? PodsKey(*entry) : "";
    if (const auto before = pods_of_.find(uid); before != pods_of_.end()) {
      held_pods_.erase({before->second, uid});
      pods_of_.erase(before);
    }
    if (key.empty()) continue;
    held_pods_.emplace(key, uid);
    pods_of_.emplace(uid, key);
  }
}

const GatedJob* PodOwners::Find(const PodOwner& owner) const {
  FollowChanges();
  for (const auto& [label, value] : owner.labels) {
    const std::string key = owner.name_space + "/" + label + "=" + value;
    const auto found = held_pods_.lower_bound({key, ""});
    if (found != held_pods_.end() && found->first == key) return jobs_.Find(found->second);
  }
  return nullptr;
}

}  // namespace ebb::kubernetes
