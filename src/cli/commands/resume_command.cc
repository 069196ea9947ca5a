// ebb resume RUN_DIR: continues a paused, failed or killed run as its next attempt.

#include "app/run/run_session.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/run_display.h"
#include "cli/service_flags.h"

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
  auto values = std::make_shared<app::FlagValues>();
  auto directory = std::make_shared<std::string>();
  command.Positional("RUN_DIR", "the run's directory, or the number of a job", directory.get());
  for (const app::FlagGroup group :
       {app::FlagGroup::kGate, app::FlagGroup::kSignal, app::FlagGroup::kPrice,
        app::FlagGroup::kClock, app::FlagGroup::kMetering, app::FlagGroup::kOtherSignal,
        app::FlagGroup::kBudget, app::FlagGroup::kOutput, app::FlagGroup::kTrackers})
    AddFlags(command, group, *values);
  auto service = std::make_shared<ServiceFlags>();
  AddPlaceOfService(command, *service);
  command.Action([=]() -> Result<int> {
    if (app::IsJobNumber(*directory)) return TellJob(*service, *directory, "resume");
    platform::ProcessSignals signals;
    EBB_ASSIGN_OR_RETURN(const app::RunResult result,
                         app::ResumeRun(*directory, *values, signals, MakeRunDisplay));
    return result.exit_code;
  });
}

}  // namespace ebb::cli
