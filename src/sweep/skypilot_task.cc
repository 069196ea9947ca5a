#include "sweep/skypilot_task.h"

#include <algorithm>

#include "base/text.h"
#include "sweep/shell_quote.h"
#include "sweep/target_name.h"
#include "sweep/yaml_text.h"

namespace ebb::sweep {
namespace {

// Where the bucket and the wheel are on the machine.
constexpr const char* kBucketPath = "/ebb-bucket";
constexpr const char* kWheelFolder = "~/ebb-wheel/";
// Time between SIGTERM and SIGKILL when a task has used up its time limit.
constexpr std::int64_t kGraceSeconds = 60;

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

std::string FileOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Yaml Resources(const Sweep& sweep, const SkypilotOptions& options, const CloudStart& start) {
  std::vector<Yaml::Entry> entries;
  if (!options.accelerator.empty())
    entries.emplace_back("accelerators",
                         options.accelerator + ":" + std::to_string(sweep.common.job.devices));
  if (!options.cpus.empty()) entries.emplace_back("cpus", options.cpus);
  if (!options.memory.empty()) entries.emplace_back("memory", options.memory);
  if (!options.image.empty()) entries.emplace_back("image_id", options.image);
  if (options.spot) entries.emplace_back("use_spot", Yaml::Bool(true));
  // After a preemption, SkyPilot tries the same region first. Its default leaves a clean region at
  // once.
  entries.emplace_back("job_recovery", "FAILOVER");
  std::vector<Yaml> candidates;
  for (const RegionOutlook& each : start.regions)
    candidates.push_back(Yaml::Map({{"infra", each.region}}));
  entries.emplace_back("ordered", Yaml::List(std::move(candidates)));
  return Yaml::Map(std::move(entries));
}

Yaml FileMounts(const SkypilotOptions& options) {
  const bool is_address = options.bucket.find("://") != std::string::npos;
  std::vector<Yaml::Entry> entries{
      {kBucketPath,
       Yaml::Map({{is_address ? "source" : "name", options.bucket}, {"mode", "MOUNT"}})}};
  if (!options.ebb_wheel.empty())
    entries.emplace_back(kWheelFolder + FileOf(options.ebb_wheel), options.ebb_wheel);
  return Yaml::Map(std::move(entries));
}

std::string Setup(const SkypilotOptions& options) {
  std::string text;
  if (!options.ebb_wheel.empty())
    text += "pip install --quiet " + std::string(kWheelFolder) +
            ShellQuote(FileOf(options.ebb_wheel)) + "\n";
  text += options.setup;
  if (!text.empty() && text.back() != '\n') text += "\n";
  return text;
}

// The budget of an experiment, as flags of `ebb track`.
std::vector<std::string> BudgetFlags(const core::Budget& budget) {
  if (budget.empty()) return {};
  std::vector<std::string> flags;
  for (const auto& [flag, measure] : {std::pair{"--budget-kwh", core::BudgetMeasure::kEnergy},
                                      {"--budget-g", core::BudgetMeasure::kEmissions}})
    if (const auto limit = budget.Limit(measure)) {
      flags.emplace_back(flag);
      flags.push_back(FormatExact(*limit));
    }
  flags.emplace_back("--on-budget");
  flags.emplace_back(core::Name(budget.action));
  return flags;
}

// Finds the place of this attempt in the bucket. SkyPilot gives a task that it recovers the same id
// again.
std::string Places(const Sweep& sweep, const Experiment& experiment) {
  const std::string folder =
      std::string(kBucketPath) + "/" + FileName(sweep.name) + "/runs/" + FileName(experiment.name);
  return "job=" + ShellQuote(folder) +
         "\n"
         "place=$(printf '%s' \"${SKYPILOT_CLUSTER_INFO:-}\" | tr 'A-Z' 'a-z' |\n"
         "  sed -nE 's/.*\"cloud\": *\"([^\"]*)\".*\"region\": *\"([^\"]*)\".*/\\1\\/\\2/p')\n"
         "folder=${place:-unknown}\n"
         "attempt=1\n"
         "while [ -e \"$job/attempt-$attempt\" ]; do attempt=$((attempt + 1)); done\n"
         "task=${SKYPILOT_TASK_ID:-none}\n"
         "resume=0\n"
         "if [ \"$(cat \"$job/task\" 2> /dev/null)\" = \"$task\" ]; then resume=1; fi\n"
         "kept=\"$job/attempt-$attempt/${folder/\\//-}\"\n"
         "mkdir -p \"$job/checkpoints\" \"$kept\"\n"
         "printf '%s\\n' \"$task\" > \"$job/task\"\n";
}

// Buckets take whole files only. So Ebb writes the run on the machine, and what is new is copied
// once a minute: an instance that is taken away loses a minute of its record at most.
constexpr const char* kKeeping =
    "run=$(mktemp -d)\n"
    "(\n"
    "  trap 'kill $!; exit' TERM\n"
    "  while sleep 60 & wait $!; do cp -ru \"$run/.\" \"$kept/\" || true; done\n"
    ") > /dev/null 2>&1 &\n"
    "keeper=$!\n";

std::string Measuring(const Sweep& sweep, const Experiment& experiment) {
  std::vector<std::string> flags{"--name", experiment.name};
  const auto budget = BudgetFlags(sweep.common.budget);
  flags.insert(flags.end(), budget.begin(), budget.end());
  return std::string("measure=()\nif ") + kEbbIsInstalled +
         "; then\n"
         "  measure=(ebb track --zone \"${place:-cloud}\" --run-dir \"$run\" " +
         ShellCommand(flags) +
         " --)\n"
         "fi\n";
}

std::string Running(const Sweep& sweep, const Experiment& experiment) {
  return "status=0\n"
         "timeout --kill-after=" +
         std::to_string(kGraceSeconds) + " " +
         std::to_string(WholeSeconds(TimeLimitOf(sweep, experiment))) +
         " \"${measure[@]}\" env \\\n"
         "  EBB_JOB_ID=\"$task\" EBB_RUN_DIR=\"$run\" EBB_CHECKPOINT_DIR=\"$job/checkpoints\" "
         "EBB_RESUME=\"$resume\" \\\n  " +
         ShellCommand(experiment.command) +
         " || status=$?\n"
         "kill \"$keeper\" 2> /dev/null || true\n"
         "wait \"$keeper\" 2> /dev/null || true\n"
         "cp -r \"$run/.\" \"$kept/\" || echo \"the run could not be copied to $kept\" >&2\n"
         "exit \"$status\"\n";
}

std::string RegionsText(const CloudStart& start) {
  std::string text;
  for (const RegionOutlook& each : start.regions)
    text += (text.empty() ? "" : ", ") + each.region + " " +
            (each.expected ? FormatSignificant(each.expected->g_per_kwh, 3) : "unknown");
  return text;
}

// Comments for people. They hold no name of an experiment, which could break out of its line.
std::string Heading(const std::string& file, const CloudStart& start) {
  return "# Planned start: " + FormatTime(start.start) + ", at the latest " +
         FormatTime(start.latest) + "\n# Expected g/kWh over the run: " + RegionsText(start) +
         "\n# sky jobs launch --name " + file + " " + file + ".yaml\n";
}

// The launches, earliest first.
std::string Launches(const Sweep& sweep, const std::vector<CloudStart>& starts) {
  std::vector<std::size_t> order(starts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return starts[i].start; });
  std::string text;
  for (const std::size_t i : order) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(starts[i].start);
    text += "launch " + std::to_string(seconds.time_since_epoch().count()) + " " +
            KubernetesName(sweep.experiments[i].name) + "  # " + FormatTime(starts[i].start) +
            ", first " + starts[i].regions.front().region + "\n";
  }
  return text;
}

