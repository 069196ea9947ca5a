#pragma once
// The jobs that people hold, and why. The engine knows one hold for a job, whoever it comes from.
// For a job that also waits for its predecessors the service remembers whose hold it is: the last
// predecessor's end releases what waits for it, but not what a person holds.
//
// Thread contract: the loop's thread.

#include <set>
#include <string>

#include "service/intake/dependencies.h"
#include "service/intake/fact_queue.h"
#include "service/sweeps/job_holder.h"
#include "service/views/publisher.h"
#include "store/jobs/job_notes.h"
#include "store/service_store.h"

namespace ebb::service {

class JobHolds final : public JobHolder {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    const Dependencies& dependencies;
    FactQueue& facts;
  };
  explicit JobHolds(Ports ports) : ports_(ports) {}

  // JobHolder
  void Hold(core::JobId job, const std::string& why) override;
  void Release(core::JobId job) override;
  std::string WhyHeld(core::JobId job) const override;

  /// Remembers that a person holds the job, or no longer does, and why. The caller tells the
  /// engine.
  void Remember(core::JobId job, bool held, const std::string& why);
  /// Takes over what an earlier life noted of a job. True: a person holds it.
  bool Recover(core::JobId job, const store::JobNotes& notes);
  /// Whether a person holds the job. Known of jobs with predecessors only.
  bool IsHeld(core::JobId job) const { return held_.contains(job); }
  void OnEnded(core::JobId job) { held_.erase(job); }

 private:
  void RememberHold(core::JobId job, bool held);
  void RememberWhy(core::JobId job, const std::string& why);

  Ports ports_;
  std::set<core::JobId> held_;  // those with predecessors; in the store too
};

}  // namespace ebb::service
