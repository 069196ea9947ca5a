// ebb supervise FILE: the supervisor of one attempt, as the service starts it
// (local/supervisor/supervisor.h). Not for people, so no help text has it.

#include <optional>

#include "app/jobs/job_follower.h"
#include "app/jobs/stored_run.h"
#include "app/options/run_options.h"
#include "app/run/progress_marks.h"
#include "app/run/run_files.h"
#include "cli/command_line.h"
#include "local/job_start.h"
#include "local/supervisor/supervisor.h"
#include "sites/remote/kept_start.h"
#include "store/accounts/stored_feed.h"

namespace ebb::cli {
namespace {

// The service hands the attempt's lock over as this descriptor.
constexpr int kLockDescriptor = 3;

struct Metering {
  local::SupervisorOptions options;
  core::RunSpec spec;  // how the attempt is measured
};

Result<Metering> MeteringFor(const local::AttemptPlan& plan) {
  app::RunOptions options;
  // The service provides the signal, so no zone is looked for here.
  options.scheduler.signal.source = signals::SignalSource::kConstant;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(plan.metering, options));
  Metering metering;
  local::SupervisorOptions& supervisor = metering.options;
  supervisor.sampler.interval = options.metering.interval;
  supervisor.sampler.scope = options.metering.scope;
  supervisor.pue = options.metering.pue;
  meter::MeterOptions meters = app::MeterOptionsFor(options.metering);
  local::SeeAs(plan.environment, meters);
  supervisor.nvml_library = meters.nvml_library;
  meter::MeterSet set = meter::MakeMeters(meters);
  app::DescribeMetering(options.metering, set, metering.spec);
  supervisor.meters = std::move(set.meters);
  return metering;
}

Status Supervise(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
                 Metering metering, const platform::FileLock& lock) {
  const core::RunSpec spec = app::SpecOf(paths, plan, metering.spec);
  // A failure to write the spec only makes an export of the job less complete.
  std::ignore = app::WriteAttemptSpec(paths, spec);
  // At a site there is no store: its intensity is unknown there.
  store::StoredFeed feed(plan.store, plan.since);
  std::optional<app::JobFollower> follower;
  if (!plan.tracking.empty()) follower.emplace(paths, plan, spec);
  metering.options.progress = app::ProgressMarksIn(paths.directory);
  metering.options.feed = &feed;
  metering.options.follower = follower ? &*follower : nullptr;
  return local::Supervise(paths, plan, std::move(metering.options), lock);
}

Result<int> RunSupervisor(const std::filesystem::path& file) {
  const std::string secret = local::TakeEndSecret();
  const auto lock = platform::FileLock::Inherited(kLockDescriptor);
  // A job of another machine's service may wait here for its start, and its plan may change.
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan before, local::ReadPlan(file));
  const local::AttemptPaths paths{file.parent_path(), before.attempt};
  if (!sites::WaitForStart(paths, {.devices_are_free = sites::DevicesAreFree})) return 0;
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan plan, local::ReadPlan(file));
  auto metering = MeteringFor(plan);
  if (metering) metering->options.end_secret = secret;
  if (metering)
    EBB_RETURN_IF_ERROR(Supervise(paths, plan, *std::move(metering), lock));
  else
    EBB_RETURN_IF_ERROR(local::SuperviseFailed(paths, plan, metering.error(), secret));
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
