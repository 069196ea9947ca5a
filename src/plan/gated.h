#pragma once
// Turns a policy that looks at one job at a time into a policy for a queue. It looks at a job again
// only if its signal or the job changed, or at the time that its last decision named.

#include <memory>
#include <string>

#include "plan/gate_policy.h"
#include "plan/policy.h"

namespace ebb::plan {

struct GatedOptions {
  std::string name;                                    ///< Policy::name; empty: the gate's name
  Duration default_max_delay{std::chrono::hours{24}};  ///< for jobs without any deadline
  /// Elastic jobs run on their widest width that is not wider and fits; 0: on their own.
  int devices = 0;
};

/// A job that may run in several places starts in the cleanest place at which the gate says start.
std::unique_ptr<Policy> MakeGated(std::unique_ptr<GatePolicy> gate, const GatedOptions& options);

}  // namespace ebb::plan
