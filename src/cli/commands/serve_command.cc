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
#include "cli/notify_flags.h"
#include "cli/service_flags.h"
#include "cli/wait_for_room.h"
#include "config/tiers.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "platform/unix_socket.h"
#include "service/service.h"
#include "signals/make_feed.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/watttime.h"
#include "web/api/api.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb serve --zone DE                       a program on each GPU, in the cleanest hours
  ebb serve --zone US-CAL-CISO --gpus 0,1   two GPUs
  ebb serve --zone GB --slots 4 --policy tiers

ebb submit gives it jobs. The service listens on 127.0.0.1; whoever can read the token beside
the store (only you) may submit. It may be stopped, killed and started again: jobs that run go on,
and nothing is lost.)";

constexpr const char* kDefaultPort = "8733";
constexpr const char* kForEver = "for-ever";
constexpr double kHighestPort = 65535;
constexpr long long kMostChanges = 1'000'000'000;
constexpr double kSecondsAtOnce = 10;  // of changes, after a quiet time
constexpr const char* kDefaultLogLimit = "100";
constexpr long long kMostLogLimit = 1'000'000'000;

struct ServeRequest {
  app::FlagValues flags;
  std::string store, policy = "planner", slots, gpus, grace, power_cap, keep;
  std::string log_limit = kDefaultLogLimit;
  std::string address = "127.0.0.1", port = kDefaultPort;
  std::string host_name, metrics_retention, change_limit, gpu_check, tiers;
  NotifyFlags notify;
  bool is_private = false;
  std::string version;  ///< of Ebb
};

bool IsLoopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

Result<int> PortOf(const std::string& text) {
  const auto port = ParseInteger(text);
  if (!port || *port < 0 || static_cast<double>(*port) > kHighestPort)
    return Fail({ExitCode::kUsage, "--port: \"" + text + "\" is not accepted", "",
                 "give a number from 0 (any that is free) to 65535"});
  return static_cast<int>(*port);
}

Result<web::RateLimitOptions> ChangeLimitOf(const std::string& text) {
  const auto per_second = ParseInteger(text);
  if (!per_second || *per_second < 1 || *per_second > kMostChanges)
    return Fail({ExitCode::kUsage, "--change-limit: \"" + text + "\" is not accepted", "",
                 "give changes a second from one address, from 1 on"});
  web::RateLimitOptions limit;
  limit.per_second = static_cast<double>(*per_second);
  limit.burst = kSecondsAtOnce * limit.per_second;
  return limit;
}

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
  if (!request.power_cap.empty()) {
    const auto cap = core::ParsePowerCap(request.power_cap);
    if (!cap)
      return Fail({cap.error().code, "--power-cap: " + cap.error().what, "", cap.error().next});
    service.executor.power_cap = *cap;
  }
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

// A list of ten thousand jobs needs a hundred times its size for a moment: that is given back to
// the machine, rather than kept by each of many threads for a next time (-35 % with 100,000 jobs
// queued).
void KeepMemorySmall() {
  constexpr int kArenas = 2, kTrimThreshold = 64 << 10;
  ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_TRIM_THRESHOLD, kTrimThreshold);
}

Result<web::ApiOptions> ApiOptionsFor(const ServeRequest& request, const std::string& store,
                                      std::vector<core::Tier> tiers) {
  web::ApiOptions options;
  EBB_ASSIGN_OR_RETURN(options.access.token, web::OpenToken(app::TokenFileOf(store)));
  options.access.token_to_read = request.is_private || !IsLoopback(request.address);
  if (!request.host_name.empty()) options.access.hosts = {request.host_name};
  options.metrics.version = request.version;
  if (!request.metrics_retention.empty()) {
    EBB_ASSIGN_OR_RETURN(options.metrics.retention,
                         app::DurationOf("--metrics-retention", request.metrics_retention));
  }
  if (!request.change_limit.empty()) {
    EBB_ASSIGN_OR_RETURN(options.changes, ChangeLimitOf(request.change_limit));
  }
  options.tiers = std::move(tiers);
  options.store = store;
  return options;
}

// Where its unit has a directory for it, others on this machine find the address there; the store
// they cannot look into.
void WritePublicUrl(const std::string& url, const std::function<void(const std::string&)>& say) {
  const std::string file = app::PublicUrlFile(app::SourcesOfMachine().variable);
  if (file.empty()) return;
  if (const auto written = platform::WriteFileAtomically(file, url + "\n"); !written)
    say("others on this machine cannot find its address: " + written.error().Message());
}

// The service has read its keys; jobs inherit its environment, and these are not theirs. The token
// of MLflow stays: a job reports with it, and so do many programs themselves.
void ForgetSecrets(const signals::SignalOptions& signal, const NotifyFlags& notify) {
  for (const std::string& name :
       {std::string(signals::kElectricityMapsKeyVariable),
        std::string(signals::kWattTimeUserVariable),
        std::string(signals::kWattTimePasswordVariable), std::string(kNotifyVariable),
        signal.auth_env, signal.electricity_maps_secret.env, signal.watttime_secret.env,
        notify.secret_env})
    if (!name.empty()) platform::ForgetVariable(name);
}

