#pragma once
// Turns a policy that looks at one job at a time into one for a queue. A job is looked at again
// only when its signal or the job changed, or when the time has come that its last decision named.

#include <memory>
#include <string>

#include "plan/gate_policy.h"
#include "plan/policy.h"

namespace ebb::plan {

struct GatedOptions {
  std::string name;                                    ///< as Policy::name; empty: the gate's
  Duration default_max_delay{std::chrono::hours{24}};  ///< of jobs without any deadline
};

/// A job that may run in several places starts in the cleanest of those where the gate says start.
std::unique_ptr<Policy> MakeGated(std::unique_ptr<GatePolicy> gate, const GatedOptions& options);

}  // namespace ebb::plan
