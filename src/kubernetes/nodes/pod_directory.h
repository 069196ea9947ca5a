#pragma once
// Finds the released object, and its attempt, to which a pod belongs: also for a while after the
// pod is gone, because its energy is reported later.
//
// A pod without an object is looked up again each time: its object may name its pods later, or may
// be taken up while it runs.
//
// Thread contract: one thread.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/json_node.h"
#include "base/time.h"
#include "kubernetes/objects/pod_owner.h"

namespace ebb::kubernetes {

struct PodOrigin {
  std::string object;  ///< uid
  int attempt = 0;
};

class PodDirectory {
 public:
  using Lookup = std::function<std::optional<PodsObject>(const PodOwner&)>;
  /// `now`: a clock that nobody sets.
  PodDirectory(Lookup lookup, std::function<Duration()> now)
      : lookup_(std::move(lookup)), now_(std::move(now)) {}

  /// `gang`: as for Capacity.
  void TakePod(const JsonNode& pod, const std::string& gang);
  void DropPod(const std::string& uid);

  /// `pod` is a uid, or "namespace/name" of the latest pod of that name.
  bool Knows(const std::string& pod) const {
    return pods_.contains(pod) || static_pods_.contains(pod) || named_.contains(pod);
  }
  std::optional<PodOrigin> OriginOf(const std::string& pod);
  /// Nodes on which pods of the object have been.
  std::set<std::string> NodesOf(const std::string& object) const;
  /// Forgets pods that have been gone for long.
  void Tick();
  std::size_t remembered() const { return pods_.size() + static_pods_.size(); }

 private:
  struct Pod {
    PodOwner owner;
    std::string node;
    std::optional<PodOrigin> origin;
    std::optional<Duration> gone_at;
  };
  void Resolve(Pod& pod);

  Lookup lookup_;
  std::function<Duration()> now_;
  std::unordered_map<std::string, Pod> pods_;           // by uid
  std::unordered_map<std::string, std::string> named_;  // their uids by namespace/name
  std::set<std::string> static_pods_;  // as the kubelet names their groups; never of a job
  Duration tidied_at_{};
};

}  // namespace ebb::kubernetes
