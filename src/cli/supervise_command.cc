// ebb supervise FILE: the supervisor of one attempt, as the service starts it (local/supervisor.h).
// Not for people; it stands in no help text.

#include "cli/command_line.h"
#include "cli/run_options.h"
#include "local/supervisor.h"

namespace ebb::cli {
namespace {

// The service hands the attempt's lock over as this descriptor.
constexpr int kLockDescriptor = 3;

Result<local::SupervisorOptions> OptionsFor(const local::AttemptPlan& plan) {
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(plan.metering, options));
  local::SupervisorOptions supervisor;
  supervisor.sampler.interval = options.metering.interval;
  supervisor.sampler.scope = options.metering.scope;
  meter::MeterOptions meters = MeterOptionsFor(options.metering);
  for (const auto& [name, value] : plan.environment) {
    if (name == "CUDA_VISIBLE_DEVICES") meters.cuda_visible_devices = value;
  }
  supervisor.nvml_library = meters.nvml_library;
  supervisor.meters = meter::MakeMeters(meters).meters;
  return supervisor;
}

Result<int> RunSupervisor(const std::filesystem::path& file) {
  const auto lock = platform::FileLock::Inherited(kLockDescriptor);
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan plan, local::ReadPlan(file));
  const local::AttemptPaths paths{file.parent_path(), plan.attempt};
  auto options = OptionsFor(plan);
  if (options)
    EBB_RETURN_IF_ERROR(local::Supervise(paths, plan, *std::move(options), lock));
  else
    EBB_RETURN_IF_ERROR(local::SuperviseFailed(paths, plan, options.error()));
  return 0;
}

}  // namespace

void AddSuperviseCommand(Parser& parser) {
  Command& command = parser.Add("supervise", "supervise one attempt of a job", "");
  command.Hide();
  auto file = std::make_shared<std::string>();
  command.Positional("FILE", "the attempt's plan", file.get());
  command.Action([file] { return RunSupervisor(*file); });
}

}  // namespace ebb::cli
