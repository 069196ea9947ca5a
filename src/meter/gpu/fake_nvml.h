#pragma once
// A stand-in for NVIDIA's management library with the symbols that nvml_library.cc loads. Tests
// load it by path, as the real one is loaded, and set the state it answers from. A program that
// loads it reads the state from the file $EBB_FAKE_NVML_STATE, one line for each GPU:
//
//   GPU-aaaa1111 | NVIDIA L4 | millijoules | milliwatts | MIG-1 MIG-2 | power limit in mW | error |
//   pid pid
//
// and lines of what goes wrong:
//
//   ! init 18                  nvmlInit fails with this code
//   ! xid GPU-aaaa1111 79      an event, for whoever listens since before the line was there
//
// The file is read again whenever NVML is initialised anew; errors, events, and GPUs that are not
// in it any more (they are lost) also in between.
//
// The limit that a program sets is kept for the next one, in the file's name + "." + UUID; where
// that file may not be written, no limit may be set.

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
  int error = 0;        ///< answers every question with this: 4 no permission, 15 lost
  bool answers = true;  ///< false: not even its handle is to be had
  bool mig_on = false;  ///< also when there are slices
  std::vector<FakeMig> mig{};
  unsigned most_mig = 7;
  long long limit_mw = -1;  ///< power limit, 100 to 350 W, by default 300; negative: not supported
  bool may_set_limit = true;
  std::vector<unsigned> pids{};  ///< that compute on it
};

struct FakeXid {
  std::string uuid;
  unsigned long long code = 0;
  unsigned gpu_instance = 0xFFFFFFFF, compute_instance = 0xFFFFFFFF;  ///< of no slice
};

struct FakeNvmlState {
  bool driver_loaded = true;
  int init_error = 0;  ///< nvmlInit fails with it
  std::vector<FakeXid> xids{};
  std::vector<FakeGpu> gpus;
  int initialised = 0;
};

/// Exported under this name: FakeNvmlState* FakeNvml().
using FakeNvmlFunction = FakeNvmlState*();

}  // namespace ebb::meter
