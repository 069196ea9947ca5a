// ebb plan FILE: the decisions about a queue at one moment, and their expected effects.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/simulation_run.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/gantt_text.h"
#include "cli/local_times.h"
#include "cli/terminal_plot.h"
#include "config/scenario/scenario_policies.h"
#include "config/scenario/scenario_prices.h"
#include "config/tiers.h"
#include "core/signal/one_value.h"
#include "platform/file.h"
#include "platform/terminal.h"
#include "report/simulation/cost_table.h"
#include "report/simulation/queue_plan_json.h"
#include "report/simulation/queue_plan_page.h"
#include "report/text_table.h"
#include "signals/make_feed.h"
#include "sim/queue_plan.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb plan queue.yaml
  ebb plan queue.yaml --at 2026-05-01T17:00Z --html plan.html
  ebb plan queue.yaml --zone DE --policy tiers
  ebb plan configs/scenarios/sweep21-anywhere.yaml --format json

Nothing is started and nothing is written but the page. A queue file is a scenario (docs/simulate.md)
that may leave out sites, policies and start dates: then the signal flags, the planner and this moment
are taken. docs/plan.md says what every figure means.)";

struct PlanOptions {
  std::string file, at, policy, tiers, html, prices, price_weight;
  bool json = false;
  app::FlagValues signal;
};

Time Now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

Result<config::ScenarioFile> LoadFile(const PlanOptions& options) {
  app::RunOptions flags;
  EBB_ASSIGN_OR_RETURN(const app::FlagValues values,
                       app::WithSettings(options.signal, app::SettingsFor::kSignal));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(values, flags));
  config::ScenarioContext context;
  context.path = options.file;
  context.use = config::ScenarioUse::kPlan;
  context.default_signal = flags.scheduler.signal;
  EBB_ASSIGN_OR_RETURN(context.tiers, config::LoadTiers(options.tiers));
  if (!options.at.empty()) {
    EBB_ASSIGN_OR_RETURN(context.moment, app::TimeOf("--at", options.at));
    return config::LoadScenario(std::move(context));
  }
  EBB_ASSIGN_OR_RETURN(config::ScenarioFile file, config::LoadScenario(context));
  if (!file.scenario.start_dates.empty()) return file;
  // Dates of jobs count from this moment, so it must be set before the file is read.
  context.moment = Now();
  return config::LoadScenario(std::move(context));
}

// Prices on the command line replace those of the file.
Result<config::ScenarioFile> Load(const PlanOptions& options) {
  EBB_ASSIGN_OR_RETURN(config::ScenarioFile file, LoadFile(options));
  std::optional<double> weight;
  if (!options.price_weight.empty()) {
    EBB_ASSIGN_OR_RETURN(weight, app::PriceWeightOf(options.price_weight));
  }
  EBB_RETURN_IF_ERROR(config::OverridePrices(options.prices, weight, file));
  return file;
}

Result<sim::PolicyChoice> PolicyOf(const PlanOptions& options, const sim::Scenario& scenario) {
  if (!options.policy.empty()) {
    EBB_ASSIGN_OR_RETURN(const auto chosen,
                         config::ChoosePolicies(scenario.policies, {options.policy}));
    return chosen.front();
  }
  // A file may list policies to compare. The plan uses the planner if it is among them.
  const auto planner = std::find_if(scenario.policies.begin(), scenario.policies.end(),
                                    [](const auto& choice) { return choice.policy == "planner"; });
  if (planner != scenario.policies.end()) return *planner;
  sim::PolicyChoice choice{"planner", "planner", {}};
  if (!options.price_weight.empty()) {
    EBB_ASSIGN_OR_RETURN(choice.options.planner.prices.tariff_weight,
                         app::PriceWeightOf(options.price_weight));
  }
  return choice;
}

Result<sim::QueuePlan> MakePlan(const config::ScenarioFile& file, const sim::PolicyChoice& policy) {
  const Time at = file.scenario.start_dates.front();
  EBB_ASSIGN_OR_RETURN(const sim::Feeds feeds, app::MakeFeeds(file));
  const Duration horizon = sim::HorizonOf(file.scenario, std::chrono::hours{24});
  std::vector<core::SignalView> views;
  std::vector<Time> next_change;
  for (const auto& feed : feeds) {
    EBB_RETURN_IF_ERROR(signals::CheckCoverage(*feed, {at, at + Duration{1}}));
    EBB_ASSIGN_OR_RETURN(core::SignalView view, feed->Observe(at, horizon));
    views.push_back(std::move(view));
    next_change.push_back(feed->NextChange(at));
  }
  return sim::PlanQueue(file.scenario, policy, at, std::move(views), next_change);
}

