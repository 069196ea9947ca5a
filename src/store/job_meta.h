#pragma once
// Settings that belong to one job, in the table meta: they go with its ledger.

#include <array>
#include <string>

#include "core/job.h"

namespace ebb::store {

inline std::string HoldKey(core::JobId job) { return "hold of job " + std::to_string(job); }
inline std::string WhyHeldKey(core::JobId job) {
  return "why job " + std::to_string(job) + " is held";
}
inline std::string BudgetEventsKey(core::JobId job) {
  return "budget events of job " + std::to_string(job);
}
inline std::array<std::string, 3> MetaKeysOf(core::JobId job) {
  return {HoldKey(job), WhyHeldKey(job), BudgetEventsKey(job)};
}

}  // namespace ebb::store
