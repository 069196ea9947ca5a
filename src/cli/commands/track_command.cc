// ebb track [options] [-- COMMAND]: measures any command, starting it at once; without one, the
// machine until it is stopped.

#include <cstdio>

#include "app/options/codecarbon_flags.h"
#include "app/options/flag_values.h"
#include "app/run/run_session.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/run_display.h"
#include "cli/say.h"

namespace ebb::cli {
namespace {

using config::CodeCarbonSettings;

constexpr const char* kExamples = R"(
Examples:
  ebb track python train.py
  ebb track --zone FR --pue 1.2 make -j8
  ebb track --format json --constant 56 ./simulate > summary.json
  ebb track --offline --country-iso-code FRA python train.py
  ebb track --emissions-file emissions.csv     the machine, until Ctrl-C

Energy comes from hardware counters where they can be read (RAPL, NVML) and from models otherwise;
every figure says which. CodeCarbon's settings (CODECARBON_..., .codecarbon.config) and the habits of
`codecarbon monitor` are understood: docs/codecarbon.md.)";

constexpr Duration kStopGrace{10'000};

// The flags of `codecarbon monitor`; each is one of its settings.
struct Habit {
  const char* flag;
  const char* value_name;  ///< nullptr: a switch
  const char* key;
  const char* help;
  const char* switch_value = "true";
};
constexpr Habit kHabits[] = {
    {"offline", nullptr, "offline", "no live signal: the country's yearly average"},
    {"country-iso-code", "CODE", "country_iso_code", "the country, e.g. FRA; its yearly average"},
    {"measure-power-secs", "SECONDS", "measure_power_secs", "as --interval"},
    {"api-call-interval", "N", "api_call_interval", "accepted; nothing is sent to a server"},
    {"log-level", "LEVEL", "log_level", "accepted; critical is --quiet"},
    {"api", nullptr, "save_to_api", "accepted; nothing is sent to a server"},
    {"no-api", nullptr, "save_to_api", "accepted; nothing is sent to a server", "false"},
};

void AddHabits(Command& command, CodeCarbonSettings& habits) {
  for (const Habit& habit : kHabits) {
    const FlagText text{habit.flag, habit.value_name ? habit.value_name : "", habit.help,
                        "As codecarbon monitor"};
    const auto set = [&habits, &habit](const std::string& value) {
      habits[habit.key] = {value, "--" + std::string(habit.flag)};
    };
    if (habit.value_name)
      command.Flag(text, set);
    else
      command.Switch(text, [set, &habit] { set(habit.switch_value); });
  }
}

// Applies the flags of this command line, then codecarbon's own flags, then the environment, then
// files.
Status ApplySettings(const app::FlagValues& given, const CodeCarbonSettings& habits,
                     app::RunOptions& options) {
  EBB_ASSIGN_OR_RETURN(const app::CodeCarbonFlags taken,
                       app::ApplyWithCodeCarbon(given, {habits}, options));
  if (options.quiet) return {};
  for (const std::string& note : taken.notes) SayNote(note);
  return {};
}

// Without a command Ebb measures the whole machine: there is no program whose share it could
// measure, and none that it could stop.
Status SettleMonitoring(const app::FlagValues& given, app::RunOptions& options) {
  const auto scope = given.find("scope");
  if (scope != given.end() && scope->second == "process")
    return Fail({ExitCode::kUsage, "no command to run, and --scope process needs one", "",
                 "write it at the end, e.g. ebb track python train.py"});
  const core::Budget& budget = options.metering.budget;
  if (!budget.empty() && budget.action != core::BudgetAction::kLog)
    return Fail({ExitCode::kUsage, "no command that a budget could stop", "",
                 "write it at the end, or give --on-budget log"});
  options.metering.scope = core::MeterScope::kMachine;
  return {};
}

}  // namespace

void AddTrackCommand(Parser& parser) {
  Command& command =
      parser.Add("track", "measure a command's energy and emissions, or the machine's", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  auto habits = std::make_shared<CodeCarbonSettings>();
  auto grace = std::make_shared<std::string>();
  auto user_command = std::make_shared<UserCommand>();
  command.TakesUserCommand(&user_command->words);
  for (const app::FlagGroup group :
       {app::FlagGroup::kSignal, app::FlagGroup::kPrice, app::FlagGroup::kClock,
        app::FlagGroup::kMetering, app::FlagGroup::kOtherSignal, app::FlagGroup::kBudget,
        app::FlagGroup::kOutput, app::FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  AddHabits(command, *habits);
  command.Flag({"stop-grace", "DURATION",
                "after Ctrl-C, how long the command may take until SIGTERM, and again until it is "
                "killed (default 10s)"},
               [grace](const std::string& text) { *grace = text; });
  command.Action([=]() -> Result<int> {
    app::RunRequest request;
    request.command = user_command->words;
    request.options.scheduler.policy = plan::GatePolicyKind::kNow;
    request.stop_grace = kStopGrace;
    if (!grace->empty()) {
      EBB_ASSIGN_OR_RETURN(request.stop_grace, app::DurationOf("--stop-grace", *grace));
    }
    EBB_RETURN_IF_ERROR(ApplySettings(*values, *habits, request.options));
    if (request.command.empty()) EBB_RETURN_IF_ERROR(SettleMonitoring(*values, request.options));
    platform::ProcessSignals signals;
    EBB_ASSIGN_OR_RETURN(const app::RunResult result,
                         app::RunOnce(request, signals, MakeRunDisplay));
    return result.exit_code;
  });
}

}  // namespace ebb::cli
