// ebb track [options] -- COMMAND: measures any command, starting it at once.

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

void AddTrackCommand(Parser& parser, const UserCommand& user_command) {
  Command& command = parser.Add("track", "measure a command's energy and emissions", kExamples);
  auto values = std::make_shared<FlagValues>();
  for (const FlagGroup group :
       {FlagGroup::kSignal, FlagGroup::kPrice, FlagGroup::kClock, FlagGroup::kMetering,
        FlagGroup::kOtherSignal, FlagGroup::kBudget, FlagGroup::kOutput})
    AddFlags(command, group, *values);
  command.Action([values, &user_command]() -> Result<int> {
    RunRequest request;
    EBB_ASSIGN_OR_RETURN(request.command, user_command.Required("ebb track -- python train.py"));
    request.options.scheduler.policy = config::GatePolicyKind::kNow;
    EBB_RETURN_IF_ERROR(ApplyFlags(*values, request.options));
    platform::ProcessSignals signals;
    EBB_ASSIGN_OR_RETURN(const RunResult result, RunOnce(request, signals));
    return result.exit_code;
  });
}

}  // namespace ebb::cli
