#pragma once
// The devices that the service gives to jobs. The kind (CPU or GPUs) is decided once, when the
// service starts; looks at the machine follow GPUs that fail or come back (gpu_watch.h). The store
// keeps the inventory for the next life, and events tell people what has changed.
//
// Jobs run on the CPU if a person asked for it. Otherwise they do only on a machine that never had
// GPUs: if a driver does not answer, or the store knows GPUs, then GPUs are there and may be in
// use.
//
// Thread contract: the loop's thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/device_profile.h"
#include "local/device_register.h"
#include "service/devices/gpu_watch.h"
#include "service/intake/requests.h"
#include "service/views/event_log.h"
#include "store/service_store.h"

namespace ebb::service {

struct DeviceOptions {
  /// Asks the driver for the GPUs. Empty: the service does not look for GPUs, and has the pools of
  /// the executor's options.
  std::function<Result<meter::GpuInventory>()> look;
  /// Whether the driver's library is there to be loaded.
  std::function<bool()> is_installed = [] { return true; };
  std::string asked;               ///< the text of --gpus; empty: all GPUs
  std::vector<std::string> names;  ///< the names in `asked`
  int slots_otherwise = 1;         ///< slots of the CPU, on a machine without GPUs
  std::vector<core::DeviceProfile> profiles;
  std::chrono::milliseconds look_every{60'000};
};

class DeviceInventory {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    EventLog& events;
    std::function<void()> wake;  ///< may be called on any thread
  };
  DeviceInventory(const DeviceOptions& options, Ports ports)
      : options_(options), ports_(std::move(ports)) {}

  /// Fills the register; called once, when the service starts. `before`: the pools of an earlier
  /// life. An Error: --gpus names a GPU that does not exist.
  Status Open(local::DeviceRegister& devices, const core::Site& site, const core::Cluster& before);
  /// Sets a device aside, puts it back or forgets it. Returns its full name.
  Result<std::string> Change(const ChangeDevice& change);
  /// Takes over what the watch has seen. Tells people what changed, and stores it.
  void Follow();

 private:
  bool UsesOther(const Result<meter::GpuInventory>& look, const core::Cluster& before);

  const DeviceOptions& options_;
  Ports ports_;
  local::DeviceRegister* devices_ = nullptr;
  std::optional<GpuWatch> watch_;
};

}  // namespace ebb::service
