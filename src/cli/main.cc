// ebb: the command line. Each subcommand has a file in cli/commands.
#include <cstdio>

#include "cli/command_line.h"
#include "cli/next_step.h"
#include "cli/version.h"
#include "platform/terminal.h"

namespace {

constexpr const char* kDescription =
    "Ebb runs machine-learning training when the electricity grid is clean, measures what it "
    "emitted, and "
    "proves the difference.";
constexpr const char* kFooter = R"(
Start here:
  ebb init                                    three questions, once
  ebb grid --zone DE                          when is power clean?
  ebb track python train.py                   what does my training emit?
  ebb run --policy window python train.py     wait for clean power, then train
  ebb train configs/optimized.yaml            Ebb's own trainer
  ebb compare runs/*                          what made the difference?

Exit codes: 0 done, 2 usage, 3 configuration, 4 unavailable, 5 infeasible, 75 try later or paused,
70 a bug in Ebb; run, track, train, resume and wait pass on the exit code of the program.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace ebb::cli;
  ebb::platform::WriteErrorsByLine();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  Parser parser({"ebb", kVersion, kDescription, kFooter}, arguments);
  // The groups here and in docs/commands.md are the same.
  parser.BeginGroup("One run");
  AddTrackCommand(parser);
  AddRunCommand(parser);
  AddUntilCommand(parser);
  AddTrainCommand(parser);
  AddResumeCommand(parser);
  parser.BeginGroup("The queue");
  AddServeCommand(parser, kVersion);
  AddSubmitCommand(parser);
  AddQueueCommands(parser);
  AddTopCommand(parser);
  AddWaitCommand(parser);
  AddEditCommand(parser);
  AddRestartCommand(parser);
  AddHistoryCommand(parser);
  AddRecurringCommand(parser);
  AddDevicesCommand(parser);
  AddDrainCommand(parser);
  AddSweepCommand(parser);
  AddPlanCommand(parser);
  parser.BeginGroup("Results");
  AddRunsCommand(parser);
  AddSummaryCommand(parser);
  AddCompareCommand(parser);
  AddReportCommand(parser, kVersion);
  AddAuditCommand(parser);
  AddCleanCommand(parser);
  parser.BeginGroup("Clusters");
  AddControllerCommand(parser, kVersion);
  AddAgentCommand(parser);
  AddSiteCommand(parser, kVersion);
  AddSlurmCommand(parser);
  parser.BeginGroup("Grid and data");
  AddGridCommand(parser);
  AddZonesCommand(parser);
  AddForecastCommand(parser);
  AddPricesCommand(parser);
  AddDataCommand(parser);
  AddSimulateCommand(parser);
  parser.BeginGroup("Set-up");
  AddInitCommand(parser);
  AddConfigCommand(parser);
  AddDoctorCommand(parser, kVersion);
  AddStoreCommand(parser);
  AddManualCommands(parser);
  AddCompleteCommand(parser);
  AddSuperviseCommand(parser);
  AddKeepPowerCommand(parser);
  parser.WithoutCommand([] { std::fputs(NextStep().c_str(), stdout); });
  return parser.Run(arguments);
}
