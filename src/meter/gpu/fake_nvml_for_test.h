#pragma once
// A stand-in for NVIDIA's management library with the symbols that nvml_library.cc and
// energy_counter.cc load. Tests load it by path, as the real one is loaded, and set the state it
// answers from. The GPUs are at the places 0000:00:00.0, 0000:01:00.0, ... of the bus. A program
// that loads it reads the state from the file $EBB_FAKE_NVML_STATE, one line for each GPU:
//
//   GPU-aaaa1111 | NVIDIA L4 | millijoules | milliwatts | MIG-1 MIG-2 | power limit in mW | error |
//   pid pid
//
// and lines for faults:
//
//   ! init 18                  nvmlInit fails with this code
//   ! xid GPU-aaaa1111 79      an event, for a listener that was there before the line
//
// The file is read again whenever NVML is initialised. Errors, events and the loss of GPUs that are
// no longer in the file take effect in between as well.
//
// The power limit that a program sets is kept for the next program in the file NAME.UUID, where
// NAME is the state file. If that file cannot be written, no limit can be set.
//
// A program that stands in for a load writes the GPU's energy in mJ and power in mW to the file
// NAME.UUID.load, by renaming (tests/gpu_load_for_test.cc). Every reader then gets those at once.

#include <string>
#include <vector>

namespace ebb::meter {

struct FakeMig {
  std::string uuid;
  unsigned gpu_instance = 0, compute_instance = 0;
  unsigned compute_slices = 0;  ///< 0: the driver does not say
  std::string name = "Fake GPU MIG 1g";
  std::vector<unsigned> pids{};
};

struct FakeGpu {
  std::string uuid;
  std::string name = "Fake GPU";
  long long millijoules = -1;  ///< total energy; negative: NVML_ERROR_NOT_SUPPORTED
  long long milliwatts = -1;   ///< power; negative: NVML_ERROR_NOT_SUPPORTED
  int utilisation_percent = 0;
  int error = 0;        ///< code that answers every question: 4 no permission, 15 lost
  bool answers = true;  ///< false: NVML does not even return a handle of the GPU
  bool mig_on = false;  ///< also set if there are slices
  std::vector<FakeMig> mig{};
  unsigned most_mig = 7;
  long long limit_mw = -1;  ///< power limit, 100 to 350 W, by default 300; negative: not supported
  bool may_set_limit = true;
  std::vector<unsigned> pids{};  ///< processes that compute on the GPU
};

struct FakeXid {
  std::string uuid;
  unsigned long long code = 0;
  unsigned gpu_instance = 0xFFFFFFFF, compute_instance = 0xFFFFFFFF;  ///< values for a whole GPU
};

struct FakeNvmlState {
  bool driver_loaded = true;
  int init_error = 0;  ///< code with which nvmlInit fails; 0: success
  std::vector<FakeXid> xids{};
  std::vector<FakeGpu> gpus;
  int initialised = 0;
};

/// Type of the exported function: FakeNvmlState* FakeNvml().
using FakeNvmlFunction = FakeNvmlState*();

}  // namespace ebb::meter
