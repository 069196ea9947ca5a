#pragma once
// The objects whose releases another process keeps undoing, and how long each of them is not
// released again (release_backoff.h).

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "kubernetes/objects/gated_object.h"
#include "kubernetes/reconciler/release_backoff.h"

namespace ebb::kubernetes {

/// The process that has suspended the object.
std::string UndoneBy(const GatedObject& object);

class HeldOffReleases {
 public:
  /// `first_wait`: as for ReleaseBackoff::ReleaseUndone.
  explicit HeldOffReleases(Duration first_wait) : first_wait_(first_wait) {}

  /// Notes that another process has suspended the object at `now` after its release at `released`.
  /// Returns the consequence, as a part of a sentence; empty: it can be released again at once.
  std::string Undone(const GatedObject& object, Time released, Time now);
  /// The sentence for an object that must not be released yet; empty: it may be.
  std::string WhyNot(const GatedObject& object, Time now) const;
  /// Takes the uids of objects whose wait is over.
  std::vector<std::string> TakeOver(Time now);
  /// Call it when the object is gone.
  void Forget(const std::string& uid);

 private:
  Duration first_wait_;
  std::map<std::string, ReleaseBackoff> backoffs_;  // by uid
  std::set<std::string> waiting_;                   // uids
};

}  // namespace ebb::kubernetes