constexpr const char* kLaunchScript = R"sh(#!/bin/bash
# Launches the tasks at their planned starts. Call it in the folder that the tasks copy (workdir) and
# leave it running. What is launched is noted in launched.txt beside it, so it can be called again.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
code=0
launch() {
  if grep -qxF -- "$2" "$here/launched.txt" 2> /dev/null; then return; fi
  while [ "$(date +%s)" -lt "$1" ]; do sleep 10; done
  if sky jobs launch --yes --detach-run --name "$2" "$here/$2.yaml"; then
    printf '%s\n' "$2" >> "$here/launched.txt"
  else
    echo "$2 was not launched" >&2
    code=1
  fi
}
)sh";

// Accepts words that every shell and YAML reader leaves alone.
bool IsPlain(const std::string& text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

bool IsAmount(const std::string& text) {
  const std::string number = text.ends_with('+') ? text.substr(0, text.size() - 1) : text;
  return !number.empty() && number.front() != '.' && number.back() != '.' &&
         std::ranges::count(number, '.') <= 1 &&
         std::ranges::all_of(number, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

std::vector<std::string> MistakesIn(const SkypilotOptions& options) {
  std::vector<std::string> mistakes;
  const auto want = [&](bool good, const std::string& key, const std::string& value,
                        const std::string& what) {
    if (!good) mistakes.push_back(key + " \"" + value + "\" is not " + what);
  };
  if (options.regions.empty())
    mistakes.emplace_back(
        "regions are missing: the regions that tasks may run in, "
        "like [aws/eu-north-1, gcp/europe-north2]");
  if (options.bucket.empty())
    mistakes.emplace_back(
        "bucket is missing: where checkpoints and runs are kept, like s3://my-bucket");
  want(IsPlain(options.bucket, ":/._-"), "bucket", options.bucket,
       "an address like s3://my-bucket/folder, or the name of a bucket");
  want(IsPlain(options.accelerator, "._-"), "accelerator", options.accelerator,
       "SkyPilot's name of a GPU, like A100-80GB; the number of GPUs is devices");
  want(options.ebb_wheel.empty() ||
           (options.ebb_wheel.ends_with(".whl") && IsPlain(FileOf(options.ebb_wheel), "._+-")),
       "ebb_wheel", options.ebb_wheel, "a Python wheel of Ebb, as ./dev package wheel makes it");
  for (const auto& [key, value] : {std::pair{"cpus", options.cpus}, {"memory", options.memory}})
    want(value.empty() || IsAmount(value), key, value, "a number like 8, or at least 8+");
  return mistakes;
}

std::string SkypilotTask(const Sweep& sweep, const Experiment& experiment,
                         const SkypilotOptions& options, const CloudStart& start) {
  const std::string name = KubernetesName(experiment.name);
  std::vector<Yaml::Entry> entries{{"name", name}};
  if (!options.workdir.empty()) entries.emplace_back("workdir", options.workdir);
  entries.emplace_back("resources", Resources(sweep, options, start));
  std::vector<Yaml::Entry> variables;
  for (const auto& [key, value] : sweep.common.environment) variables.emplace_back(key, value);
  if (!variables.empty()) entries.emplace_back("envs", Yaml::Map(std::move(variables)));
  entries.emplace_back("file_mounts", FileMounts(options));
  if (const std::string setup = Setup(options); !setup.empty())
    entries.emplace_back("setup", Yaml::Lines(setup));
  entries.emplace_back("run",
                       Yaml::Lines("set -euo pipefail\n" + Places(sweep, experiment) + kKeeping +
                                   Measuring(sweep, experiment) + Running(sweep, experiment)));
  return Heading(name, start) + Yaml::Map(std::move(entries)).Document();
}

Result<std::vector<GeneratedFile>> SkypilotFiles(const Sweep& sweep, const SkypilotOptions& options,
                                                 const std::vector<CloudStart>& starts) {
  const auto task = [&](const Experiment& experiment) {
    return SkypilotTask(sweep, experiment, options,
                        starts[static_cast<std::size_t>(experiment.index - 1)]);
  };
  EBB_ASSIGN_OR_RETURN(
      std::vector<GeneratedFile> files,
      FilePerExperiment(sweep, {[](const std::string& name) { return KubernetesName(name); },
                                ".yaml", "at most 47 lower-case letters, digits and '-'", task}));
  files.push_back({"launch.sh", kLaunchScript + Launches(sweep, starts) + "exit \"$code\"\n"});
  return files;
}

}  // namespace ebb::sweep
