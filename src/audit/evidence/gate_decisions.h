#pragma once
// Repeats the decisions of a run's gate with the same policies (plan/), from the inputs that
// gate_inputs.jsonl records for each decision.

#include "audit/evidence/findings.h"
#include "audit/evidence/run_files.h"

namespace ebb::audit {

struct DecisionFindings {
  Check check;
  std::vector<std::string> notes;
};

DecisionFindings CheckDecisions(const RunFiles& files);

}  // namespace ebb::audit
