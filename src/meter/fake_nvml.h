#pragma once
// A stand-in for NVIDIA's management library with the symbols that nvml_library.cc loads. Tests
// load it by path, as the real one is loaded, and set the state it answers from.

#include <string>
#include <vector>

namespace ebb::meter {

struct FakeGpu {
  std::string uuid;
  std::string name = "Fake GPU";
  long long millijoules = -1;  ///< total energy; negative: NVML_ERROR_NOT_SUPPORTED
  long long milliwatts = -1;   ///< power; negative: NVML_ERROR_NOT_SUPPORTED
  int utilisation_percent = 0;
  std::string mig_uuid{};  ///< of a slice cut from it
};

struct FakeNvmlState {
  bool driver_loaded = true;
  std::vector<FakeGpu> gpus;
  int initialised = 0;
};

/// Exported under this name: FakeNvmlState* FakeNvml().
using FakeNvmlFunction = FakeNvmlState*();

}  // namespace ebb::meter
