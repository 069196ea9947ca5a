#pragma once
// The common part of `ebb serve` and `ebb controller`: a service that listens at an address until
// it is asked to stop.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/notify_flags.h"
#include "cli/parser.h"
#include "core/jobs/tier.h"
#include "platform/process_signals.h"
#include "service/service.h"
#include "signals/signal_options.h"
#include "web/api/api.h"
#include "web/http/startup_handler.h"

namespace ebb::cli {

struct ServingFlags {
  std::string address = "127.0.0.1", port = "8733";
  std::string host_name, metrics_retention, change_limit;
  bool is_private = false;
  NotifyFlags notify;
};
void AddServingFlags(Command& command, std::shared_ptr<ServingFlags> flags);

/// The place of the service after checks, before anything is begun.
struct ServingPlace {
  std::string address;
  int port = 0;
  web::ApiOptions api;  ///< options without the token, the store and the tiers
  web::NotifierOptions notifications;
};
Result<ServingPlace> CheckServing(const ServingFlags& flags);

struct Serving {
  std::string command;  ///< "ebb serve": begins its lines
  std::string version;  ///< of Ebb
  std::string store;    ///< path of the store; the socket, the token and the address lie beside it
  std::string signal;   ///< for people
  std::string zone_origin;
  std::vector<core::Tier> tiers;
  /// True if the address answers before the service opens, because opening may take long.
  bool listens_before = false;
  /// Opens the service. It is called again after an Error for want of room on the disk.
  std::function<Result<std::unique_ptr<service::Service>>(web::StartupHandler&)> open;
  /// Called once the service listens at `url`, even if it still waits for room on the disk.
  std::function<void(const std::string& url)> listens = [](const std::string&) {};
  /// Called once the service is open, before it runs.
  std::function<void(const service::Service&)> opened = [](const service::Service&) {};
};

/// Opens and runs the service (Service::Run).
Result<int> RunService(const Serving& serving, ServingPlace place,
                       platform::ProcessSignals& signals);

/// A function that prints a line on stderr.
std::function<void(const std::string&)> Sayer(const std::string& command);

/// Removes the service's keys from the environment, because jobs inherit it. The service has read
/// them by then. The token of MLflow stays, because a job reports with it, and so do many programs
/// themselves.
void ForgetSecrets(const signals::SignalOptions& signal, const NotifyFlags& notify);

}  // namespace ebb::cli
