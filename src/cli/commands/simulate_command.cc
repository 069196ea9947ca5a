// ebb simulate SCENARIO: the emissions of policies over many start dates, compared with running at
// once and with the best schedule in hindsight.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "app/options/flag_values.h"
#include "app/simulation_run.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/display.h"
#include "config/options/run_option.h"
#include "config/scenario/scenario_policies.h"
#include "config/scenario/scenario_prices.h"
#include "config/tiers.h"
#include "platform/file.h"
#include "platform/process_signals.h"
#include "platform/terminal.h"
#include "report/simulation/simulation_json.h"
#include "report/simulation/simulation_page.h"
#include "report/simulation/simulation_text.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb simulate configs/scenarios/sweep21-anywhere.yaml
  ebb simulate configs/scenarios/sweep21-anywhere.yaml --html sweep.html
  ebb simulate configs/scenarios/part1.yaml --format json
  ebb simulate my.yaml --policy planner,tiers --start-dates 5 --jobs 2
  ebb simulate my.yaml --publication-lag none        what nobody can know: each hour as it begins
  ebb simulate my.yaml --idle-draw inside            savings of all devices, free ones too

The engine, the policies and the accounting are those of real execution; only the clock is virtual.
docs/simulate.md describes scenario files and every figure.)";

struct SimulateOptions {
  std::string scenario;
  std::vector<std::string> policies;
  std::optional<std::string> start_dates, jobs, price_weight, publication_lag;
  std::optional<std::string> idle_draw;
  std::string tiers, prices;
  std::string html;
  bool json = false;
  bool quiet = false;
};

Result<int> PositiveInteger(const std::string& flag, const std::string& text, int highest) {
  const auto number = ParseInteger(text);
  if (number && *number >= 1 && *number <= highest) return static_cast<int>(*number);
  return Fail({ExitCode::kUsage, "--" + flag + ": \"" + text + "\" is not accepted", "",
               "give a whole number from 1 to " + std::to_string(highest)});
}

// Keeps at most `most` start dates, spread over all of them.
void Thin(std::vector<Time>& dates, std::size_t most) {
  if (dates.size() <= most) return;
  std::vector<Time> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(dates[i * dates.size() / most]);
  dates = std::move(kept);
}

Status ApplyOptions(const SimulateOptions& options, config::ScenarioFile& file) {
  if (!options.policies.empty()) {
    EBB_ASSIGN_OR_RETURN(file.scenario.policies,
                         config::ChoosePolicies(file.scenario.policies, options.policies));
    file.scenario.published.reset();
  }
  if (options.start_dates) {
    EBB_ASSIGN_OR_RETURN(const int most,
                         PositiveInteger("start-dates", *options.start_dates, 10000));
    Thin(file.scenario.start_dates, static_cast<std::size_t>(most));
  }
  if (options.publication_lag) {
    EBB_ASSIGN_OR_RETURN(const core::Publication publication,
                         app::PublicationOf(*options.publication_lag));
    for (signals::SignalOptions& signal : file.signals) signal.publication = publication;
  }
  if (options.idle_draw) {
    const auto idle = sim::IdleDrawFromName(*options.idle_draw);
    if (!idle)
      return Fail({ExitCode::kUsage, "--idle-draw: \"" + *options.idle_draw + "\" is not accepted",
                   "", "choose beside or inside"});
    file.scenario.idle_draw = *idle;
    EBB_RETURN_IF_ERROR(config::CheckIdleDraw(file.scenario, options.scenario));
  }
  std::optional<double> weight;
  if (options.price_weight) {
    EBB_ASSIGN_OR_RETURN(weight, app::PriceWeightOf(*options.price_weight));
  }
  return config::OverridePrices(options.prices, weight, file);
}

