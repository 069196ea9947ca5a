#pragma once
// Which jobs wait for others to succeed. A waiting job is held in the engine, so that no plan keeps
// a place for it, and let go when the last job it waits for has succeeded; when one of them has
// not, it is cancelled.

#include <map>
#include <set>
#include <vector>

#include "core/submission.h"
#include "engine/event.h"

namespace ebb::service {

class Dependencies {
 public:
  /// `pending` of the jobs it comes after have not ended. False: it waits for nothing.
  bool Add(core::JobId job, const std::vector<core::JobId>& pending);
  /// What the end of a job means for those that wait for it: to be let go, or to be cancelled.
  std::vector<engine::Fact> TakeEnd(core::JobId job, bool succeeded);
  /// Somebody let it go or cancelled it: it waits for nothing any more.
  void Drop(core::JobId job);
  std::vector<core::JobId> WaitsFor(core::JobId job) const;

 private:
  std::map<core::JobId, std::set<core::JobId>> pending_;
};

}  // namespace ebb::service
