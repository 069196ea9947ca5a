#pragma once

#include "base/result.h"
#include "core/jobs/job.h"
#include "plan/feasibility/flat_queue.h"

namespace ebb::service {

/// The error of a refused job, with its name in place of its number: the next job gets the number.
inline Error WithoutNumber(Error error, const core::Job& job) {
  if (error.where == plan::NameOf(job)) error.where = job.name;
  return error;
}

}  // namespace ebb::service
