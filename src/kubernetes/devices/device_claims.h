#pragma once
// Claims of pods for devices that drivers publish (resource.k8s.io/v1): DeviceClasses,
// ResourceClaimTemplates and ResourceClaims. Tells how many GPUs a pod needs by its claims, and
// which GPUs are held already. Values.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/api/group_watch.h"
#include "kubernetes/devices/device_slices.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/pod_requests.h"

namespace ebb::kubernetes {

/// Claims about which something new is known, by namespace and claim.
struct ClaimChanges {
  bool all = false;
  std::set<std::string> keys;
  bool empty() const { return !all && keys.empty(); }
  bool Concern(const std::string& name_space, const PodRequests& requests) const;
};

class DeviceClaims final : public PublishedDevices {
 public:
  explicit DeviceClaims(DeviceSlices& slices) : slices_(slices) {}

  void TakeClass(const JsonNode& device_class);
  void DropClass(const std::string& uid);
  void TakeTemplate(const JsonNode& claim_template);
  void TakeClaim(const JsonNode& claim);
  /// Removes a claim or a template.
  void Drop(const std::string& uid);
  /// Takes a pod that has claims, bound to a node or not. `gang`: as for Capacity.
  void TakePod(const JsonNode& pod, const std::string& gang);
  void DropPod(const std::string& uid) { pods_.erase(uid); }
  /// Tells if the cluster serves claims in the version that is read. Otherwise claims count for
  /// nothing.
  void SetServed(bool served);
  /// Tells if all claims were reported. Before that no device counts, because some may be held.
  void SetComplete(bool complete);

  ClaimNeeds NeedsOf(const std::string& name_space, const PodClaim& claim);
  /// Changes since the last call.
  ClaimChanges TakeChanges();

  // PublishedDevices
  int version() const override { return version_ + slices_.version(); }
  const std::map<std::string, int>& GpusOn(const std::string& node) override;
  std::vector<HeldDevice> HeldNow() override;

  std::size_t remembered() const {
    return classes_.size() + specs_.size() + allocated_.size() + pods_.size() +
           slices_.remembered();
  }

 private:
  struct Class {
    std::string uid;
    std::vector<std::string> selectors;
  };
  struct Request {
    std::string device_class;
    std::vector<std::string> selectors;
    bool all = false;
    double count = 1;
  };
  struct Spec {
    std::string uid;
    std::vector<std::vector<Request>> requests;  // for each, one of several alternatives is enough
    std::set<std::string> models;                // models that were possible when there were some
  };
  struct Allocation {
    std::vector<std::vector<std::string>> devices;  // driver, pool, name
    std::vector<std::string> pods;                  // uids
  };
  static std::vector<std::string> SelectorsOf(const JsonNode& json);
  static Request ReadRequest(const JsonNode& json);
  void TakeSpec(const std::string& key, const std::string& uid, const JsonNode* devices);
  ClaimNeeds NeedsOf(const Request& request);
  Match Judge(const Request& request, const DeviceKind& kind, ClaimNeeds& needs) const;

  DeviceSlices& slices_;
  std::map<std::string, Class> classes_;         // by name
  std::map<std::string, Spec> specs_;            // by namespace and claim
  std::map<std::string, Allocation> allocated_;  // by uid of the claim
  std::map<std::string, PodOwner> pods_;         // by uid
  std::map<DeviceKind, int> kinds_;              // as last evaluated
  int version_ = 0, kinds_version_ = 0;
  bool served_ = false, complete_ = false;
  ClaimChanges changes_;
};

/// The resources of the group that are followed.
ApiGroup DeviceGroup(DeviceSlices& slices, DeviceClaims& claims);

}  // namespace ebb::kubernetes
