#pragma once
// The subcommands of `ebb`, one file each, and their common types.

#include <string>
#include <vector>

#include "cli/parser.h"

namespace ebb::cli {

/// The program to run and its arguments (Command::TakesUserCommand).
struct UserCommand {
  std::vector<std::string> words;
  /// The words, or a usage Error that says how to give them.
  Result<std::vector<std::string>> Required(const std::string& example) const;
};

void AddAgentCommand(Parser& parser);
void AddAuditCommand(Parser& parser);
void AddCleanCommand(Parser& parser);
void AddCompareCommand(Parser& parser);
void AddConfigCommand(Parser& parser);
void AddDataCommand(Parser& parser);
void AddDevicesCommand(Parser& parser);
void AddDrainCommand(Parser& parser);
void AddEditCommand(Parser& parser);
void AddForecastCommand(Parser& parser);
void AddDoctorCommand(Parser& parser, const std::string& version);
void AddInitCommand(Parser& parser);
void AddPricesCommand(Parser& parser);
void AddGridCommand(Parser& parser);
void AddHistoryCommand(Parser& parser);
void AddCompleteCommand(Parser& parser);
void AddManualCommands(Parser& parser);
void AddPlanCommand(Parser& parser);
void AddReportCommand(Parser& parser, const std::string& version);
void AddQueueCommands(Parser& parser);
void AddRecurringCommand(Parser& parser);
void AddRestartCommand(Parser& parser);
void AddResumeCommand(Parser& parser);
void AddRunCommand(Parser& parser);
void AddRunsCommand(Parser& parser);
void AddServeCommand(Parser& parser, const std::string& version);
void AddControllerCommand(Parser& parser, const std::string& version);
void AddSimulateCommand(Parser& parser);
/// `ebb slurm` and the commands under it.
void AddSiteCommand(Parser& parser, const std::string& version);
void AddSlurmCommand(Parser& parser);
void AddSlurmEnergyCommand(Parser& parser);
void AddSlurmQuotaCommand(Parser& parser);
void AddSlurmRunCommand(Parser& parser);
void AddSlurmSrunCommand(Parser& parser);
void AddSlurmStateFileCommand(Parser& parser);
void AddSlurmSubmitCommand(Parser& parser);
void AddSlurmTickCommand(Parser& parser);
void AddStoreCommand(Parser& parser);
void AddSubmitCommand(Parser& parser);
void AddSummaryCommand(Parser& parser);
void AddSuperviseCommand(Parser& parser);
void AddKeepPowerCommand(Parser& parser);
void AddSweepCommand(Parser& parser);
void AddTopCommand(Parser& parser);
void AddTrackCommand(Parser& parser);
void AddTrainCommand(Parser& parser);
void AddUntilCommand(Parser& parser);
void AddWaitCommand(Parser& parser);
void AddZonesCommand(Parser& parser);

}  // namespace ebb::cli
