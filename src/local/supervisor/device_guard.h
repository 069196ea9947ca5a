#pragma once
// Lets the supervisor notice faults of an attempt's GPUs: errors that the driver reports, and GPUs
// that do not answer when the program has failed. They are written to attempt-N.faults, so that the
// service learns, even after a restart, that the program was not to blame. Private to local/.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "local/files/attempt_files.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::local {

class DeviceGuard {
 public:
  /// Listens from here on. If the driver cannot be asked, no fault is noticed.
  DeviceGuard(const AttemptPaths& paths, const AttemptPlan& plan, const std::string& nvml_library);

  /// Writes new faults down, once a second at most.
  void Look();
  /// Call it when the program has ended: takes the last faults and checks that its GPUs answer.
  void LookAtEnd(bool failed);

 private:
  struct Gpu {
    std::string name;  // name in the plan
    meter::NvmlLibrary::Device whole = nullptr;
    std::string whole_uuid;
    std::optional<std::pair<unsigned, unsigned>> instance;
  };
  void Take(std::chrono::milliseconds patience);
  void Write(const std::string& device, const std::string& what);

  AttemptPaths paths_;
  std::unique_ptr<meter::NvmlLibrary> library_;
  std::vector<Gpu> gpus_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace ebb::local
