#pragma once
// Which devices the service gives to jobs: decided once when it starts, followed by looks at the
// machine while it runs (gpu_watch.h), kept over its lives, and told to people.
//
// The CPU is used where a person asked for it, and by itself only where there never were GPUs: a
// driver that does not answer, or a store that knows GPUs, means that they are there and in use.
//
// Thread contract: the loop's thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/device_profile.h"
#include "local/device_register.h"
#include "service/devices/gpu_watch.h"
#include "service/intake/requests.h"
#include "service/views/event_log.h"
#include "store/service_store.h"

namespace ebb::service {

struct DeviceOptions {
  /// Empty: no GPUs are looked for, the pools are those of the executor's options.
  std::function<Result<meter::GpuInventory>()> look;
  /// Whether there is a driver's library that a look could load.
  std::function<bool()> is_installed = [] { return true; };
  std::string asked;               ///< what --gpus said; empty: all
  std::vector<std::string> names;  ///< the same, one by one
  int slots_otherwise = 1;         ///< of the CPU, on a machine without GPUs
  std::vector<core::DeviceProfile> profiles;
  std::chrono::milliseconds look_every{60'000};
};

class DeviceInventory {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    EventLog& events;
    std::function<void()> wake;  ///< from any thread
  };
  DeviceInventory(const DeviceOptions& options, Ports ports)
      : options_(options), ports_(std::move(ports)) {}

  /// Once, when the service starts: fills the register, where there is a look. `before`: the pools
  /// of an earlier life. An Error: a name of --gpus names nothing.
  Status Open(local::DeviceRegister& devices, const core::Site& site, const core::Cluster& before);
  /// What a person wants of a device; its name.
  Result<std::string> Change(const ChangeDevice& change);
  /// Takes in what the watch has seen, tells and stores what changed.
  void Follow();

 private:
  bool UsesOther(const Result<meter::GpuInventory>& look, const core::Cluster& before);

  const DeviceOptions& options_;
  Ports ports_;
  local::DeviceRegister* devices_ = nullptr;
  std::optional<GpuWatch> watch_;
};

}  // namespace ebb::service
