// Flags for when a run starts, what it may use, and where it is stored.

#include <filesystem>

#include "app/options/flag_values.h"
#include "app/options/run_flags.h"
#include "app/options/when.h"
#include "core/options/field_builders.h"
#include "plan/make_policy.h"
#include "platform/system_clock.h"

namespace ebb::app::run_flags {
namespace {

// "run-now: at once (default); threshold: start at ..."
std::string PolicyHelp() {
  std::vector<std::string> lines;
  for (const std::string& name : plan::GatePolicyKindNames()) {
    const plan::GatePolicyKind kind = *plan::GatePolicyKindFromName(name);
    const bool is_default = kind == config::SchedulerConfig().policy;
    lines.push_back(name + ": " + std::string(plan::HelpOf(kind)) +
                    (is_default ? " (default)" : ""));
  }
  return Join(lines, "; ");
}

// Paths are absolute because a run may be continued from another directory.
std::optional<std::string> Absolute(const std::string& path) {
  std::error_code ignored;
  return If(!path.empty(), std::filesystem::absolute(path, ignored).string());
}

// The wait is stored as a duration: a resumed run counts it anew.
Status ApplyStartBy(const std::string& text, RunOptions& options) {
  EBB_ASSIGN_OR_RETURN(const auto zone, ZoneOfUser(""));
  const Time now = platform::WallNow();
  EBB_ASSIGN_OR_RETURN(const When when, WhenOf("--start-by", text, now, zone));
  const auto* at = std::get_if<Time>(&when);
  options.scheduler.longest_wait = at ? *at - now : std::get<Duration>(when);
  return {};
}

Status ApplyDuration(const std::string& text, RunOptions& options) {
  EBB_ASSIGN_OR_RETURN(const Duration value, ::ebb::app::DurationOf("--duration", text));
  if (value < std::chrono::seconds{1})
    return Fail(BadValue("duration", text, "give a duration from 1s on, for example 90m or 2h"));
  options.scheduler.duration = value;
  return {};
}

}  // namespace

std::vector<Flag> GateFlags() {
  return {
      {FlagGroup::kGate, "policy", "POLICY", PolicyHelp(),
       Choice("policy", plan::GatePolicyKindNames(), plan::GatePolicyKindFromName,
              [](RunOptions& o, plan::GatePolicyKind v) { o.scheduler.policy = v; }),
       [](const RunOptions& o) { return std::optional(std::string(Name(o.scheduler.policy))); }},
      {FlagGroup::kGate, "threshold", "G_PER_KWH",
       "intensity at or below which a run starts (default 300)",
       Number("threshold", 0, core::kMostIntensity,
              [](RunOptions& o, double v) { o.scheduler.threshold = {v}; }),
       [](const RunOptions& o) {
         return std::optional(FormatExact(o.scheduler.threshold.g_per_kwh));
       }},
      {FlagGroup::kGate, "start-by", "WHEN",
       "latest start: 6h from now, 18:00, \"tomorrow 6am\" (default 24h)", ApplyStartBy,
       [](const RunOptions& o) { return std::optional(FormatExact(o.scheduler.longest_wait)); }},
      {FlagGroup::kGate, "duration", "DURATION",
       "estimated running time (default 1h); --run-time is the same", ApplyDuration,
       [](const RunOptions& o) {
         return o.scheduler.duration ? std::optional(FormatExact(*o.scheduler.duration))
                                     : std::nullopt;
       },
       "run-time"},
      {FlagGroup::kGate, "at-deadline", "WHAT",
       "at the latest start: start whatever the intensity (default), or stop with exit code 75",
       Choice("at-deadline", plan::AtDeadlineNames(), plan::AtDeadlineFromName,
              [](RunOptions& o, plan::AtDeadline v) { o.scheduler.on_deadline = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.on_deadline != plan::AtDeadline::kStart,
                   std::string(plan::Name(o.scheduler.on_deadline)));
       }},
      {FlagGroup::kGate, "price-weight", "W",
       "0 (default) to 1: how much the price counts beside carbon, for lowest-window and "
       "carbon-time",
       Number("price-weight", 0, 1, [](RunOptions& o, double v) { o.scheduler.prices.weight = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.prices.weight > 0, FormatExact(o.scheduler.prices.weight));
       }},
      {FlagGroup::kGate, "price-threshold", "PER_KWH",
       "wait while electricity costs more than this",
       Number("price-threshold", -100'000, 100'000,
              [](RunOptions& o, double v) { o.scheduler.prices.threshold = v; }),
       [](const RunOptions& o) {
         const auto& threshold = o.scheduler.prices.threshold;
         return threshold ? std::optional(FormatExact(*threshold)) : std::nullopt;
       }},
      {FlagGroup::kGate, "on-outage", "WHAT",
       "while the intensity is unknown and nothing can replace it: wait (default), run, or "
       "stop with exit code 75",
       Choice("on-outage", core::OnOutageNames(), core::OnOutageFromName,
              [](RunOptions& o, core::OnOutage v) { o.scheduler.on_outage = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.on_outage != core::OnOutage::kWait,
                   std::string(core::Name(o.scheduler.on_outage)));
       }},
  };
}

std::vector<Flag> PriceFlags() {
  return {{FlagGroup::kPrice, "prices", "FILE",
           "what electricity costs: a tariff (YAML) or day-ahead prices (CSV)",
           Text([](RunOptions& o, const std::string& v) { o.scheduler.prices.path = v; }),
           [](const RunOptions& o) {
             return If(!o.scheduler.prices.path.empty(), o.scheduler.prices.path);
           }}};
}

std::vector<Flag> ClockFlags() {
  return {
      {FlagGroup::kClock, "grid-start", "TIME",
       "replay the grid clock from here, e.g. 2023-05-01T00:00Z",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto time = ParseTime(text);
         if (!time)
           return Fail(BadValue("grid-start", text, time.error().what + "; " + time.error().next));
         options.scheduler.clock.start = *time;
         return {};
       },
       [](const RunOptions& o) {
         return o.scheduler.clock.start ? std::optional(FormatTime(*o.scheduler.clock.start))
                                        : std::nullopt;
       }},
      {FlagGroup::kClock, "grid-speed", "FACTOR",
       "grid seconds per real second, e.g. 60 (default 1)",
       Number("grid-speed", 0.001, 1e6,
              [](RunOptions& o, double v) { o.scheduler.clock.speed = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.clock.speed != 1, FormatExact(o.scheduler.clock.speed));
       }},
      {FlagGroup::kClock, "skip-waits", nullptr, "jump the grid clock forward instead of sleeping",
       Switch([](RunOptions& o) { o.scheduler.clock.skip_waits = true; }),
       [](const RunOptions& o) { return If(o.scheduler.clock.skip_waits, "true"); }},
  };
}

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
       Choice("csv-write", report::CsvWriteNames(), report::CsvWriteFromName,
              [](RunOptions& o, report::CsvWrite v) { o.csv_write = v; }),
       [](const RunOptions& o) { return If(o.csv_write == report::CsvWrite::kUpdate, "update"); }},
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
