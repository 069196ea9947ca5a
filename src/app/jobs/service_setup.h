#pragma once
// What `ebb serve` and `ebb sweep run` have in common: a service is made of flags, and listened to
// at an address.

#include <memory>
#include <string>

#include "app/options/run_options.h"
#include "platform/unix_socket.h"
#include "service/service.h"
#include "web/http/http_server.h"
#include "web/http/startup_handler.h"

namespace ebb::app {

/// As given on the command line; empty: not given.
struct DeviceFlags {
  std::string slots, gpus;
  std::string check_every;  ///< how often the driver is asked which GPUs there are
};

/// The CPU where that is said; otherwise the service looks for GPUs, and without any it has the CPU
/// with `slots_without` slots.
Status SetDevices(const DeviceFlags& flags, int slots_without, const RunOptions& options,
                  service::ServiceOptions& service);

/// How jobs and the machine are measured. `given`: flags of the group metering.
void SetMetering(const FlagValues& given, const RunOptions& options,
                 service::ServiceOptions& service);

/// A service's address: it is listened at from the first call on, to the end.
class Address {
 public:
  Address(std::string address, int port, const web::StartupHandler& door);
  /// Its URL.
  Result<std::string> Listen();
  /// At this socket, too, which is closed with the rest. Answers at the address pause for a moment.
  void AlsoListen(int socket);
  void Leave() { server_.reset(); }

 private:
  web::HttpServerOptions options_;
  const web::StartupHandler& door_;
  std::unique_ptr<web::HttpServer> server_;
};

}  // namespace ebb::app
