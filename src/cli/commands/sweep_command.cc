// ebb sweep generate|run|report|search|serve: hyper-parameter sweeps, written for a cluster, run on
// this machine, ranked, and searched by the queue service.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/sweep/sweep_paths.h"
#include "app/sweep/sweep_report_data.h"
#include "app/sweep/sweep_run.h"
#include "app/sweep/sweep_search.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/cloud_tasks.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/service_flags.h"
#include "cli/sweep_display.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/process_signals.h"
#include "platform/system_clock.h"
#include "platform/terminal.h"
#include "report/sweep/sweep_report.h"
#include "report/text_table.h"
#include "sweep/local_jobs.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb sweep generate configs/sweeps/qwen-lora-core21.yaml --target kubernetes --out manifests
  ebb sweep generate configs/sweeps/qwen-lora-grid54.yaml --target slurm --out jobs --dry-run
  ebb sweep generate clouds.yaml --target skypilot --out tasks    and then: bash tasks/launch.sh
  ebb sweep run configs/sweeps/digits.yaml --slots 2 --grid-start 2023-05-02T00:00Z \
                --grid-speed 1200 --skip-waits
  ebb sweep run configs/sweeps/digits.yaml --budget-g 2 --sweep-budget-kwh 0.5
  ebb sweep report runs/sweep-digits --html digits.html
  ebb sweep report runs/sweep-digits --rank-by energy    J per token, sample or step
  ebb sweep search search.yaml         a Bayesian search in the queue service
  ebb sweep serve configs/sweeps/qwen-lora-core21.yaml --out vllm.yaml

generate writes one RayJob manifest, sbatch script or SkyPilot task per experiment, or all of them
as one file for `ebb sweep run`. A SkyPilot task names its cloud regions, cleanest first. run takes the experiments through the planner on this machine; Ctrl-C pauses what
runs (exit code 75), and the same command continues. An experiment that uses up its budget ends
alone; where the budget of the sweep is used up, what runs is paused (75) until it gets more. report
ranks by validation loss, with grams. search gives the queue service one trial after the other, each
proposed from the results before it; Ctrl-C leaves the trials alone, and the same command continues.
serve writes a vLLM Deployment for the adapter of the best experiment.
docs/sweep.md describes sweep files.)";

struct SweepRequest {
  std::string action, file;
  std::string target, out, submit_time, html, rank_by, experiment;
  bool dry_run = false;
  app::SweepRunRequest run;
  app::ServicePlace service;
};

// The time that deadlines count from.
Result<Time> SubmitTime(const SweepRequest& request) {
  if (!request.submit_time.empty()) return app::TimeOf("--submit-time", request.submit_time);
  return std::chrono::floor<std::chrono::seconds>(platform::WallNow());
}

// Tasks for SkyPilot, and the table of their plan.
Result<std::vector<sweep::GeneratedFile>> CloudFiles(const SweepRequest& request,
                                                     const config::SweepConfig& config) {
  if (!config.skypilot)
    return Fail({ExitCode::kConfiguration, "nothing is said about clouds", request.file,
                 "add a section like skypilot: {regions: [aws/eu-north-1, gcp/europe-north2], "
                 "bucket: s3://my-bucket, accelerator: A100}"});
  EBB_ASSIGN_OR_RETURN(const Time now, SubmitTime(request));
  EBB_ASSIGN_OR_RETURN(const auto starts,
                       PlanCloudTasks(config.sweep, *config.skypilot, request.run.flags, now));
  std::fputs(CloudPlanText(config.sweep, starts, now).c_str(), stdout);
  return SkypilotFiles(config.sweep, *config.skypilot, starts);
}

Result<std::vector<sweep::GeneratedFile>> Generated(const SweepRequest& request,
                                                    config::SweepConfig& config) {
  if (request.target == "skypilot") return CloudFiles(request, config);
  if (request.target == "kubernetes") return KubernetesFiles(config.sweep, config.kubernetes);
  if (request.target == "local")
    return std::vector<sweep::GeneratedFile>{
        {config.sweep.name + ".jobs.yaml", sweep::LocalJobs(config.sweep)}};
  if (!request.submit_time.empty()) {
    EBB_ASSIGN_OR_RETURN(config.slurm.submitted, app::TimeOf("--submit-time", request.submit_time));
  }
  return SlurmFiles(config.sweep, config.slurm);
}

