// ebb train CONFIG.yaml...: gates, trains and measures what configuration files describe, one run
// per file and seed, and compares them if asked.
#include <cstdio>
#include <span>
#include <utility>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/run/run_session.h"
#include "app/run/trainer_command.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/brief_run_display.h"
#include "cli/command_line.h"
#include "cli/comparison.h"
#include "cli/run_display.h"
#include "cli/say.h"
#include "plan/make_policy.h"
#include "sweep/shell_quote.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb train configs/optimized.yaml
  ebb train configs/optimized.yaml --seeds 1,2,3 --output-dir runs/monday
  ebb train configs/demo/*.yaml --seeds 1,2,3 --compare
  ebb train configs/lora.yaml --dry-run

Flags replace what the configuration says. Ctrl-C pauses a run with a checkpoint (exit code 75);
`ebb resume RUN_DIR` continues it.)";

struct TrainRequest {
  std::vector<std::string> configs;
  std::string seeds;
  std::string data, data_dir, train_samples, test_samples;
  std::vector<std::string> notes;
  std::string grid_start_step;
  app::FlagValues flags;
  bool compare = false;
  bool brief = false;
  bool dry_run = false;
};

Result<std::vector<std::int64_t>> ParseSeeds(const std::string& text) {
  std::vector<std::int64_t> seeds;
  for (const std::string_view field : Split(text, ',')) {
    const auto seed = ParseInteger(Trim(field));
    if (!seed || *seed < 0)
      return Fail({ExitCode::kUsage, "--seeds: \"" + text + "\" is not accepted", "",
                   "give whole numbers with commas, e.g. 1,2,3"});
    seeds.push_back(*seed);
  }
  return seeds;
}

// "" leaves the configuration's value.
Status SetSamples(const char* flag, const std::string& text, std::int64_t& samples) {
  if (text.empty()) return {};
  const auto number = ParseInteger(text);
  if (!number || *number < 1 || *number > 1'000'000'000)
    return Fail({ExitCode::kUsage, std::string(flag) + ": \"" + text + "\" is not accepted", "",
                 "give a whole number from 1 on"});
  samples = *number;
  return {};
}

// Applies the flags that choose the images a classifier learns.
Status ApplyDataFlags(const TrainRequest& request, config::TrainConfig& config) {
  auto& training = config.training;
  const std::pair<const char*, const std::string&> flags[] = {
      {"--data", request.data},
      {"--data-dir", request.data_dir},
      {"--train-samples", request.train_samples},
      {"--test-samples", request.test_samples}};
  for (const auto& [flag, text] : flags)
    if (training.lora && !text.empty())
      return Fail({ExitCode::kUsage,
                   std::string(flag) + " is of image classifiers, and this configuration " +
                       "fine-tunes a language model",
                   config.source, "change its section lora instead"});
  if (!request.data.empty()) training.data = request.data;
  if (!request.data_dir.empty()) config.data_dir = request.data_dir;
  EBB_RETURN_IF_ERROR(SetSamples("--train-samples", request.train_samples, training.train_samples));
  return SetSamples("--test-samples", request.test_samples, training.test_samples);
}

// True if a configuration has no signal; the user's settings then give one.
bool LeavesSignalOpen(const app::RunOptions& options) {
  const signals::SignalOptions& signal = options.scheduler.signal;
  return signal.source == signals::SignalSource::kProfile && !signal.source_named &&
         signal.zone.empty() && !options.scheduler.clock.replayed();
}

// Runs of one seed are neighbours, so that a slow drift of the machine affects all variants alike.
Result<std::vector<app::RunRequest>> PlanRuns(const TrainRequest& request) {
  app::RunOptions settings;
  EBB_RETURN_IF_ERROR(app::ApplyMeteringSettings(settings));
  std::vector<config::TrainConfig> configs;
  for (const std::string& path : request.configs) {
    EBB_ASSIGN_OR_RETURN(config::TrainConfig config,
                         config::LoadTrainConfig(path, settings.metering));
    for (const std::string& note : config.notes) SayNote(note);
    if (!request.seeds.empty()) {
      EBB_ASSIGN_OR_RETURN(config.training.seeds, ParseSeeds(request.seeds));
    }
    EBB_RETURN_IF_ERROR(ApplyDataFlags(request, config));
    configs.push_back(std::move(config));
  }
  Duration step{0};
  if (!request.grid_start_step.empty()) {
    EBB_ASSIGN_OR_RETURN(step, app::DurationOf("--grid-start-step", request.grid_start_step));
  }
  std::size_t most_seeds = 0;
  for (const auto& config : configs)
    most_seeds = std::max(most_seeds, config.training.seeds.size());
  std::vector<app::RunRequest> runs;
  for (std::size_t index = 0; index < most_seeds; ++index) {
    for (const auto& config : configs) {
      if (index >= config.training.seeds.size()) continue;
      EBB_ASSIGN_OR_RETURN(app::RunRequest run,
                           app::TrainerRun(config, config.training.seeds[index]));
      app::FlagValues flags = request.flags;
      if (LeavesSignalOpen(run.options)) {
        EBB_ASSIGN_OR_RETURN(flags, app::WithSettings(std::move(flags), app::SettingsFor::kSignal));
      }
      EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, run.options));
      auto& grid_start = run.options.scheduler.clock.start;
      if (grid_start) *grid_start += step * static_cast<int>(index);
      EBB_RETURN_IF_ERROR(app::Validate(run.options));
      run.show_meter_notes = runs.empty();
      runs.push_back(std::move(run));
    }
  }
  if (runs.size() > 1 && !runs.front().options.run_dir.empty())
    return Fail(
        {ExitCode::kUsage,
         "--run-dir names one directory, and there are " + std::to_string(runs.size()) + " runs",
         "", "use --output-dir"});
  return runs;
}

// Prints for --dry-run when and how a run may start.
void PrintRun(const app::RunRequest& run) {
  const config::SchedulerConfig& scheduler = run.options.scheduler;
  std::printf("%s, seed %lld: policy %s\n  %s\n", run.options.name.c_str(),
              static_cast<long long>(run.training->seed),
              std::string(plan::PolicyNameOf(plan::Name(scheduler.policy))).c_str(),
              sweep::ShellCommand(run.command).c_str());
}

Result<int> DryRun(std::span<const app::RunRequest> runs, platform::ProcessSignals& signals) {
  EBB_RETURN_IF_ERROR(app::CheckTrainings(runs, signals));
  for (const app::RunRequest& run : runs) PrintRun(run);
  std::printf("%zu run%s would start; nothing was started\n", runs.size(),
              runs.size() == 1 ? "" : "s");
  return 0;
}

// The display of a run: in full, or in one line if it is one of several.
app::MakeDisplay DisplayOf(const TrainRequest& request, std::span<const app::RunRequest> runs,
                           std::size_t index) {
  const std::string number =
      "[" + std::to_string(index + 1) + "/" + std::to_string(runs.size()) + "] ";
  if (!request.brief) {
    if (runs.size() > 1 && !runs[index].options.quiet) std::fprintf(stderr, "\n%s", number.c_str());
    return MakeRunDisplay;
  }
  const std::string label =
      number + runs[index].options.name + ", seed " + std::to_string(runs[index].training->seed);
  return [label](const app::RunOptions& options) { return MakeBriefRunDisplay(label, options); };
}

Result<int> Train(const TrainRequest& request) {
  EBB_ASSIGN_OR_RETURN(const std::vector<app::RunRequest> runs, PlanRuns(request));
  platform::ProcessSignals signals;
  if (request.dry_run) return DryRun(runs, signals);
  // A run that starts at once reports errors itself.
  const bool waits = runs.front().options.scheduler.policy != plan::GatePolicyKind::kNow;
  if (waits || runs.size() > 1) EBB_RETURN_IF_ERROR(app::CheckTrainings(runs, signals));
  ComparisonRequest comparison;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EBB_ASSIGN_OR_RETURN(const app::RunResult result,
                         app::RunOnce(runs[i], signals, DisplayOf(request, runs, i)));
    comparison.directories.push_back(result.directory);
    if (result.exit_code != 0) return result.exit_code;
  }
  if (request.compare) {
    comparison.output_dir = runs.front().options.output_dir + "/comparison";
    comparison.notes = request.notes;
    comparison.brief = request.brief;
    comparison.json = runs.front().options.json;
    EBB_RETURN_IF_ERROR(CompareRuns(comparison));
  }
  return 0;
}

}  // namespace

void AddTrainCommand(Parser& parser) {
  Command& command =
      parser.Add("train", "train from configuration files, in clean hours", kExamples);
  auto request = std::make_shared<TrainRequest>();
  const auto into = [request](std::string TrainRequest::*field) {
    return [request, field](const std::string& text) { (*request).*field = text; };
  };
  command.Positionals("CONFIG", "configuration files (YAML)", &request->configs);
  command.Flag({"seeds", "LIST", "one run per seed, e.g. 1,2,3"}, into(&TrainRequest::seeds));
  command.Flag({"data", "mnist|digits", "data set of all runs"}, into(&TrainRequest::data));
  command.Flag({"data-dir", "DIR", "where the data set's files are"},
               into(&TrainRequest::data_dir));
  command.Flag({"train-samples", "N", "train on the first N, in all runs"},
               into(&TrainRequest::train_samples));
  command.Flag({"test-samples", "N", "test on the first N, in all runs"},
               into(&TrainRequest::test_samples));
  command.Flag({"grid-start-step", "DURATION",
                "each further seed is submitted this much later on the grid clock, e.g. 1d"},
               into(&TrainRequest::grid_start_step));
  command.Switch({"compare", "", "compare the runs at the end"},
                 [request] { request->compare = true; });
  command.Switch({"brief", "", "one line for each run, and a few for --compare: no tables"},
                 [request] { request->brief = true; });
  command.Switch({"dry-run", "", "check that the runs could start, print them, and start nothing"},
                 [request] { request->dry_run = true; });
  command.List({"note", "TEXT", "a sentence for the reader of the comparison"}, &request->notes);
  for (const app::FlagGroup group :
       {app::FlagGroup::kGate, app::FlagGroup::kSignal, app::FlagGroup::kPrice,
        app::FlagGroup::kClock, app::FlagGroup::kMetering, app::FlagGroup::kPower,
        app::FlagGroup::kOtherSignal, app::FlagGroup::kBudget, app::FlagGroup::kOutput,
        app::FlagGroup::kTrackers})
    AddFlags(command, group, request->flags);
  command.Action([request] { return Train(*request); });
}

}  // namespace ebb::cli
