#pragma once
// What people submit, key by key, with limits and examples (object_definition.h): the source of
// submission_json.h and of what the OpenAPI document says of it. Pure.

#include "web/requests/object_definition.h"

namespace ebb::web {

const Definition& JobDefinition();
const Definition& ExperimentDefinition();
const Definition& SweepDefinition();
const Definition& BudgetDefinition();
const Definition& JobChangeDefinition();
const Definition& RestartDefinition();
const Definition& SweepBudgetDefinition();
/// Those and the parts that they have, each by another name.
std::vector<const Definition*> SubmissionDefinitions();

}  // namespace ebb::web