Result<int> Generate(const SweepRequest& request) {
  if (request.target.empty())
    return Fail(
        {ExitCode::kUsage, "--target is missing", "", "kubernetes, slurm, skypilot or local"});
  if (request.out.empty() && !request.dry_run)
    return Fail({ExitCode::kUsage, "--out is missing", "",
                 "say where to write, or --dry-run to look at it first"});
  EBB_ASSIGN_OR_RETURN(config::SweepConfig config, config::LoadSweepConfig(request.file));
  EBB_ASSIGN_OR_RETURN(const auto files, Generated(request, config));
  if (request.dry_run) {
    // The table of a plan for clouds names the experiments.
    if (request.target == "skypilot") return 0;
    for (const sweep::GeneratedFile& file : files) std::printf("%s\n", file.name.c_str());
    return 0;
  }
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(request.out));
  // Slurm's scripts run in this directory, and the runs of clouds are copied into it. So it becomes
  // one that `ebb sweep report` reads.
  if (request.target == "slurm" || request.target == "skypilot") {
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(request.file));
    EBB_RETURN_IF_ERROR(
        platform::WriteFileAtomically(app::SweepPaths{request.out}.sweep_file(), text));
  }
  for (const sweep::GeneratedFile& file : files)
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
        std::filesystem::path(request.out) / file.name, file.content));
  std::fprintf(stderr, "%zu experiments, %zu files in %s\n", config.sweep.experiments.size(),
               files.size(), request.out.c_str());
  return 0;
}

// The directory itself, or the one in which `ebb sweep run` keeps the sweep of this file.
Result<std::string> ReportDirectory(const SweepRequest& request) {
  if (platform::IsDirectory(request.file)) return request.file;
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config, config::LoadSweepConfig(request.file));
  app::RunOptions options;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.run.flags, options));
  return app::SweepDirectory(options, config.sweep.name);
}

Result<int> Report(const SweepRequest& request) {
  app::RunOptions options;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.run.flags, options));
  EBB_ASSIGN_OR_RETURN(const std::string directory, ReportDirectory(request));
  EBB_ASSIGN_OR_RETURN(report::SweepReport report, app::ReadSweepReport(directory));
  if (!request.rank_by.empty()) {
    EBB_ASSIGN_OR_RETURN(report.ranked_by, report::ParseRankBy("--rank-by", request.rank_by));
    report::Rank(report);
  }
  if (!request.html.empty())
    EBB_RETURN_IF_ERROR(
        platform::WriteFileAtomically(request.html, app::SweepPage(directory, report)));
  const std::string text = options.json ? report::SweepJson(report)
                                        : report::SweepText(report, platform::StdoutColumns());
  std::fputs(text.c_str(), stdout);
  return 0;
}

// Prints a Deployment for the adapter of the best experiment, or of the one that the user names.
Result<int> Serve(const SweepRequest& request) {
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config, config::LoadSweepConfig(request.file));
  if (config.serving.model.empty())
    return Fail({ExitCode::kConfiguration, "nothing is said about serving", request.file,
                 "add a section like serving: {model: Qwen/Qwen2.5-Coder-7B-Instruct, adapter: "
                 "\"/mnt/models/{name}\"}"});
  std::string name = request.experiment;
  if (name.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string directory, ReportDirectory(request));
    EBB_ASSIGN_OR_RETURN(const report::SweepReport report, app::ReadSweepReport(directory));
    const report::SweepRow* best = report::BestOf(report);
    if (!best)
      return Fail({ExitCode::kUnavailable, "no experiment is complete", directory,
                   "run the sweep, or name an experiment that ran elsewhere: --experiment NAME"});
    name = best->name;
  }
  const auto found = std::ranges::find(config.sweep.experiments, name, &sweep::Experiment::name);
  if (found == config.sweep.experiments.end()) {
    std::vector<std::string> names;
    for (const sweep::Experiment& experiment : config.sweep.experiments)
      names.push_back(experiment.name);
    return Fail({ExitCode::kUsage,
                 Quoted(name) + " is not an experiment of it" + SuggestionText(name, names),
                 request.file, "ebb sweep generate --dry-run lists them"});
  }
  EBB_ASSIGN_OR_RETURN(const std::string manifest,
                       sweep::ServingManifest(*found, config.serving, config.kubernetes));
  if (request.out.empty() || request.dry_run) {
    std::fputs(manifest.c_str(), stdout);
    return 0;
  }
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(request.out, manifest));
  std::fprintf(stderr, "%s serves %s: kubectl apply -f %s\n", request.out.c_str(), name.c_str(),
               request.out.c_str());
  return 0;
}

