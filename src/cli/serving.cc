#include "cli/serving.h"

#include <cstdio>
#include <filesystem>
#include <utility>

#include "app/jobs/service_client.h"
#include "app/jobs/service_place.h"
#include "app/jobs/service_setup.h"
#include "app/jobs/sweep_devices.h"
#include "app/options/flag_values.h"
#include "base/text.h"
#include "cli/wait_for_room.h"
#include "platform/file.h"
#include "platform/file_lock.h"
#include "platform/system.h"
#include "platform/unix_socket.h"
#include "signals/markets/entsoe_api.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/watttime.h"
#include "signals/weather/open_meteo.h"
#include "web/notify/notifier.h"

namespace ebb::cli {
namespace {

constexpr double kHighestPort = 65535;
constexpr long long kMostChanges = 1'000'000'000;
constexpr double kSecondsAtOnce = 10;  // seconds of changes after a quiet time

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

// Writes the address to a directory of the service's unit, if it has one. Other users of this
// machine find it there, since they cannot look into the store.
void WritePublicUrl(const std::string& url, const std::function<void(const std::string&)>& say) {
  const std::string file = app::PublicUrlFile(app::SourcesOfMachine().variable);
  if (file.empty()) return;
  if (const auto written = platform::WriteFileAtomically(file, url + "\n"); !written)
    say("others on this machine cannot find its address: " + written.error().Message());
}

Result<web::ApiOptions> ApiOptionsFor(const Serving& serving, web::ApiOptions options) {
  EBB_ASSIGN_OR_RETURN(options.access.token, web::OpenToken(app::TokenFileOf(serving.store)));
  options.metrics.version = serving.version;
  options.tiers = serving.tiers;
  options.store = serving.store;
  return options;
}

}  // namespace

Result<ServingPlace> CheckServing(const ServingFlags& flags) {
  ServingPlace place;
  place.address = flags.address;
  EBB_ASSIGN_OR_RETURN(place.port, PortOf(flags.port));
  EBB_ASSIGN_OR_RETURN(place.notifications, NotifierOptionsOf(flags.notify));
  web::ApiOptions& api = place.api;
  api.access.token_to_read = flags.is_private || !IsLoopback(flags.address);
  if (!flags.host_name.empty()) api.access.hosts = {flags.host_name};
  if (!flags.metrics_retention.empty()) {
    EBB_ASSIGN_OR_RETURN(api.metrics.retention,
                         app::DurationOf("--metrics-retention", flags.metrics_retention));
  }
  if (!flags.change_limit.empty()) {
    EBB_ASSIGN_OR_RETURN(api.changes, ChangeLimitOf(flags.change_limit));
  }
  return place;
}

namespace {

// A user who starts a second service has mostly forgotten the first one and wants its page.
Error AlreadyRuns(const Error& error, const std::string& store) {
  constexpr Duration kPatience{1000};
  const std::string lock = store + ".lock";
  if (error.code != ExitCode::kTryLater || !platform::FileLock::IsHeld(lock)) return error;
  app::ServicePlace place;
  place.store = store;
  const auto client = app::ServiceClient::Find(place);
  if (!client || !client->Within(kPatience).Get("/livez")) return error;
  const auto url = platform::ReadFile(app::UrlFileOf(store));
  const auto holder = platform::ReadFile(lock);  // the holder writes its number there
  return {ExitCode::kTryLater,
          "a service runs already" + (holder ? ", as process " + std::string(Trim(*holder)) : "") +
              (url ? "; its page is " + std::string(Trim(*url)) : ""),
          store, "ebb queue lists its jobs; --store FILE starts another one"};
}

}  // namespace

Result<int> RunService(const Serving& serving, ServingPlace place,
                       platform::ProcessSignals& signals) {
  const auto say = Sayer(serving.command);
  web::StartupHandler door;
  app::Address address(place.address, place.port, door);
  const auto listen = [&] {
    auto url = address.Listen();
    if (url) serving.listens(*url);
    return url;
  };
  if (serving.listens_before) EBB_RETURN_IF_ERROR(listen());
  const WaitForRoom room{serving.command, std::filesystem::path(serving.store).parent_path(), door,
                         signals, listen};
  auto opened = room.Until([&] { return serving.open(door); });
  if (!opened) return Fail(AlreadyRuns(opened.error(), serving.store));
  const auto service = std::move(*opened);
  serving.opened(*service);
  EBB_ASSIGN_OR_RETURN(web::ApiOptions api_options,
                       room.Until([&] { return ApiOptionsFor(serving, place.api); }));
  std::unique_ptr<web::Notifier> notifier;
  if (!place.notifications.webhooks.empty()) {
    notifier = std::make_unique<web::Notifier>(*service, std::move(place.notifications), say);
    api_options.notifications = [&notifier] { return notifier->counts(); };
  }
  web::Api api(*service, std::move(api_options));
  const auto socket = platform::ListenAt(app::SocketOf(serving.store));
  if (socket)
    address.AlsoListen(*socket);
  else
    say("commands cannot reach it by its store, and need --server and --token-file: " +
        socket.error().Message());
  door.Open([&api](const web::HttpRequest& r) { return api.Handle(r); });
  const auto run = [&]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const std::string url, listen());
    EBB_RETURN_IF_ERROR(room.Until(
        [&] { return platform::WriteFileAtomically(app::UrlFileOf(serving.store), url + "\n"); }));
    WritePublicUrl(url, say);
    say(url + ", store " + serving.store + ", " + serving.signal + ", " +
        app::Describe(service->view()->cluster));
    if (!serving.zone_origin.empty()) say("zone of " + serving.zone_origin);
    for (const service::ServiceEvent& event : service->view()->events)
      if (event.job == 0) say(event.text);
    return service->Run();
  };
  Result<int> stopped = run();
  address.Leave();  // what answers there goes before what it asks
  std::error_code ignored;
  if (socket) std::filesystem::remove(app::SocketOf(serving.store), ignored);
  return stopped;
}

