#pragma once
// Sets the node affinity that objects' filters ask for (hardware_filter.h) while they are held
// back. Most kinds cannot be changed any more once they were released.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <map>
#include <string>

#include "kubernetes/gates/suspend_field.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

class NodeAffinities {
 public:
  struct Ports {
    SuspendField& field;
    Capacity& capacity;
    /// Called when the server refuses an affinity, which is not asked for again then.
    std::function<void(const std::string& uid, const std::string& why)> refused;
    bool dry_run = false;  ///< no affinity is set
  };
  explicit NodeAffinities(Ports ports) : ports_(std::move(ports)) {}

  /// Asks for the object's affinity if it needs one. True: the object will be reported once more,
  /// with its affinity.
  bool IsBeingSet(const GatedObject& object);
  bool WasRefused(const std::string& uid) const;
  /// Call it when the object asks for something else: a refusal has no meaning any more.
  void TryAgain(const std::string& uid);
  /// Call it when the object is gone.
  void Forget(const std::string& uid) { asked_.erase(uid); }

 private:
  struct Asked {
    std::string version;  // of the object for which it was asked last
    bool refused = false;
  };
  void Answered(const std::string& uid, const Result<ApiAnswer>& answer);

  Ports ports_;
  std::map<std::string, Asked> asked_;  // by uid
};

}  // namespace ebb::kubernetes
