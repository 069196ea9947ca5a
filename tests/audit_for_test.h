#pragma once
// Collects the findings of an audit in one list.

#include "audit/evidence/findings.h"

namespace ebb {

inline std::vector<std::string> Differences(const audit::Audit& audit) {
  std::vector<std::string> all;
  for (const auto& check : audit.checks)
    all.insert(all.end(), check.differences.begin(), check.differences.end());
  return all;
}

}  // namespace ebb
