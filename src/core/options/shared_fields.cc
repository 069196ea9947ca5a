#include "core/options/shared_fields.h"

#include "core/jobs/job.h"
#include "core/ledger/budget.h"
#include "core/options/field_builders.h"

namespace ebb::core {

Field NameField() {
  return ByFlag({"name", "NAME"}, {"name", Shape::kText, "what it is called",
                                   "the name of its script, or else of the program", R"("train")"});
}

// A duration of zero would make every start equally clean.
Field DurationField() {
  return ByFlag({"duration", "DURATION", "run-time"},
                {"duration", Shape::kDuration, "estimated running time", "1h", R"("90m")", false,
                 kShortestDuration});
}

Field StartByField() {
  return ByFlag({"start-by", "WHEN"},
                {"start_by", Shape::kMoment, "latest start", "24h", R"("6h")"});
}

Field ThresholdField() {
  return ByFlag(
      {"threshold", "G_PER_KWH"},
      In("g/kWh", Number("threshold", "start at or below this intensity, in g CO2e per kWh", "",
                         "200", 0, kMostIntensity)));
}

Field OnOutageField() {
  return ByFlag({"on-outage", "ACTION"},
                Choice("on_outage",
                       "while the carbon intensity is unknown and nothing can replace it: wait, "
                       "run at once, or stop what has not begun",
                       "wait", R"("run")", OnOutageNames()));
}

Field PowerCapField() {
  return ByFlag({"power-cap", "CAP"},
                {"power_cap", Shape::kTextOrNumber,
                 "power limit of each GPU that is used, where permitted: 250W, 70% of its default "
                 "limit, or auto, which finds the limit with the least energy per step",
                 "", R"("250W")"});
}

Field SlowerByField() {
  return ByFlag({"slower-by", "PERCENT"},
                {"slower_by", Shape::kTextOrNumber,
                 "with a power cap of auto: a step may take this much longer", "5%", R"("5%")"});
}

Field BudgetEnergyField() {
  return ByFlag({"budget-kwh", "KWH"},
                Number("energy_kwh",
                       "energy that all attempts together may use, in kWh, PUE included; a warning "
                       "at 80 %",
                       "", "2", kLeastBudget, kMostBudgetKwh));
}

Field BudgetEmissionsField() {
  return ByFlag({"budget-g", "GRAMS"},
                Number("emissions_g",
                       "emissions that all attempts together may cause, in g CO2e; a warning at "
                       "80 %",
                       "", "500", kLeastBudget, kMostBudgetG));
}

Field BudgetActionField() {
  return ByFlag({"on-budget", "ACTION", "budget-action"},
                Choice("action",
                       "once a limit is reached: log it, stop with a checkpoint, or pause with one "
                       "until it is resumed",
                       "stop", R"("stop")", BudgetActionNames()));
}

Field TensorboardField() {
  return ByFlag({"tensorboard", "DIR"},
                {"tensorboard", Shape::kAbsolutePath,
                 "loss, energy and grams as TensorBoard event files in this directory "
                 "(docs/trackers.md)",
                 "", R"("/home/me/tb")"});
}

Field MlflowField() {
  return ByFlag(
      {"mlflow", "TARGET"},
      UpTo(kLongestAddress, {"mlflow", Shape::kText,
                             "the same in MLflow: address of a server, or path of a file store", "",
                             R"("http://localhost:5000")"}));
}

Field MlflowExperimentField() {
  return ByFlag({"mlflow-experiment", "NAME"},
                {"mlflow_experiment", Shape::kText, "experiment in MLflow", "", R"("digits")"});
}

Field MlflowTokenFileField() {
  return ByFlag({"mlflow-token-file", "FILE"},
                {"mlflow_token_file", Shape::kAbsolutePath,
                 "file that holds the token of the server named in mlflow", "MLFLOW_TRACKING_TOKEN",
                 R"("/home/me/.mlflow-token")"});
}

}  // namespace ebb::core
