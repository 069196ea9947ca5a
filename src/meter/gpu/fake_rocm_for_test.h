#pragma once
// A stand-in for AMD's ROCm SMI library with the symbols that rocm_library.cc loads. Tests use it
// in the same way as fake_nvml_for_test.h.

#include <cstdint>
#include <string>
#include <vector>

namespace ebb::meter {

struct FakeRocmGpu {
  std::uint64_t unique_id = 0;  ///< 0: RSMI_STATUS_NOT_SUPPORTED
  std::uint64_t pci_id = 0;
  std::string name = "Fake Instinct";
  std::int64_t count = -1;  ///< energy counter; negative: RSMI_STATUS_NOT_SUPPORTED
  float resolution_uj = 15.3F;
  std::int64_t average_microwatts = -1;  ///< negative: RSMI_STATUS_NOT_SUPPORTED
  std::int64_t socket_microwatts = -1;   ///< negative: RSMI_STATUS_NOT_SUPPORTED
  std::uint32_t busy_percent = 0;
  int error = 0;  ///< code that answers every question: 3 file error, 4 permission
};

struct FakeRocmState {
  int init_status = 0;
  std::vector<FakeRocmGpu> gpus;
  int initialised = 0;
};

/// Type of the exported function: FakeRocmState* FakeRocm().
using FakeRocmFunction = FakeRocmState*();

}  // namespace ebb::meter
