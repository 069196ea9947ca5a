#pragma once
// Variables of a job's environment that name its owner (ebb submit --project, --user), for reports
// and for the queue. All jobs of a service run as the service's own user, so nothing else names the
// owner.

#include <string>

#include "core/jobs/submission.h"

namespace ebb::core {

inline constexpr const char* kProjectVariable = "EBB_PROJECT";
inline constexpr const char* kUserVariable = "EBB_USER";

/// The value of the variable in the job's environment; "" if it has none.
inline std::string VariableOf(const Submission& submission, const char* variable) {
  for (const auto& [name, value] : submission.environment)
    if (name == variable) return value;
  return "";
}

}  // namespace ebb::core
