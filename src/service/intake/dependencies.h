#pragma once
// The dependencies between jobs. A job that waits for predecessors is held in the engine, so that
// no plan reserves devices for it. It is released when its last predecessor has succeeded, and
// cancelled when one has failed.
//
// Thread contract: the loop's thread.

#include <map>
#include <set>
#include <vector>

#include "core/jobs/submission.h"
#include "engine/event.h"

namespace ebb::service {

class Dependencies {
 public:
  /// `pending`: the job's predecessors that have not ended. False: there are none.
  bool Add(core::JobId job, const std::vector<core::JobId>& pending);
  /// A job has ended. Returns the facts that follow for jobs that wait for it: releases,
  /// cancellations.
  std::vector<engine::Fact> TakeEnd(core::JobId job, bool succeeded);
  /// The job was released or cancelled by somebody, and waits for no predecessor any more.
  void Drop(core::JobId job);
  std::vector<core::JobId> WaitsFor(core::JobId job) const;

 private:
  std::map<core::JobId, std::set<core::JobId>> pending_;
};

}  // namespace ebb::service
