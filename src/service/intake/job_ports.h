#pragma once
// Ports that the intake needs when it takes a job or changes one: the executor, which has to
// know the job, and whoever knows the devices and deadlines of the whole queue.
//
// Thread contract: the loop's thread.

#include <vector>

#include "base/result.h"
#include "core/jobs/job.h"
#include "engine/event.h"
#include "service/views/job_index.h"

namespace ebb::service {

/// The jobs as their executor knows them.
class KnownJobs {
 public:
  virtual ~KnownJobs() = default;
  /// Makes a job known. An Error: this executor cannot run it.
  virtual Status Add(const SharedSubmission& submission) = 0;
  /// Makes the next attempt of a known job one of this submission.
  virtual void Replace(const SharedSubmission& submission) = 0;
  /// Takes Add back: the job was refused after all.
  virtual void Forget(core::JobId job) = 0;
};

/// Checks that refuse a job or a change before it is handed to the engine.
class AdmissionChecks {
 public:
  virtual ~AdmissionChecks() = default;
  /// The devices, with those that are away.
  virtual core::Cluster Devices() const = 0;
  /// An Error: there are no devices on which the job could ever run.
  virtual Status CheckDevices(const core::Job& job) const = 0;
  /// An Error: the job would be refused now, even with these jobs cancelled.
  virtual Status CheckWithout(const core::Job& job, Time now,
                              const std::vector<core::JobId>& cancelled) const = 0;
  /// The waiting job as the change would make it; an Error: the change would be refused.
  virtual Result<core::Job> CheckChange(const engine::JobChanged& change, Time now) const = 0;
};

}  // namespace ebb::service