Result<int> ThreadsFor(const SimulateOptions& options) {
  if (options.jobs) return PositiveInteger("jobs", *options.jobs, 1024);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Shows the progress of the workers, and watches for Ctrl-C on their behalf.
class Supervisor {
 public:
  explicit Supervisor(bool quiet) : line_(ModeFor(quiet)) {
    listener_ = std::jthread([this](const std::stop_token& token) { Listen(token); });
  }
  void Progress(std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex_);
    line_.Rewrite("simulating: " + std::to_string(done) + " of " + std::to_string(total) +
                  " start dates");
    if (done == total) line_.Finish();
  }
  bool stopped() const { return stopped_; }

 private:
  void Listen(const std::stop_token& token) {
    while (!token.stop_requested())
      if (signals_.WaitForStop(std::chrono::milliseconds{100}))
        Stop();
      else if (stopped_ && ++polls_since_stop_ > 20)
        EndAtOnce();
  }
  // Policies and the bound cannot be interrupted. While they run, no file has been written yet.
  void Stop() {
    if (stopped_.exchange(true)) EndAtOnce();
  }
  [[noreturn]] static void EndAtOnce() {
    std::fputs("ebb: stopped before the end; nothing was written\n", stderr);
    std::_Exit(static_cast<int>(ExitCode::kTryLater));
  }

  platform::ProcessSignals signals_;
  StatusLine line_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
  int polls_since_stop_ = 0;
  std::jthread listener_;
};

Result<sim::Experiment> RunSupervised(const config::ScenarioFile& file,
                                      const SimulateOptions& options) {
  EBB_ASSIGN_OR_RETURN(const int threads, ThreadsFor(options));
  Supervisor supervisor(options.quiet);
  return app::RunExperiment(
      file,
      {threads, [&](std::size_t done, std::size_t total) { supervisor.Progress(done, total); },
       [&] { return supervisor.stopped(); }});
}

Result<int> Simulate(const SimulateOptions& options) {
  config::ScenarioContext context;
  context.path = options.scenario;
  EBB_ASSIGN_OR_RETURN(context.tiers, config::LoadTiers(options.tiers));
  EBB_ASSIGN_OR_RETURN(config::ScenarioFile file, config::LoadScenario(context));
  EBB_RETURN_IF_ERROR(ApplyOptions(options, file));
  EBB_ASSIGN_OR_RETURN(const sim::Experiment experiment, RunSupervised(file, options));
  const std::string text = options.json
                               ? report::SimulationJson(experiment)
                               : report::SimulationText(experiment, platform::StdoutColumns());
  std::fputs(text.c_str(), stdout);
  // If the page cannot be written, the computed results are still printed.
  if (!options.html.empty())
    EBB_RETURN_IF_ERROR(
        platform::WriteFileAtomically(options.html, report::SimulationPage(experiment)));
  return 0;
}

}  // namespace

void AddSimulateCommand(Parser& parser) {
  Command& command =
      parser.Add("simulate", "compare policies on a scenario in virtual time", kExamples);
  auto options = std::make_shared<SimulateOptions>();
  command.Positional("SCENARIO", "scenario file (YAML)", &options->scenario);
  command.Flag({"policy", "NAMES",
                "only these policies, comma-separated: labels of the scenario or any policy"},
               [options](const std::string& text) {
                 for (const std::string_view name : Split(text, ','))
                   options->policies.emplace_back(Trim(name));
               });
  command.Flag({"tiers", "FILE", "jobs' tiers (docs/config.md; default: the published three)"},
               [options](const std::string& text) { options->tiers = text; });
  command.Flag({"start-dates", "COUNT", "at most N start dates, spread over all of them"},
               [options](const std::string& text) { options->start_dates = text; });
  command.Flag({"prices", "FILE", "what electricity costs at every site (docs/prices.md)"},
               [options](const std::string& text) { options->prices = text; });
  command.Flag({"price-weight", "W", "0 to 1: how much the price counts beside carbon (planner)"},
               [options](const std::string& text) { options->price_weight = text; });
  command.Flag(
      {"publication-lag", "DURATION", config::RunOptionOfFlag("publication-lag")->field.meaning},
      [options](const std::string& text) { options->publication_lag = text; });
  command.Flag({"idle-draw", "beside|inside",
                "whether what free devices draw counts in savings (default beside)"},
               [options](const std::string& text) { options->idle_draw = text; });
  command.Flag({"jobs", "COUNT", "threads (default: one per core); results do not depend on it"},
               [options](const std::string& text) { options->jobs = text; });
  command.Flag({"format", "text|json", "output format"},
               [options](const std::string& text) { options->json = text == "json"; });
  command.Flag({"html", "FILE", "also write a page with Gantt charts"},
               [options](const std::string& text) { options->html = text; });
  command.Switch({"quiet", "", "no progress on stderr"}, [options] { options->quiet = true; });
  command.Action([options] { return Simulate(*options); });
}

}  // namespace ebb::cli