Result<int> Serve(ServeRequest request) {
  KeepMemorySmall();
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(request.flags, app::WithSettings(request.flags, app::SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.flags, options));
  EBB_RETURN_IF_ERROR(app::Validate(options));
  EBB_RETURN_IF_ERROR(app::CheckTrackers(options.tracking));
  EBB_ASSIGN_OR_RETURN(const int port, PortOf(request.port));
  EBB_ASSIGN_OR_RETURN(web::NotifierOptions notifications, NotifierOptionsOf(request.notify));
  EBB_ASSIGN_OR_RETURN(const auto tiers, config::LoadTiers(request.tiers));
  EBB_ASSIGN_OR_RETURN(const std::string store, app::StorePathOf(request.store));
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  ForgetSecrets(options.scheduler.signal, request.notify);
  const auto& clock_options = options.scheduler.clock;
  runtime::GridClock clock(
      wall, app::ClockSettings(clock_options, clock_options.start.value_or(wall.Now())));
  EBB_ASSIGN_OR_RETURN(service::ServiceOptions service_options,
                       OptionsFor(request, options, store, feed->identity().zone));
  const auto say = [](const std::string& text) {
    std::fprintf(stderr, "ebb serve: %s\n", text.c_str());
  };
  service_options.log = say;
  std::unique_ptr<app::RunCloser> closer;
  service_options.on_ended = [&closer](core::JobId job) { closer->OnEnded(job); };
  web::FrontDoor door;
  app::Address address(request.address, port, door);
  const WaitForRoom room{std::filesystem::path(store).parent_path(), door, signals,
                         [&] { return address.Listen(); }};
  EBB_ASSIGN_OR_RETURN(const auto service, room.Until([&] {
    return service::Service::Open(service_options, *feed, clock, signals);
  }));
  closer = std::make_unique<app::RunCloser>(store, service->options().jobs_directory, say,
                                            app::RunCloser::Pauses());
  EBB_ASSIGN_OR_RETURN(web::ApiOptions api_options,
                       room.Until([&] { return ApiOptionsFor(request, store, tiers); }));
  std::unique_ptr<web::Notifier> notifier;
  if (!notifications.webhooks.empty()) {
    notifier = std::make_unique<web::Notifier>(*service, std::move(notifications), say);
    api_options.notifications = [&notifier] { return notifier->counts(); };
  }
  web::Api api(*service, std::move(api_options));
  const auto socket = platform::ListenAt(app::SocketOf(store));
  if (socket)
    address.AlsoListen(*socket);
  else
    say("commands cannot reach it by its store, and need --server and --token-file: " +
        socket.error().Message());
  door.Open([&api](const web::HttpRequest& r) { return api.Handle(r); });
  const auto run = [&]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const std::string url, address.Listen());
    EBB_RETURN_IF_ERROR(room.Until(
        [&] { return platform::WriteFileAtomically(app::UrlFileOf(store), url + "\n"); }));
    WritePublicUrl(url, say);
    std::fprintf(stderr, "ebb serve: %s, store %s, %s, %s\n", url.c_str(), store.c_str(),
                 signals::Describe(feed->identity()).c_str(),
                 app::Describe(service->view()->cluster).c_str());
    if (const std::string& origin = options.scheduler.signal.zone_origin; !origin.empty())
      say("zone of " + origin);
    for (const service::ServiceEvent& event : service->view()->events)
      if (event.job == 0) say(event.text);
    return service->Run();
  };
  const Result<int> stopped = run();
  address.Leave();  // what answers there goes before what it asks
  std::error_code ignored;
  if (socket) std::filesystem::remove(app::SocketOf(store), ignored);
  if (!stopped) return Fail(stopped.error());
  std::fprintf(stderr,
               "ebb serve: stopped; jobs that run go on, and the next service finds them\n");
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
  command.Flag(
      {"power-cap", "CAP",
       "power limit of each GPU that runs a job, if permitted: 250W, or 70% of its default limit",
       "Service"},
      into(request->power_cap));
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
  command.Flag(
      {"address", "ADDRESS",
       "address to listen on (default 127.0.0.1); at any other, reading needs the token too",
       "Service"},
      into(request->address));
  command.Switch(
      {"private", "", "other users of this machine need the token for reading too", "Service"},
      [request] { request->is_private = true; });
  command.Flag({"port", "N", "port to listen on (default 8733; 0: any free port)", "Service"},
               into(request->port));
  command.Flag(
      {"host-name", "NAME", "a host name under which clients reach the service", "Service"},
      into(request->host_name));
  command.Flag({"change-limit", "N",
                "requests that change something, per second and address (default 5000; bursts of "
                "ten times that)",
                "Service"},
               into(request->change_limit));
  command.Flag({"metrics-retention", "DURATION",
                "how long /metrics shows a job after its end (default 15m)", "Service"},
               into(request->metrics_retention));
  AddNotifyFlags(command, request->notify);
  for (const app::FlagGroup group : {app::FlagGroup::kSignal, app::FlagGroup::kClock,
                                     app::FlagGroup::kMetering, app::FlagGroup::kTrackers})
    AddFlags(command, group, request->flags);
  command.Action([request] { return Serve(*request); });
}

}  // namespace ebb::cli
