#pragma once
// Which jobs run the same program: experiments of a sweep, instances of a recurring job, the same
// script with other arguments.

#include <string>

#include "core/jobs/submission.h"

namespace ebb::service {

std::string ProgramOf(const core::Submission& submission);

}  // namespace ebb::service
