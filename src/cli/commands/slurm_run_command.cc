// ebb slurm run [options] -- COMMAND: measures a task of a Slurm job, and pauses it so that Slurm
// keeps the job.

#include <cstdlib>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/slurm/wrapped_attempt.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/run_display.h"
#include "cli/say.h"
#include "slurm/client/slurm_commands.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples, in a batch script (sbatch --requeue train.sh):
  exec ebb slurm run -- python train.py
  trap '' USR1; srun ebb slurm run --zone DE -- python train.py

Measures the command as ebb track does, on each node, into DIR/attempt-N/NODE. To pause the job:
scancel --full --signal=USR1 JOB. The command then gets SIGTERM, writes its checkpoint and ends
(docs/training-program.md), and Slurm holds the job under its number until scontrol release JOB.
Then it starts again with EBB_RESUME=1 and the same EBB_CHECKPOINT_DIR. docs/slurm.md has more.)";

const char* OwnVariable(const char* name) { return std::getenv(name); }

Result<slurm::JobPlace> OwnPlace() {
  if (auto place = slurm::FindJobPlace(OwnVariable)) return *std::move(place);
  return Fail({ExitCode::kUsage, "this process is not part of a Slurm job", "",
               "write the command into a batch script, or use ebb track"});
}

// The tasks that srun starts are not children of this process.
void SayIfNothingIsMeasured(const std::vector<std::string>& command) {
  const std::string& program = command.front();
  if (program == "srun" || program.ends_with("/srun"))
    SayNote("the tasks that srun starts are not measured: write srun ebb slurm run -- COMMAND");
}

Result<std::vector<std::string>> CommandOf(const UserCommand& given, bool node) {
  if (!node) return given.Required("ebb slurm run -- python train.py");
  if (given.words.empty()) return given.words;
  return Fail({ExitCode::kUsage, "--node takes no command", "",
               "it measures the whole node, whatever runs there"});
}

}  // namespace

void AddSlurmRunCommand(Parser& parser) {
  Command& command =
      parser.Add("slurm run", "measure a task of a Slurm job, and pause it on request", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  auto attempt = std::make_shared<app::WrappedAttempt>();
  auto grace = std::make_shared<std::string>();
  auto user_command = std::make_shared<UserCommand>();
  command.TakesUserCommand(&user_command->words);
  command.Flag({"directory", "DIR",
                "the job's folder: its runs and checkpoints, the same for all restarts (default "
                ".ebb/slurm-JOB where it was submitted)"},
               [attempt](const std::string& text) { attempt->directory = text; });
  command.Flag({"grace", "DURATION",
                "how long the command may take for its checkpoint until it gets SIGTERM again, and "
                "as long again until it is killed (default 10m)"},
               [grace](const std::string& text) { *grace = text; });
  auto node = std::make_shared<bool>(false);
  command.Switch(
      {"node", "",
       "without a command: measure the whole node until SIGTERM, from a site's prolog to "
       "its epilog"},
      [node] { *node = true; });
  for (const app::FlagGroup group :
       {app::FlagGroup::kSignal, app::FlagGroup::kPrice, app::FlagGroup::kMetering,
        app::FlagGroup::kOtherSignal, app::FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  AddFlags(
      command, app::FlagGroup::kOutput, *values,
      {"name", "group", "emissions-file", "prometheus-file", "prometheus-url", "format", "quiet"});
  command.Action([=]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(attempt->place, OwnPlace());
    attempt->environment = slurm::WidthVariables(attempt->place, OwnVariable);
    EBB_ASSIGN_OR_RETURN(attempt->run.command, CommandOf(*user_command, *node));
    if (!grace->empty()) {
      EBB_ASSIGN_OR_RETURN(attempt->grace, app::DurationOf("--grace", *grace));
    }
    EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                         app::WithSettings(*values, app::SettingsFor::kRun));
    app::RunOptions& options = attempt->run.options;
    options.scheduler.policy = plan::GatePolicyKind::kNow;
    EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
    if (*node) options.metering.scope = core::MeterScope::kMachine;
    if (!*node && !options.quiet) SayIfNothingIsMeasured(attempt->run.command);
    platform::ProcessSignals signals;
    return app::RunWrapped(*attempt, slurm::RunOnThisMachine(), signals, MakeRunDisplay,
                           [](const std::string& line) { Say("ebb: " + line); });
  });
}

}  // namespace ebb::cli
