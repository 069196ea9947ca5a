// ebb serve: the queue service on this machine.

#include <malloc.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/jobs/run_closer.h"
#include "app/jobs/service_setup.h"
#include "app/jobs/sweep_devices.h"
#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/run/run_trackers.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/serve_sites.h"
#include "cli/serve_slurm.h"
#include "cli/service_flags.h"
#include "cli/serving.h"
#include "config/tiers.h"
#include "plan/make_policy.h"
#include "platform/service_manager.h"
#include "platform/system_clock.h"
#include "service/service.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb serve --zone DE                       a program on each GPU, in the cleanest hours
  ebb serve --zone US-CAL-CISO --gpus 0,1   two GPUs
  ebb serve --zone GB --slots 4 --policy tiers
  ebb serve --zone DE --slurm               the jobs of a Slurm cluster
  ebb serve --zone DE --sites sites.yaml    jobs run here, or where power is cleaner

ebb submit gives it jobs. The service listens on 127.0.0.1. To submit jobs one needs the token beside
the store, which only you can read. It may be stopped, killed and started again: jobs that run go
on, and nothing is lost.)";

constexpr const char* kForEver = "for-ever";
constexpr const char* kDefaultLogLimit = "100";
constexpr long long kMostLogLimit = 1'000'000'000;

struct ServeRequest {
  app::FlagValues flags;
  std::string store, policy = "planner", slots, gpus, grace, keep;
  std::string log_limit = kDefaultLogLimit;
  std::string gpu_check, tiers, sites;
  ServingFlags serving;
  SlurmFlags slurm;
  std::string version;  ///< of Ebb
};

Result<service::ServiceOptions> OptionsFor(const ServeRequest& request,
                                           const app::RunOptions& options, const std::string& store,
                                           const std::string& zone) {
  service::ServiceOptions service;
  service.store = store;
  service.jobs_directory = std::filesystem::path(store).parent_path() / "jobs";
  service.policy = plan::PolicyNameOf(request.policy);
  service.grid_start = options.scheduler.clock.start;
  service.executor.cluster.sites = {{"here", zone, options.metering.pue}};
  EBB_RETURN_IF_ERROR(
      app::SetDevices({request.slots, request.gpus, request.gpu_check}, 1, options, service));
  app::SetMetering(request.flags, options, service);
  service.executor.tracking = app::AbsoluteTracking(options.tracking);
  service.executor.tick = std::max(options.metering.interval, Duration{1000});
  service.executor.power_cap = options.power_cap;
  service.executor.slower_by = options.slower_by;
  const auto log_limit = ParseInteger(request.log_limit);
  if (!log_limit || *log_limit < 0 || *log_limit > kMostLogLimit)
    return Fail({ExitCode::kUsage, "--log-limit: \"" + request.log_limit + "\" is not accepted", "",
                 "give megabytes; 0 keeps everything"});
  service.executor.log_limit_bytes = static_cast<std::uint64_t>(*log_limit) * 1'000'000;
  if (request.keep == kForEver) {
    service.keep.reset();
  } else if (!request.keep.empty()) {
    EBB_ASSIGN_OR_RETURN(service.keep, app::DurationOf("--keep", request.keep));
  }
  if (!request.grace.empty()) {
    EBB_ASSIGN_OR_RETURN(service.executor.grace, app::DurationOf("--grace", request.grace));
  }
  return service;
}

// Returns freed memory to the machine. A list of ten thousand jobs needs a hundred times its size
// for a moment, and otherwise each of many threads would keep that for later (-35 % with 100,000
// jobs queued).
void KeepMemorySmall() {
  constexpr int kArenas = 2, kTrimThreshold = 64 << 10;
  ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_TRIM_THRESHOLD, kTrimThreshold);
}

constexpr const char* kWhereFlagsAre =
    "; the flags of a machine's unit stand in /etc/default/ebb, those of a user's unit in "
    "systemctl --user edit ebb";

