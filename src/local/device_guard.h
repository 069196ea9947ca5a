#pragma once
// What goes wrong with the GPUs of one attempt, noticed by its supervisor: errors that the driver
// tells of, and GPUs that do not answer when the program has failed. It is written to
// attempt-N.faults, so that the service knows, whenever it lives, that the program was not to
// blame. Private to local/.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "local/attempt_files.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::local {

class DeviceGuard {
 public:
  /// Listens from here on; where the driver cannot be asked nothing is noticed.
  DeviceGuard(const AttemptPaths& paths, const AttemptPlan& plan, const std::string& nvml_library);

  /// Writes down what came since, once a second at most.
  void Look();
  /// The program has ended: the last of it, and whether its GPUs answer.
  void LookAtEnd(bool failed);

 private:
  struct Gpu {
    std::string name;  // as the plan has it
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