std::string ForecastText(const core::SignalView& view) {
  if (!core::KnowsHours(view))
    return std::string(core::kNothingOfHours) + ", so nothing can be gained there by waiting; " +
           std::string(core::kWhatBringsHours);
  return "forecast: " + (view.forecast.method.empty() ? "none" : view.forecast.method);
}

std::string Text(const sim::QueuePlan& plan) {
  const LocalTimes times = LocalTimes::Of(plan.at);
  std::string text = "plan at " + times.Minute(plan.at) + " (" + times.zone() + ") by " +
                     plan.policy + ": " + report::QueuePlanSentence(plan) + "\n";
  for (const core::SignalView& view : plan.views)
    text += signals::Describe(view.known.identity()) + "; " + ForecastText(view) + "\n";
  if (const std::string cost = report::QueuePlanCostSentence(plan); !cost.empty())
    text += cost + "\n";
  if (plan.not_submitted > 0)
    text += std::to_string(plan.not_submitted) + " jobs are submitted later and not planned\n";
  text += "\n" + GanttText(plan, ChartColumns(27), times) + "\n";
  report::TextTable table = report::QueuePlanTable(plan);
  table.headers.insert(table.headers.begin(), "");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (std::string& cell : {std::ref(table.rows[i][1]), std::ref(table.rows[i].back())})
      cell = times.InText(cell);
    table.rows[i].insert(table.rows[i].begin(), std::string(1, LetterOf(i)));
  }
  table.texts = {1, 3};  // job and device
  return text + report::AlignedTable(table, platform::StdoutColumns());
}

Result<int> Plan(const PlanOptions& options) {
  EBB_ASSIGN_OR_RETURN(const config::ScenarioFile file, Load(options));
  EBB_ASSIGN_OR_RETURN(const sim::PolicyChoice policy, PolicyOf(options, file.scenario));
  EBB_ASSIGN_OR_RETURN(const sim::QueuePlan plan, MakePlan(file, policy));
  if (!options.html.empty())
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(options.html, report::QueuePlanPage(plan)));
  std::fputs((options.json ? report::QueuePlanJson(plan) : Text(plan)).c_str(), stdout);
  const bool refused = std::any_of(plan.jobs.begin(), plan.jobs.end(),
                                   [](const auto& job) { return !job.refused.empty(); });
  return refused ? static_cast<int>(ExitCode::kInfeasible) : 0;
}

}  // namespace

void AddPlanCommand(Parser& parser) {
  Command& command = parser.Add("plan", "what Ebb would do with a queue of jobs now", kExamples);
  auto options = std::make_shared<PlanOptions>();
  command.Positional("FILE", "queue or scenario file (YAML)", &options->file);
  command.Flag({"at", "TIME", "the moment (default: the file's first start date, or now)"},
               [options](const std::string& text) { options->at = text; });
  command.Flag({"policy", "NAME", "a label of the file or any policy (default: planner)"},
               [options](const std::string& text) { options->policy = text; });
  command.Flag({"tiers", "FILE", "jobs' tiers (docs/config.md; default: the published three)"},
               [options](const std::string& text) { options->tiers = text; });
  command.Flag({"format", "text|json", "output format"},
               [options](const std::string& text) { options->json = text == "json"; });
  command.Flag({"html", "FILE", "also write a page with a Gantt chart"},
               [options](const std::string& text) { options->html = text; });
  command.Flag({"prices", "FILE", "what electricity costs at every site (docs/prices.md)"},
               [options](const std::string& text) { options->prices = text; });
  command.Flag({"price-weight", "W", "0 to 1: how much the price counts beside carbon (planner)"},
               [options](const std::string& text) { options->price_weight = text; });
  AddFlags(command, app::FlagGroup::kSignal, options->signal);
  command.Action([options] { return Plan(*options); });
}

}  // namespace ebb::cli
