// Defines the parts of a job that are objects of their own: its tier, budget, trackers and
// recurrence.

#include "core/jobs/recurring.h"
#include "core/options/field_builders.h"
#include "core/options/job_options.h"
#include "core/options/shared_fields.h"

namespace ebb::core {

const Definition& TierDefinition() {
  static const Definition definition{
      "OwnTier",
      "A tier that is spelt out.",
      R"({"name":"mine","threshold":200,"max_delay":"12h","priority":2})",
      {Required({"name", Shape::kText, "what it is called", "", R"("mine")"}),
       Required({"max_delay", Shape::kDuration, "the longest wait", "", R"("12h")"}),
       ByFlag({}, Formerly(kOlderThreshold, ThresholdField())), Priority()}};
  return definition;
}

const Definition& BudgetDefinition() {
  static const Definition definition{"Budget",
                                     "What all attempts together may use: one limit or both.",
                                     R"({"energy_kwh":2,"emissions_g":500,"action":"stop"})",
                                     {BudgetEnergyField(), BudgetEmissionsField(),
                                      Adding("; pause needs checkpointable", BudgetActionField())}};
  return definition;
}

const Definition& TrackersDefinition() {
  static const Definition definition{
      "Trackers",
      "Where the figures of a run go while it lasts.",
      R"({"tensorboard":"/home/me/tb","mlflow":"http://localhost:5000","mlflow_experiment":"digits"})",
      {TensorboardField(), Adding("; the path is absolute", MlflowField()),
       WithDefault("the name of the job", MlflowExperimentField()),
       WithDefault("MLFLOW_TRACKING_TOKEN of the service", MlflowTokenFileField())}};
  return definition;
}

const Definition& RecurrenceDefinition() {
  static const Definition definition{
      "Recurrence",
      "Not a job now, but one whenever it is due.",
      R"({"cron":"0 2 * * *","flexibility":"6h","overlap":"forbid"})",
      {Required(ByFlag({"cron", "SCHEDULE"},
                       {"cron", Shape::kText,
                        "a job whenever this is due: five fields of cron in the local time of the "
                        "service, or @daily and the like",
                        "", R"("0 2 * * *")"})),
       ByFlag(
           {"flexibility", "DURATION"},
           {"flexibility", Shape::kDuration,
            "how long each may wait once it is due; a minute or more", "1h", R"("6h")", false, 60}),
       ByFlag({"overlap", "RULE"},
              Choice("overlap",
                     "while an earlier one has not ended: forbid a new one, allow both, or replace "
                     "the earlier one",
                     "forbid", R"("forbid")", OverlapRuleNames()))}};
  return definition;
}

}  // namespace ebb::core
