#pragma once
// The few functions of NVIDIA's management library (NVML API reference) that metering needs.
// Constants and signatures are declared by hand from the documentation; they are part of NVML's
// stable binary interface.

#include <chrono>
#include <memory>
#include <utility>

#include "base/result.h"
#include "meter/gpu/gpu_library.h"

namespace ebb::meter {

/// A slice of a GPU (Multi-Instance GPU).
struct MigSlice {
  std::string uuid;         ///< "MIG-..."; empty if the driver does not report it
  std::string parent_uuid;  ///< UUID of the physical GPU
  /// Compute slices of the slice / those of the whole GPU; nullopt if the driver does not report
  /// it.
  std::optional<double> share;
};

/// Power limits in milliwatts: the present one, the default, and the range that may be set.
struct PowerRange {
  unsigned now_mw = 0, default_mw = 0, least_mw = 0, most_mw = 0;
};

/// A critical error that the driver reported (nvmlEventTypeXidCriticalError; NVIDIA, "XID Errors").
struct GpuXid {
  std::string uuid;  ///< UUID of the physical GPU
  unsigned long long code = 0;
  /// Slice that the error was in; nullopt: the whole GPU.
  std::optional<std::pair<unsigned, unsigned>> gpu_and_compute_instance;
};
/// True if the error means that the GPU has failed, rather than the program on it.
bool IsFaultOfGpu(const GpuXid& xid);

class NvmlLibrary final : public GpuLibrary {
 public:
  /// True if the library exists. Without it the machine has no NVIDIA GPUs.
  static bool IsInstalled(const std::string& file);
  /// Loads and initialises the library. The Error says whether the library is missing or the
  /// driver.
  static Result<std::unique_ptr<NvmlLibrary>> Open(const std::string& file);
  ~NvmlLibrary() override;
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const char* name() const override { return "NVML"; }
  std::vector<Device> Devices() const override;
  /// GPUs in the order in which nvidia-smi numbers them; null for a GPU that does not answer.
  std::vector<Device> Places() const;
  /// The reason why no program can use the GPU; empty: it answers.
  std::string Fault(Device gpu) const;
  std::string Uuid(Device device) const override;  ///< "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
  std::string Name(Device device) const override;  ///< "NVIDIA H100 80GB HBM3"
  /// Energy since the driver was loaded; not supported before Volta.
  GpuAnswer<std::int64_t> TotalMicrojoules(Device device) const override;
  GpuAnswer<double> PowerWatts(Device device) const override;
  GpuAnswer<double> UtilisationPercent(Device device) const override;

  /// Process ids, in the namespace of this process, of the processes that use a GPU or a slice now;
  /// empty if the driver does not report them.
  std::vector<unsigned> Processes(Device device) const;
  /// The GPU or slice with this UUID.
  std::optional<Device> Find(const std::string& uuid) const;
  GpuAnswer<PowerRange> PowerLimits(Device gpu) const;
  /// Sets the power limit, which outlives this process. Returns the reason if that failed; nullopt:
  /// the limit is set.
  std::optional<GpuProblem> SetPowerLimit(Device gpu, unsigned milliwatts) const;

  /// Starts to keep the errors of these GPUs, which are whole ones, for TakeXids. May be called
  /// once. Returns false if the driver does not report errors.
  bool ListenForXids(const std::vector<Device>& gpus);
  /// The errors since the last call. Waits at most `patience` for the first one.
  std::vector<GpuXid> TakeXids(std::chrono::milliseconds patience);
  /// The GPU that a slice is a part of. For a GPU, the GPU itself.
  Device WholeOf(Device device) const;
  /// GPU instance and compute instance of a slice; nullopt if the device is not a slice.
  std::optional<std::pair<unsigned, unsigned>> InstanceOf(Device mig) const;

  /// True if the GPU is divided: programs then use its slices, never the whole GPU.
  bool MigIsOn(Device gpu) const;
  /// All slices of a GPU, as devices for which Uuid and Name answer.
  std::vector<Device> MigDevices(Device gpu) const;
  MigSlice Slice(Device mig, Device parent) const;
  /// The slice with this UUID ("MIG-...").
  std::optional<MigSlice> FindMig(const std::string& mig_uuid) const;
  /// The slice with this number on its GPU.
  std::optional<MigSlice> MigAt(Device gpu, unsigned index) const;
  /// The slice with this GPU instance and compute instance.
  std::optional<MigSlice> MigOf(Device gpu, unsigned gpu_instance, unsigned compute_instance) const;

 private:
  struct Functions;
  NvmlLibrary(void* handle, std::unique_ptr<Functions> functions);
  Device MigHandle(Device gpu, unsigned index) const;
  unsigned MostMigDevices(Device gpu) const;

  void* handle_;
  std::unique_ptr<Functions> functions_;
  void* events_ = nullptr;  // nvmlEventSet_t
};

}  // namespace ebb::meter
