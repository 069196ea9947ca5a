#pragma once
// Variables of a job's environment that say whose it is (ebb submit --project, --user): for reports
// and for the queue. All jobs of a service run as its own user, so nothing else tells.

#include <string>

#include "core/submission.h"

namespace ebb::core {

inline constexpr const char* kProjectVariable = "EBB_PROJECT";
inline constexpr const char* kUserVariable = "EBB_USER";

/// What the job's environment says; "" where it says nothing.
inline std::string VariableOf(const Submission& submission, const char* variable) {
  for (const auto& [name, value] : submission.environment)
    if (name == variable) return value;
  return "";
}

}  // namespace ebb::core
