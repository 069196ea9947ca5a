#pragma once
// Shared parts of `ebb serve` and `ebb sweep run`: they make a service from flags, and listen at
// its address.

#include <memory>
#include <string>

#include "app/options/run_options.h"
#include "platform/unix_socket.h"
#include "service/service.h"
#include "web/http/http_server.h"
#include "web/http/startup_handler.h"

namespace ebb::app {

/// Flags as given on the command line; empty if not given.
struct DeviceFlags {
  std::string slots, gpus;
  std::string check_every;  ///< interval at which the driver is asked for its GPUs
};

/// Uses the CPU if the flags say so. Otherwise the service looks for GPUs; without any it uses the
/// CPU with `slots_without` slots.
Status SetDevices(const DeviceFlags& flags, int slots_without, const RunOptions& options,
                  service::ServiceOptions& service);

/// Sets how jobs and the machine are measured. `given`: flags of the group metering.
void SetMetering(const FlagValues& given, const RunOptions& options,
                 service::ServiceOptions& service);

/// The address of a service. It is open from the first call until destruction.
class Address {
 public:
  Address(std::string address, int port, const web::StartupHandler& door);
  /// Listens and returns the URL.
  Result<std::string> Listen();
  /// Listens at this socket too, and closes it with the rest. Answers at the address pause for a
  /// moment.
  void AlsoListen(int socket);
  void Leave() { server_.reset(); }

 private:
  web::HttpServerOptions options_;
  const web::StartupHandler& door_;
  std::unique_ptr<web::HttpServer> server_;
};

}  // namespace ebb::app
