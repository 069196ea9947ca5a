// Flags for what a run may use, and where it is stored.

#include <filesystem>

#include "app/options/run_flags.h"
#include "core/options/field_builders.h"

namespace ebb::app::run_flags {
namespace {

// Paths are absolute because a run may be continued from another directory.
std::optional<std::string> Absolute(const std::string& path) {
  std::error_code ignored;
  return If(!path.empty(), std::filesystem::absolute(path, ignored).string());
}

}  // namespace

std::vector<Flag> BudgetFlags() {
  return {
      {FlagGroup::kBudget, "budget-kwh", "KWH",
       "energy the run may use, PUE included; a warning at 80 %",
       Number(
           "budget-kwh", core::kLeastBudget, core::kMostBudgetKwh,
           [](RunOptions& o, double v) { o.metering.budget.energy = Energy::Joules(v * 3.6e6); }),
       [](const RunOptions& o) {
         const auto& energy = o.metering.budget.energy;
         return energy ? std::optional(FormatExact(energy->kwh())) : std::nullopt;
       }},
      {FlagGroup::kBudget, "budget-g", "GRAMS", "CO2eq the run may emit; a warning at 80 %",
       Number("budget-g", core::kLeastBudget, core::kMostBudgetG,
              [](RunOptions& o, double v) { o.metering.budget.emissions = Emissions{v}; }),
       [](const RunOptions& o) {
         const auto& emissions = o.metering.budget.emissions;
         return emissions ? std::optional(FormatExact(emissions->grams)) : std::nullopt;
       }},
      {FlagGroup::kBudget, "on-budget", "WHAT",
       "when it is used up: log; stop (default): checkpoint and stop, continue only with a larger "
       "budget; pause: the same, but ebb resume may continue it",
       Choice("on-budget", core::BudgetActionNames(), core::BudgetActionFromName,
              [](RunOptions& o, core::BudgetAction v) { o.metering.budget.action = v; }),
       [](const RunOptions& o) {
         return If(!o.metering.budget.empty(), std::string(core::Name(o.metering.budget.action)));
       }},
      {FlagGroup::kBudget, "budget-grace", "DURATION",
       "how long the program may take for its checkpoint (default 30s); then it is killed",
       DurationOf("budget-grace", [](RunOptions& o, Duration v) { o.metering.budget.grace = v; }),
       [](const RunOptions& o) {
         return If(!o.metering.budget.empty(), FormatExact(o.metering.budget.grace));
       }},
  };
}

std::vector<Flag> OutputFlags() {
  const Show nothing = [](const RunOptions&) { return std::optional<std::string>(); };
  return {
      {FlagGroup::kOutput, "name", "NAME", "name of the run (default: its script)",
       Text([](RunOptions& o, const std::string& v) { o.name = v; }), nothing},
      {FlagGroup::kOutput, "output-dir", "DIR", "where run directories are made (default runs)",
       Text([](RunOptions& o, const std::string& v) { o.output_dir = v; }), nothing},
      {FlagGroup::kOutput, "run-dir", "DIR", "this run's directory",
       Text([](RunOptions& o, const std::string& v) { o.run_dir = v; }), nothing},
      {FlagGroup::kOutput, "group", "NAME",
       "runs that belong together (default the name); experiment_id in emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.group = v; }), nothing},
      {FlagGroup::kOutput, "region", "NAME", "a label for emissions.csv (default the zone)",
       Text([](RunOptions& o, const std::string& v) { o.location.region = v; }), nothing},
      {FlagGroup::kOutput, "cloud-provider", "NAME", "a label for emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.location.cloud_provider = v; }), nothing},
      {FlagGroup::kOutput, "cloud-region", "NAME", "a label for emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.location.cloud_region = v; }), nothing},
      {FlagGroup::kOutput, "emissions-file", "FILE",
       "add the run to this emissions.csv, with CodeCarbon's 38 columns (docs/codecarbon.md)",
       Text([](RunOptions& o, const std::string& v) { o.emissions_file = v; }),
       [](const RunOptions& o) { return Absolute(o.emissions_file); }},
      {FlagGroup::kOutput, "csv-write", "HOW",
       "append (default): add a row; update: replace the run's row",
       Choice("csv-write", core::CsvWriteNames(), core::CsvWriteFromName,
              [](RunOptions& o, core::CsvWrite v) { o.csv_write = v; }),
       [](const RunOptions& o) { return If(o.csv_write == core::CsvWrite::kUpdate, "update"); }},
      {FlagGroup::kOutput, "prometheus-file", "FILE",
       "figures for Prometheus while the run lasts (for node_exporter's textfile collector: "
       "*.prom)",
       Text([](RunOptions& o, const std::string& v) { o.prometheus_file = v; }),
       [](const RunOptions& o) { return Absolute(o.prometheus_file); }},
      {FlagGroup::kOutput, "prometheus-url", "URL",
       "push the same to a Pushgateway, e.g. http://localhost:9091",
       Text([](RunOptions& o, const std::string& v) { o.prometheus_url = v; }),
       [](const RunOptions& o) { return If(!o.prometheus_url.empty(), o.prometheus_url); }},
      {FlagGroup::kTrackers, "tensorboard", "DIR",
       "loss, energy and grams as TensorBoard event files (docs/trackers.md)",
       Text([](RunOptions& o, const std::string& v) { o.tracking.tensorboard = v; }),
       [](const RunOptions& o) { return Absolute(o.tracking.tensorboard); }},
      {FlagGroup::kTrackers, "mlflow", "TARGET",
       "the same in MLflow: a server (http://...) or a directory",
       Text([](RunOptions& o, const std::string& v) { o.tracking.mlflow = v; }),
       [](const RunOptions& o) {
         return o.tracking.mlflow.find("://") == std::string::npos
                    ? Absolute(o.tracking.mlflow)
                    : std::optional(o.tracking.mlflow);
       }},
      {FlagGroup::kTrackers, "mlflow-experiment", "NAME",
       "MLflow experiment (default: the group of the run)",
       Text([](RunOptions& o, const std::string& v) { o.tracking.mlflow_experiment = v; }),
       [](const RunOptions& o) {
         return If(!o.tracking.mlflow_experiment.empty(), o.tracking.mlflow_experiment);
       }},
      {FlagGroup::kTrackers, "mlflow-token-file", "FILE",
       "file with the server's token (default: MLFLOW_TRACKING_TOKEN)",
       Text([](RunOptions& o, const std::string& v) { o.tracking.mlflow_token_file = v; }),
       [](const RunOptions& o) { return Absolute(o.tracking.mlflow_token_file); }},
      {FlagGroup::kOutput, "format", "FORMAT", "text (to stderr) or json (to stdout)",
       [](const std::string& text, RunOptions& options) -> Status {
         if (text != "text" && text != "json")
           return Fail(BadValue("format", text, "choose one of text, json"));
         options.json = text == "json";
         return {};
       },
       nothing},
      {FlagGroup::kOutput, "quiet", nullptr, "no progress and no summary",
       Switch([](RunOptions& o) { o.quiet = true; }), nothing},
  };
}

}  // namespace ebb::app::run_flags
