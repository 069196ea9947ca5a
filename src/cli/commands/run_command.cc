// ebb run [options] COMMAND: waits for clean power, then runs and measures any command.

#include "app/options/user_settings.h"
#include "app/run/run_session.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/run_display.h"
#include "platform/background.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb run --policy threshold --threshold 200 --start-by 12h python train.py --epochs 3
  ebb run --policy window --duration 2h --start-by 24h --zone DE ./train.sh
  ebb run --detach --policy window --duration 2h python train.py     without this terminal
  ebb run --policy window --trace CISO_2023.csv.gz --grid-start 2023-05-01T00:00Z --skip-waits sleep 5

The command is executed as it is, without a shell; its exit code is passed through (127: not found,
128+n: ended by signal n). Signals are forwarded to it and its children. A program that exits with 75
has paused with a checkpoint; `ebb resume RUN_DIR` starts it again with EBB_RESUME=1.)";

}  // namespace

void AddRunCommand(Parser& parser) {
  Command& command =
      parser.Add("run", "wait for clean power, then run and measure a command", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  auto user_command = std::make_shared<UserCommand>();
  command.TakesUserCommand(&user_command->words);
  for (const app::FlagGroup group :
       {app::FlagGroup::kGate, app::FlagGroup::kSignal, app::FlagGroup::kPrice,
        app::FlagGroup::kClock, app::FlagGroup::kMetering, app::FlagGroup::kPower,
        app::FlagGroup::kOtherSignal, app::FlagGroup::kBudget, app::FlagGroup::kOutput,
        app::FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  auto detach = std::make_shared<bool>(false);
  command.Switch({"detach", "", "wait and run without this terminal, which is free at once"},
                 [detach] { *detach = true; });
  command.Action([values, user_command, detach]() -> Result<int> {
    app::RunRequest request;
    EBB_ASSIGN_OR_RETURN(request.command, user_command->Required("ebb run python train.py"));
    EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                         app::WithSettings(*values, app::SettingsFor::kRun));
    EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, request.options));
    request.detached = *detach;
    if (*detach) {
      EBB_ASSIGN_OR_RETURN(const auto ended, platform::Background::Split());
      if (ended) return *ended;
    }
    platform::ProcessSignals signals;
    EBB_ASSIGN_OR_RETURN(const app::RunResult result,
                         app::RunOnce(request, signals, MakeRunDisplay));
    return result.exit_code;
  });
}

}  // namespace ebb::cli
