#pragma once
// The options that both a job and a run have, each described once: key, type, unit, range, choices,
// meaning, default, example and flag. The table of jobs (job_options.cc, job_parts.cc) and that of
// runs (config/options) take them from here. Each table states only what differs there: another key
// (Called), another default (WithDefault), words of its own (Adding), and its member. Pure.

#include "core/options/definition.h"

namespace ebb::core {

Field NameField();

// Start.
Field DurationField();
Field StartByField();
Field ThresholdField();
Field OnOutageField();

// Limits.
Field PowerCapField();
Field SlowerByField();
Field BudgetEnergyField();
Field BudgetEmissionsField();
Field BudgetActionField();

// Experiment trackers.
Field TensorboardField();
Field MlflowField();
Field MlflowExperimentField();
Field MlflowTokenFileField();

}  // namespace ebb::core
