// ebb slurm: the commands for jobs of a Slurm cluster, each in a file of its own.
#include "cli/command_line.h"

namespace ebb::cli {

void AddSlurmCommand(Parser& parser) {
  parser.Add("slurm", "jobs of a Slurm cluster in clean hours", "");
  AddSlurmSubmitCommand(parser);
  AddSlurmTickCommand(parser);
  AddSlurmRunCommand(parser);
  AddSlurmSrunCommand(parser);
  AddSlurmEnergyCommand(parser);
  AddSlurmQuotaCommand(parser);
  AddSlurmStateFileCommand(parser);
}

}  // namespace ebb::cli