std::function<void(const std::string&)> Sayer(const std::string& command) {
  return [command](const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), text.c_str());
  };
}

void ForgetSecrets(const signals::SignalOptions& signal, const NotifyFlags& notify) {
  for (const std::string& name :
       {std::string(signals::kElectricityMapsKeyVariable),
        std::string(signals::kWattTimeUserVariable),
        std::string(signals::kWattTimePasswordVariable), std::string(kNotifyVariable),
        std::string(signals::kOpenMeteoKeyVariable), std::string(signals::kEntsoeKeyVariable),
        std::string(signals::kEiaKeyVariable), signal.auth_env, signal.electricity_maps_secret.env,
        signal.watttime_secret.env, signal.entsoe_secret.env, notify.secret_env})
    if (!name.empty()) platform::ForgetVariable(name);
}

void AddServingFlags(Command& command, std::shared_ptr<ServingFlags> flags) {
  const auto into = [flags](std::string& field) {
    return [flags, &field](const std::string& text) { field = text; };
  };
  command.Flag(
      {"address", "ADDRESS",
       "address to listen on (default 127.0.0.1); at any other, reading needs the token too",
       "Service"},
      into(flags->address));
  command.Switch(
      {"private", "", "other users of this machine need the token for reading too", "Service"},
      [flags] { flags->is_private = true; });
  command.Flag({"port", "N", "port to listen on (default 8733; 0: any free port)", "Service"},
               into(flags->port));
  command.Flag(
      {"host-name", "NAME", "a host name under which clients reach the service", "Service"},
      into(flags->host_name));
  command.Flag({"change-limit", "N",
                "requests that change something, per second and address (default 5000; bursts of "
                "ten times that)",
                "Service"},
               into(flags->change_limit));
  command.Flag({"metrics-retention", "DURATION",
                "how long /metrics shows a job after its end (default 15m)", "Service"},
               into(flags->metrics_retention));
  AddNotifyFlags(command, flags->notify);
}

}  // namespace ebb::cli