// Prints which experiments would run, and where. Nothing is started or written.
Result<int> DryRun(const SweepRequest& request) {
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config, config::LoadSweepConfig(request.file));
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                       app::WithSettings(request.run.flags, app::SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
  const std::string& policy = request.run.policy;
  EBB_RETURN_IF_ERROR(plan::MakePolicy(policy.empty() ? "planner" : policy, {}));
  const sweep::Sweep& sweep = config.sweep;
  report::TextTable table;
  table.headers = {"experiment", "tier", "latest start", "duration", "power", "command"};
  for (const sweep::Experiment& experiment : sweep.experiments) {
    const core::Tier& tier = sweep.TierOf(experiment);
    table.rows.push_back({experiment.name, tier.name, FormatDuration(tier.max_delay),
                          FormatDuration(experiment.duration),
                          FormatSignificant(experiment.power.watts, 3) + " W",
                          Join(experiment.command, " ")});
  }
  table.ends_in_text = true;
  std::fputs(FittedText(std::move(table)).c_str(), stdout);
  std::printf("%zu experiments would run in %s\n", sweep.experiments.size(),
              app::SweepDirectory(options, sweep.name).c_str());
  return 0;
}

Result<int> Search(const SweepRequest& request) {
  platform::ProcessSignals signals;
  const app::SweepSearchRequest search{
      request.service, request.file,
      [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); },
      [&](Duration time) { return signals.WaitForStop(time).has_value(); }};
  EBB_ASSIGN_OR_RETURN(const app::SweepSearchEnd end, app::RunSweepSearch(search));
  if (!end.over) {
    std::fprintf(stderr,
                 "stopped after %zu trials; those that live go on. Continue with: "
                 "ebb sweep search %s\n",
                 end.trials, request.file.c_str());
    return 130;
  }
  if (!end.best_job)
    return Fail({ExitCode::kUnavailable, "no trial has reported a loss", request.file,
                 "the program appends epoch_end lines to $EBB_RUN_DIR/progress.jsonl "
                 "(docs/run-directory.md)"});
  std::printf("best of %zu trials: job %lld (%s), loss %s\n", end.trials, *end.best_job,
              Printable(end.best_name).c_str(), FormatSignificant(end.best_loss, 6).c_str());
  return 0;
}

Result<int> Sweep(SweepRequest& request) {
  if (request.action == "generate") return Generate(request);
  if (request.action == "serve") return Serve(request);
  if (request.action == "search" && request.dry_run)
    return Fail({ExitCode::kUsage,
                 "--dry-run is for generate and run: search proposes from results", "",
                 "leave it out"});
  if (request.action == "search") return Search(request);
  if (request.action == "report" && request.dry_run)
    return Fail({ExitCode::kUsage, "--dry-run is for generate and run: report starts nothing", "",
                 "leave it out"});
  if (request.action == "report") return Report(request);
  if (request.action == "run" && request.dry_run) return DryRun(request);
  if (request.action == "run") {
    request.run.file = request.file;
    return app::RunSweep(request.run, [](const std::string& name, const app::RunOptions& options,
                                         app::DirectoryOf directory_of) {
      return std::make_unique<SweepDisplay>(name, options, std::move(directory_of));
    });
  }
  const std::vector<std::string> actions{"generate", "run", "report", "search", "serve"};
  return Fail({ExitCode::kUsage,
               "\"" + request.action + "\" is not an action of ebb sweep" +
                   SuggestionText(request.action, actions),
               "", "generate, run, report, search or serve"});
}

}  // namespace

