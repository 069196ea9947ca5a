#include "sweep/slurm_script.h"

#include <cstdio>

#include "base/text.h"
#include "sweep/shell_quote.h"
#include "sweep/target_name.h"

namespace ebb::sweep {
namespace {

// Slurm counts time limits in whole minutes and writes them as "D-HH:MM:SS".
std::string TimeLimit(Duration limit) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(limit).count();
  char text[40];
  std::snprintf(text, sizeof text, "%lld-%02lld:%02lld:00",
                static_cast<long long>(minutes / (24 * 60)),
                static_cast<long long>(minutes / 60 % 24), static_cast<long long>(minutes % 60));
  return text;
}

// Makes a text safe for a Slurm comment: every shell must leave it alone, and tools split it at ';'
// and '='.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
    plain += kept ? c : '_';
  }
  return plain;
}

// A published tier by its name; another one spelt out, because no service knows it.
std::string TierWishes(const core::Tier& tier, const SlurmOptions& options) {
  std::string wishes;
  const auto published = core::PublishedTiers();
  const core::Tier* known = core::FindTier(published, tier.name);
  const bool is_published = known && known->threshold == tier.threshold &&
                            known->max_delay == tier.max_delay && known->priority == tier.priority;
  if (is_published) {
    wishes = "tier=" + Plain(tier.name);
  } else {
    if (tier.threshold) wishes = "threshold=" + FormatExact(tier.threshold->g_per_kwh) + ";";
    wishes += "priority=" + std::to_string(tier.priority);
  }
  if (options.submitted)
    return wishes + ";start-by=" + FormatTime(*options.submitted + tier.max_delay);
  if (is_published) return wishes;
  return wishes + ";start-by=" +
         std::to_string(std::chrono::ceil<std::chrono::seconds>(tier.max_delay).count()) + "s";
}

// The comment that `ebb slurm submit` and `ebb serve --slurm` read (slurm/jobs/job_comment.h).
std::string Comment(const Sweep& sweep, const Experiment& experiment, const SlurmOptions& options) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(experiment.duration).count();
  std::string comment = "ebb:" + TierWishes(sweep.TierOf(experiment), options) +
                        ";duration=" + std::to_string(seconds) +
                        "s;power=" + FormatExact(experiment.power.watts);
  if (sweep.common.job.checkpointable) comment += ";signal=USR1";
  return comment;
}

std::string Directives(const Sweep& sweep, const Experiment& experiment,
                       const SlurmOptions& options) {
  const std::string name = SlurmName(experiment.name);
  std::vector<std::string> lines{
      "--job-name=" + name,
      "--comment=" + Comment(sweep, experiment, options),
      "--requeue",
      "--open-mode=append",
      "--output=" + name + "-%j.log",
      "--time=" + TimeLimit(TimeLimitOf(sweep, experiment)),
      "--signal=TERM@" +
          std::to_string(std::chrono::ceil<std::chrono::seconds>(options.grace).count()),
      "--ntasks=1",
      "--cpus-per-task=" + std::to_string(options.cpus_per_task)};
  if (!options.gres.empty())
    lines.push_back("--gres=" + options.gres + ":" + std::to_string(sweep.common.job.devices));
  if (!options.memory.empty()) lines.push_back("--mem=" + options.memory);
  if (!options.partition.empty()) lines.push_back("--partition=" + options.partition);
  if (!options.account.empty()) lines.push_back("--account=" + options.account);
  std::string text;
  for (const std::string& line : lines) text += "#SBATCH " + line + "\n";
  return text;
}

// The contract of docs/training-program.md: where the program writes, and whether it resumes.
std::string Environment(const Experiment& experiment) {
  return "run_dir=\"${EBB_SWEEP_DIR:-$PWD}\"/runs/" + ShellQuote(FileName(experiment.name)) +
         "\n"
         "mkdir -p -- \"$run_dir/checkpoints\"\n"
         "export EBB_JOB_ID=\"${SLURM_JOB_ID:-0}\"\n"
         "export EBB_RUN_DIR=\"$run_dir\"\n"
         "export EBB_CHECKPOINT_DIR=\"$run_dir/checkpoints\"\n"
         "export EBB_RESUME=0\n"
         "if [ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ]; then EBB_RESUME=1; fi\n";
}

bool IsWord(const std::string& text) { return text.empty() || Plain(text) == text; }

}  // namespace

std::vector<std::string> MistakesIn(const SlurmOptions& options) {
  std::vector<std::string> mistakes;
  for (const auto& [key, value] : {std::pair{"partition", options.partition},
                                   {"account", options.account},
                                   {"memory", options.memory}}) {
    if (!IsWord(value))
      mistakes.push_back(std::string(key) + " \"" + value +
                         "\" may hold letters, digits, '.', '_' and '-' only");
  }
  std::string gres = options.gres;
  for (char& c : gres) c = c == ':' ? '-' : c;
  if (!IsWord(gres))
    mistakes.push_back("gres \"" + options.gres + "\" is not like gpu or gpu:a100");
  return mistakes;
}

std::string SlurmScript(const Sweep& sweep, const Experiment& experiment,
                        const SlurmOptions& options) {
  // Where Ebb is not installed on the nodes, the program runs unmeasured. USR1 asks Ebb for a
  // pause; nothing else shall die of it.
  return "#!/bin/bash\n" + Directives(sweep, experiment, options) + "set -euo pipefail\n" +
         "trap '' USR1\n" + Environment(experiment) +
         "measure=()\n"
         "if " +
         kEbbIsInstalled +
         "; then measure=(ebb slurm run --directory \"$run_dir\" --); "
         "fi\n"
         "exec srun --kill-on-bad-exit=1 -- \"${measure[@]}\" " +
         ShellCommand(experiment.command) + "\n";
}

Result<std::vector<GeneratedFile>> SlurmFiles(const Sweep& sweep, const SlurmOptions& options) {
  return FilePerExperiment(sweep, {[](const std::string& name) { return SlurmName(name); },
                                   ".sbatch", "at most 64 letters, digits, '.', '_' and '-'",
                                   [&](const Experiment& experiment) {
                                     return SlurmScript(sweep, experiment, options);
                                   }});
}

}  // namespace ebb::sweep
