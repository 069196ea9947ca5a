#pragma once
// The definitions of the objects in requests: jobs and their changes (with the options in
// core/options/job_options.h), experiments, sweeps and restarts. submission_json.h reads requests
// by them, and the OpenAPI document describes them. Pure.

#include "core/options/definition.h"

namespace ebb::web {

using core::Definition;

const Definition& JobDefinition();
const Definition& ExperimentDefinition();
const Definition& SweepDefinition();
const Definition& JobChangeDefinition();
const Definition& RestartDefinition();
const Definition& SweepBudgetDefinition();
/// All these definitions and those of their parts; each has a different name.
std::vector<const Definition*> SubmissionDefinitions();

}  // namespace ebb::web
