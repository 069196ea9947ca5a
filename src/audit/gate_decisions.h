#pragma once
// The decisions of a run's gate made again, by the policies themselves (plan/), from what
// gate_inputs.jsonl says each was made from.

#include "audit/findings.h"
#include "audit/run_files.h"

namespace ebb::audit {

struct DecisionFindings {
  Check check;
  std::vector<std::string> notes;
};

DecisionFindings CheckDecisions(const RunFiles& files);

}  // namespace ebb::audit
