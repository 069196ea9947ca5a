#include "train/options/flags.h"

namespace ebb::train {
namespace {

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Status RefuseUnknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return {};
  const std::string flag = unknown.front().substr(0, unknown.front().find('='));
  return UsageError("unknown argument \"" + flag + "\"" + SuggestionText(flag, FlagNames(app)));
}

std::string ValueOf(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

void AddRankShareFlags(CLI::App& app, RunChoices& choices) {
  const char* group = "Run";
  app.add_option("--rank-share", choices.rank_share,
                 "this rank's part of each update, beside the others' (torchrun sets the ranks); "
                 "auto: the ranks find the parts with the least emissions per sample")
      ->capture_default_str()
      ->group(group);
  app.add_option("--slower-by", choices.slower_by,
                 "with --rank-share auto: how much longer an update may take than the shortest")
      ->capture_default_str()
      ->group(group);
  app.add_option("--rank-power", choices.rank_power,
                 "with --rank-share auto: watts of this rank's device while it computes and while "
                 "it waits, as 300,60 (default: a GPU's counter, or a model)")
      ->group(group);
}

Status LookUpRankShare(const RunChoices& choices, RankShareOptions& options) {
  EBB_RETURN_IF_ERROR(ReadRankShare(choices.rank_share, options));
  EBB_ASSIGN_OR_RETURN(options.slower_by, core::ParseSlowdown(choices.slower_by));
  if (choices.rank_power.empty()) return {};
  EBB_ASSIGN_OR_RETURN(options.power, ParseRankPower(choices.rank_power));
  return {};
}

}  // namespace

tl::unexpected<Error> UsageError(std::string what) {
  return Fail({ExitCode::kUsage, std::move(what), "", "ebb-train --help lists every flag"});
}

CLI::Validator Between(Range range) {
  return CLI::Validator(
      [range](std::string& text) -> std::string {
        const auto value = ParseNumber(text);
        if (value && *value >= range.low && *value <= range.high) return "";
        return "\"" + text + "\" is not a number from " + FormatExact(range.low) + " to " +
               FormatExact(range.high);
      },
      "");
}

Contract ContractOf(const Environment& environment, const std::string& run_dir) {
  const std::string named = ValueOf(environment, "EBB_RUN_DIR");
  // torchrun starts all ranks again if one is lost (--max-restarts).
  const std::string restarts = ValueOf(environment, "TORCHELASTIC_RESTART_COUNT");
  const bool resume =
      ValueOf(environment, "EBB_RESUME") == "1" || !(restarts.empty() || restarts == "0");
  return {named.empty() ? run_dir : named, ValueOf(environment, "EBB_CHECKPOINT_DIR"), resume};
}

void AddRunFlags(CLI::App& app, RunOptions& options, RunChoices& choices, const std::string& files,
                 const std::string& loads) {
  const char* group = "Run";
  app.add_option("--run-dir", options.run_dir, files + " go here (or EBB_RUN_DIR)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--checkpoint-dir", options.checkpoint_dir,
                 "default <run-dir>/checkpoints (or EBB_CHECKPOINT_DIR)")
      ->group(group);
  app.add_option("--checkpoint-every", options.checkpoint_every,
                 "also every N updates; 0: at epoch ends and on SIGTERM only")
      ->check(Between(kLimit))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--resume", options.resume,
               "continue from the checkpoint, if there is one (or EBB_RESUME=1)")
      ->group(group);
  app.add_flag("--allow-changed", options.allow_changed,
               "with --resume: go on although data or model have changed; the result says so")
      ->group(group);
  AddRankShareFlags(app, choices);
  app.add_option("--exchange", choices.exchange,
                 "gloo | nccl (between CUDA devices, one for each rank): what carries gradients")
      ->capture_default_str()
      ->group(group);
  app.add_option("--on-divergence", choices.on_divergence,
                 "stop | go-on: what to do once a loss or a gradient is not finite; stop keeps the "
                 "last checkpoint and exits with 3")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--check", options.check,
               "load " + loads + ", check device and folders, and exit: 0 if training can start")
      ->group(group);
  app.add_option("--progress", choices.progress, "auto | bar | lines | none")
      ->capture_default_str()
      ->group(group);
}

void AddDataFlags(CLI::App& app, DataOptions& options, std::string& name, const char* group) {
  app.add_option("--data", name, "mnist | digits (drawn by the program, no download)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--data-dir", options.data_dir, "where the MNIST files are, gzip or plain")
      ->capture_default_str()
      ->group(group);
  app.add_option("--data-seed", options.data_seed, "which digits are drawn")
      ->check(Between(kSeed))
      ->capture_default_str()
      ->group(group);
  app.add_option("--test-samples", options.test_samples,
                 "use the first N; 0: all of MNIST, 2000 digits")
      ->check(Between(kLimit))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--download,!--no-download", options.download,
               "download missing MNIST files into --data-dir, checked by digest (default: on)")
      ->group(group);
}

CLI::Option* AddTeacherFlags(CLI::App& app, Distillation& distillation, const TeacherHelp& help) {
  const char* group = "Teacher";
  CLI::Option* teacher =
      app.add_option("--teacher", distillation.teacher, help.teacher)->group(group);
  app.add_option("--temperature", distillation.temperature,
                 "both models' logits are divided by it before they are compared")
      ->check(Between({1e-3, 1e3}))
      ->needs(teacher)
      ->capture_default_str()
      ->group(group);
  app.add_option("--distillation-mix", distillation.mix,
                 "the teacher's share of the loss; the rest is that of the " + help.rest)
      ->check(Between({0, 1}))
      ->needs(teacher)
      ->capture_default_str()
      ->group(group);
  return teacher;
}

void ApplyEnvironment(RunOptions& options, const Environment& environment) {
  const Contract contract = ContractOf(environment, options.run_dir);
  options.run_dir = contract.run_dir;
  options.checkpoint_dir = contract.checkpoint_dir;
  options.resume = contract.resume;
  // Ranks with a run directory in common have a grid of their own.
  if (const std::string own = ValueOf(environment, "EBB_RUN_DIR"); !own.empty())
    options.rank_share.grid_file = own + "/grid.json";
  options.rank_share.g_per_kwh = ParseNumber(ValueOf(environment, "CG_CARBON_INTENSITY"));
}

Status LookUpChoices(const RunChoices& choices, const Names<ScheduleKind>& schedules,
                     RunOptions& options) {
  EBB_RETURN_IF_ERROR(LookUp("--precision", kPrecisions, choices.precision, options.precision));
  EBB_RETURN_IF_ERROR(LookUp("--device", kDevices, choices.device, options.device));
  EBB_RETURN_IF_ERROR(
      LookUp("--lr-schedule", schedules, choices.schedule, options.learning_rate.kind));
  EBB_RETURN_IF_ERROR(LookUpRankShare(choices, options.rank_share));
  EBB_RETURN_IF_ERROR(LookUp("--exchange", kExchanges, choices.exchange, options.exchange));
  EBB_RETURN_IF_ERROR(
      LookUp("--on-divergence", kOnDivergence, choices.on_divergence, options.on_divergence));
  return LookUp("--progress", kProgressStyles, choices.progress, options.progress);
}

void SetRules(CLI::App& app) {
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
}

Result<std::optional<TextToPrint>> ParseFlags(CLI::App& app,
                                              std::span<const std::string> arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return TextToPrint{app.help()};
  } catch (const CLI::CallForVersion&) {
    return TextToPrint{app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  EBB_RETURN_IF_ERROR(RefuseUnknown(app));
  return std::nullopt;
}

}  // namespace ebb::train
