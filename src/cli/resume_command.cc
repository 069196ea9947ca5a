// ebb resume RUN_DIR: continues a paused, failed or killed run as its next attempt.

#include "cli/command_line.h"
#include "cli/run_session.h"
#include "cli/service_client.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb resume runs/baseline-20261120T203312Z-3f2a
  ebb resume runs/baseline-20261120T203312Z-3f2a --policy now
  ebb resume 12                          a job of the queue service that was paused by hand

The run keeps its ledger: energy and emissions of all attempts add up to one run. Options are those
the run was begun with; flags given here replace them.)";

}  // namespace

void AddResumeCommand(Parser& parser) {
  Command& command = parser.Add("resume", "continue a paused, failed or killed run", kExamples);
  auto values = std::make_shared<FlagValues>();
  auto directory = std::make_shared<std::string>();
  command.Positional("RUN_DIR", "the run's directory, or the number of a job", directory.get());
  for (const FlagGroup group : {FlagGroup::kGate, FlagGroup::kSignal, FlagGroup::kPrice,
                                FlagGroup::kClock, FlagGroup::kMetering, FlagGroup::kOtherSignal,
                                FlagGroup::kBudget, FlagGroup::kOutput, FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  auto service = std::make_shared<ServiceFlags>();
  AddPlaceOfService(command, *service);
  command.Action([=]() -> Result<int> {
    if (IsJobNumber(*directory)) return TellJob(*service, *directory, "resume");
    platform::ProcessSignals signals;
    EBB_ASSIGN_OR_RETURN(const RunResult result, ResumeRun(*directory, *values, signals));
    return result.exit_code;
  });
}

}  // namespace ebb::cli
