// Defines the parts of a job that are objects of their own: its tier, budget, trackers and
// recurrence.

#include "core/jobs/recurring.h"
#include "core/ledger/budget.h"
#include "core/options/field_builders.h"
#include "core/options/job_options.h"

namespace ebb::core {

const Definition& TierDefinition() {
  static const Definition definition{
      "OwnTier",
      "A tier that is spelt out.",
      R"({"name":"mine","threshold":200,"max_delay":"12h","priority":2})",
      {Required({"name", Shape::kText, "what it is called", "", R"("mine")"}),
       Required({"max_delay", Shape::kDuration, "the longest wait", "", R"("12h")"}), Threshold(),
       Priority()}};
  return definition;
}

const Definition& BudgetDefinition() {
  static const Definition definition{
      "Budget",
      "What all attempts together may use: one limit or both.",
      R"({"energy_kwh":2,"emissions_g":500,"action":"stop"})",
      {ByFlag({"budget-kwh", "KWH"}, Number("energy_kwh", "energy over all attempts, in kWh", "",
                                            "2", kLeastBudget, kMostBudgetKwh)),
       ByFlag({"budget-g", "GRAMS"}, Number("emissions_g", "emissions over all attempts, in g CO2e",
                                            "", "500", kLeastBudget, kMostBudgetG)),
       ByFlag({"on-budget", "ACTION", "budget-action"},
              Choice("action",
                     "once a limit is reached: stop with a checkpoint, pause until it is resumed "
                     "(needs checkpointable), or log it",
                     "stop", R"("stop")", BudgetActionNames()))}};
  return definition;
}

const Definition& TrackersDefinition() {
  static const Definition definition{
      "Trackers",
      "Where the figures of a run go while it lasts.",
      R"({"tensorboard":"/home/me/tb","mlflow":"http://localhost:5000","mlflow_experiment":"digits"})",
      {ByFlag({"tensorboard", "DIR"},
              {"tensorboard", Shape::kAbsolutePath,
               "loss, energy and grams as TensorBoard event files in this directory "
               "(docs/trackers.md)",
               "", R"("/home/me/tb")"}),
       ByFlag({"mlflow", "TARGET"},
              UpTo(kLongestAddress,
                   {"mlflow", Shape::kText,
                    "the same in MLflow: address of a server, or absolute path of a file store", "",
                    R"("http://localhost:5000")"})),
       ByFlag({"mlflow-experiment", "NAME"},
              {"mlflow_experiment", Shape::kText, "experiment in MLflow", "the name of the job",
               R"("digits")"}),
       ByFlag({"mlflow-token-file", "FILE"},
              {"mlflow_token_file", Shape::kAbsolutePath,
               "file that holds the token of the server named in mlflow",
               "MLFLOW_TRACKING_TOKEN of the service", R"("/home/me/.mlflow-token")"})}};
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
