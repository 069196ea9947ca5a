#pragma once
// The objects that requests hold: jobs and their changes (of the options in
// core/options/job_options.h), experiments, sweeps and restarts. submission_json.h reads by them,
// and the OpenAPI document describes them. Pure.

#include "core/options/definition.h"

namespace ebb::web {

using core::Definition;

const Definition& JobDefinition();
const Definition& ExperimentDefinition();
const Definition& SweepDefinition();
const Definition& JobChangeDefinition();
const Definition& RestartDefinition();
const Definition& SweepBudgetDefinition();
/// Those and the parts that they have, each by another name.
std::vector<const Definition*> SubmissionDefinitions();

}  // namespace ebb::web
