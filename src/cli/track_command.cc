// ebb track [options] -- COMMAND: measures any command, starting it at once.
#include <CLI/CLI.hpp>

#include "cli/command_line.h"
#include "cli/run_session.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb track -- python train.py
  ebb track --zone FR --pue 1.2 -- make -j8
  ebb track --format json --constant 56 -- ./simulate > summary.json

Energy comes from hardware counters where they can be read (RAPL, NVML) and from models otherwise;
every figure says which.)";

}  // namespace

void AddTrackCommand(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand("track", "measure a command's energy and emissions");
  command->footer(kExamples);
  auto values = std::make_shared<FlagValues>();
  for (const FlagGroup group :
       {FlagGroup::kSignal, FlagGroup::kClock, FlagGroup::kMetering, FlagGroup::kOutput})
    AddFlags(*command, group, *values);
  command->callback([values, &line] {
    line.action = [values, &line]() -> Result<int> {
      if (!line.has_command || line.command.empty())
        return Fail({ExitCode::kUsage, "no command to measure", "",
                     "write it after --, e.g. ebb track -- python train.py"});
      RunRequest request;
      request.command = line.command;
      request.options.scheduler.policy = config::GatePolicyKind::kNow;
      EBB_RETURN_IF_ERROR(ApplyFlags(*values, request.options));
      platform::ProcessSignals signals;
      EBB_ASSIGN_OR_RETURN(const RunResult result, RunOnce(request, signals));
      return result.exit_code;
    };
  });
}

}  // namespace ebb::cli