void AddSweepCommand(Parser& parser) {
  Command& command = parser.Add(
      "sweep", "hyper-parameter sweeps: generate, run in clean hours, report, search", kExamples);
  auto request = std::make_shared<SweepRequest>();
  const auto into = [request](std::string& field) {
    return [request, &field](const std::string& text) { field = text; };
  };
  command.Positional("ACTION", "generate, run, report, search or serve", &request->action);
  command.Positional("FILE", "sweep file (YAML); for report also the sweep's directory",
                     &request->file);
  command.Flag({"target", "kubernetes|slurm|skypilot|local", "the system to write for", "Generate"},
               into(request->target));
  command.Flag({"out", "DIR", "directory of the files; for serve the file", "Generate"},
               into(request->out));
  command.Flag(
      {"submit-time", "TIME", "slurm, skypilot: the time that deadlines count from", "Generate"},
      into(request->submit_time));
  command.Switch({"dry-run", "", "check the sweep and say what would be written or run"},
                 [request] { request->dry_run = true; });
  command.Flag(
      {"policy", "NAME", "planner (default), run-now, edf, tiers, lowest-window, ...", "Run"},
      into(request->run.policy));
  command.Flag(
      {"slots", "N", "run on the CPU, N programs at a time (default without a GPU: 1)", "Run"},
      into(request->run.slots));
  command.Flag(
      {"gpus", "LIST", "use only these GPUs: numbers or UUIDs, e.g. 0,1 (default: all)", "Run"},
      into(request->run.gpus));
  command.Flag({"grace", "DURATION", "time between SIGTERM and SIGKILL (default 30s)", "Run"},
               into(request->run.grace));
  command.Switch({"page", "", "show it in the browser while it runs", "Run"},
                 [request] { request->run.page = true; });
  const auto budget = [&](const char* name, const char* value_name, const char* help) {
    command.Flag({name, value_name, help, "Budget"},
                 [request, name](const std::string& text) { request->run.budgets[name] = text; });
  };
  budget("budget-kwh", "KWH", "over all attempts of an experiment");
  budget("budget-g", "GRAMS", "over all attempts of an experiment");
  budget("budget-action", "stop|pause|log",
         "when it is used up: end with a checkpoint (default), hold until the sweep is continued "
         "with a larger one, note it; --on-budget is the same");
  command.HiddenFlag("on-budget", [request](const std::string& text) {
    request->run.budgets["budget-action"] = text;
  });
  budget("sweep-budget-kwh", "KWH", "all experiments together; then what runs is paused");
  budget("sweep-budget-g", "GRAMS", "all experiments together; then what runs is paused");
  for (const app::FlagGroup group :
       {app::FlagGroup::kSignal, app::FlagGroup::kPrice, app::FlagGroup::kClock,
        app::FlagGroup::kMetering, app::FlagGroup::kOutput, app::FlagGroup::kTrackers})
    AddFlags(command, group, request->run.flags);
  command.Flag({"price-weight", "W", "0 to 1: how much the price counts beside carbon (planner)",
                "Electricity prices"},
               [request](const std::string& text) { request->run.flags["price-weight"] = text; });
  command.Flag({"html", "FILE",
                "also write it as a page with plots, one file that needs no network", "Report"},
               into(request->html));
  command.Flag(
      {"rank-by", "loss|energy|emissions",
       "the least first: loss (default), or energy or emissions per unit of work", "Report"},
      into(request->rank_by));
  command.Flag({"experiment", "NAME", "the experiment to serve (default: the best one)", "Serve"},
               into(request->experiment));
  AddPlaceOfService(command, request->service);
  command.Action([request] { return Sweep(*request); });
}

}  // namespace ebb::cli
