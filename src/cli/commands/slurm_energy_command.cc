// ebb slurm energy JOB|DIR: what a job used on all nodes and in all attempts.
#include <cstdio>

#include "app/slurm/job_runs.h"
#include "cli/command_line.h"
#include "cli/say.h"
#include "platform/terminal.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb slurm energy 12
  ebb slurm energy runs/lora --format csv > lora.csv

Sums what ebb slurm run measured on each node in each attempt, also of a job that was requeued. A
device that two runs read counts once.)";

}  // namespace

void AddSlurmEnergyCommand(Parser& parser) {
  Command& command = parser.Add(
      "slurm energy", "show what a Slurm job used on all nodes, restarts included", kExamples);
  auto named = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  command.Positional("JOB", "the job's number, or its folder", named.get());
  command.Flag({"format", "text|csv|json", "output format"},
               [format](const std::string& text) { *format = text; });
  command.Action([=]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const std::filesystem::path folder, app::FindJobFolder(*named));
    std::vector<std::string> notices;
    EBB_ASSIGN_OR_RETURN(const auto runs, app::ReadJobRuns(folder, notices));
    for (const std::string& notice : notices) SayNote(notice);
    const auto job = app::ReadJobFile(folder);
    const report::JobEnergy energy = report::EnergyOf(job ? job->job : *named, runs);
    const std::string text = *format == "json" ? report::JobEnergyJson(energy)
                             : *format == "csv"
                                 ? report::JobEnergyCsv(energy)
                                 : report::JobEnergyText(energy, platform::StdoutColumns());
    std::fputs(text.c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