Result<int> Serve(ServeRequest request, const platform::ServiceManager& manager) {
  KeepMemorySmall();
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(request.flags, app::WithSettings(request.flags, app::SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.flags, options));
  EBB_RETURN_IF_ERROR(app::Validate(options));
  EBB_RETURN_IF_ERROR(app::CheckTrackers(options.tracking));
  EBB_ASSIGN_OR_RETURN(const auto at, CheckServing(request.serving));
  Serving serving;
  serving.command = "ebb serve";
  serving.version = request.version;
  serving.zone_origin = options.scheduler.signal.zone_origin;
  EBB_ASSIGN_OR_RETURN(serving.tiers, config::LoadTiers(request.tiers));
  EBB_ASSIGN_OR_RETURN(serving.store, app::StorePathOf(request.store));
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  UsedSites sites;
  if (!request.sites.empty() && request.slurm.is_on)
    return Fail({ExitCode::kUsage, "--sites and --slurm are both given", "", "leave one out"});
  if (!request.sites.empty()) {
    EBB_ASSIGN_OR_RETURN(sites, OpenSites(request.sites, request.flags, options));
  }
  ForgetSecrets(options.scheduler.signal, request.serving.notify);
  serving.signal = signals::Describe(feed->identity());
  for (const std::string& note : feed->TakeNotes()) Sayer(serving.command)("note: " + note);
  const auto& clock_options = options.scheduler.clock;
  runtime::GridClock clock(
      wall, app::ClockSettings(clock_options, clock_options.start.value_or(wall.Now())));
  EBB_ASSIGN_OR_RETURN(service::ServiceOptions service_options,
                       OptionsFor(request, options, serving.store, feed->identity().zone));
  service_options.log = Sayer(serving.command);
  if (request.slurm.is_on) {
    service_options.policy_options.tiers = serving.tiers;
    EBB_RETURN_IF_ERROR(UseSlurm(request.slurm, serving.tiers, clock, signals, service_options));
  }
  if (!request.sites.empty())
    EBB_RETURN_IF_ERROR(UseSites(sites, request.version, service_options));
  std::unique_ptr<app::RunCloser> closer;
  service_options.on_ended = [&closer](core::JobId job) { closer->OnEnded(job); };
  serving.open = [&](web::StartupHandler&) {
    return service::Service::Open(service_options, *feed, clock, signals);
  };
  serving.listens = [&](const std::string& url) {
    manager.TellStarted(url + ", store " + serving.store + ", " + serving.signal);
  };
  serving.opened = [&](const service::Service& service) {
    closer = std::make_unique<app::RunCloser>(serving.store, service.options().jobs_directory,
                                              service_options.log, app::RunCloser::Pauses());
  };
  EBB_RETURN_IF_ERROR(RunService(serving, at, signals));
  service_options.log("stopped; jobs that run go on, and the next service finds them");
  return 0;
}

}  // namespace

void AddServeCommand(Parser& parser, const std::string& version) {
  Command& command = parser.Add("serve", "the queue service: submit and forget", kExamples);
  auto request = std::make_shared<ServeRequest>();
  request->version = version;
  const auto into = [request](std::string& field) {
    return [request, &field](const std::string& text) { field = text; };
  };
  command.Flag({"store", "FILE", "default: $EBB_STORE, ~/.local/state/ebb/ebb.db", "Service"},
               into(request->store));
  command.Flag(
      {"policy", "NAME", "planner (default), run-now, edf, tiers, lowest-window, ...", "Service"},
      into(request->policy));
  command.Flag(
      {"tiers", "FILE", "jobs' tiers (docs/config.md; default: the published three)", "Service"},
      into(request->tiers));
  command.Flag(
      {"slots", "N", "run on the CPU, N programs at a time (default without a GPU: 1)", "Service"},
      into(request->slots));
  command.Flag(
      {"gpus", "LIST", "use only these GPUs: numbers or UUIDs, e.g. 0,1 (default: all)", "Service"},
      into(request->gpus));
  command.Flag({"gpu-check", "DURATION",
                "how often to ask the driver which GPUs there are (default 1m)", "Service"},
               into(request->gpu_check));
  command.Flag({"sites", "FILE",
                "other machines on which jobs may run, reached by ssh (docs/sites.md)", "Service"},
               into(request->sites));
  command.Flag({"grace", "DURATION", "time between SIGTERM and SIGKILL (default 30s)", "Service"},
               into(request->grace));
  command.Flag({"log-limit", "MB",
                "how much of each attempt's output to keep (default 100; 0: all)", "Service"},
               into(request->log_limit));
  command.Flag({"keep", "DURATION|for-ever",
                "how long to keep the ledger and folder of ended jobs (default 365d); totals are "
                "kept for ever",
                "Service"},
               into(request->keep));
  AddServingFlags(command, std::shared_ptr<ServingFlags>(request, &request->serving));
  AddSlurmFlags(command, std::shared_ptr<SlurmFlags>(request, &request->slurm));
  for (const app::FlagGroup group :
       {app::FlagGroup::kSignal, app::FlagGroup::kClock, app::FlagGroup::kMetering,
        app::FlagGroup::kPower, app::FlagGroup::kTrackers})
    AddFlags(command, group, request->flags);
  command.Action([request] {
    const platform::ServiceManager manager;
    auto ended = Serve(*request, manager);
    if (!ended) manager.TellStatus("ended: " + ended.error().Message() + kWhereFlagsAre);
    return ended;
  });
}

}  // namespace ebb::cli
