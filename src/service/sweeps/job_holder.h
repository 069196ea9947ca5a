#pragma once
// The port through which budgets hold jobs and release them.

#include <string>

#include "core/jobs/job.h"

namespace ebb::service {

class JobHolder {
 public:
  virtual ~JobHolder() = default;
  /// Holds the job as a person does, until somebody resumes it. `why` is shown until then.
  virtual void Hold(core::JobId job, const std::string& why) = 0;
  /// Releases the job as a person's resume does.
  virtual void Release(core::JobId job) = 0;
  /// The reason that is stored with the job. Empty: a person holds it, or nobody does.
  virtual std::string WhyHeld(core::JobId job) const = 0;
};

}  // namespace ebb::service
