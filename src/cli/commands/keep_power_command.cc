// ebb keep-power DIRECTORY ATTEMPT PID: restores power limits if `ebb run` is killed
// (local/power/power_keeper.h). Not for people, so no help text has it.

#include "base/text.h"
#include "cli/command_line.h"
#include "local/power/power_keeper.h"
#include "meter/meters.h"

namespace ebb::cli {
namespace {

struct Request {
  std::string directory, attempt, process;
};

Result<int> Keep(const Request& request) {
  const auto attempt = ParseInteger(request.attempt), process = ParseInteger(request.process);
  if (!attempt || !process || *process <= 0)
    return Fail({ExitCode::kUsage, "wants numbers of an attempt and a process", "", ""});
  EBB_RETURN_IF_ERROR(local::KeepPower({request.directory, static_cast<int>(*attempt)},
                                       static_cast<pid_t>(*process),
                                       meter::MeterOptions().nvml_library));
  return 0;
}

}  // namespace

void AddKeepPowerCommand(Parser& parser) {
  Command& command = parser.Add("keep-power", "restore power limits after a kill", "");
  command.Hide();
  auto request = std::make_shared<Request>();
  command.Positional("DIRECTORY", "the run's directory", &request->directory);
  command.Positional("ATTEMPT", "the attempt's number", &request->attempt);
  command.Positional("PID", "the process that set the limits", &request->process);
  command.Action([request] { return Keep(*request); });
}

}  // namespace ebb::cli
