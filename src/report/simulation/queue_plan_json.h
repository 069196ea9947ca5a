#pragma once
// A plan for a queue as JSON (schema ebb.plan/1, docs/plan.md).

#include <string>

#include "sim/queue_plan.h"

namespace ebb::report {

std::string QueuePlanJson(const sim::QueuePlan& plan);

}  // namespace ebb::report
