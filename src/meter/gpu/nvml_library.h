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
  std::string uuid;         ///< "MIG-..."; empty where the driver does not say
  std::string parent_uuid;  ///< of the physical GPU
  /// Compute slices of it / those of the whole GPU; nothing where the driver does not say.
  std::optional<double> share;
};

/// In milliwatts: the limit now, as shipped, and what may be set.
struct PowerRange {
  unsigned now_mw = 0, default_mw = 0, least_mw = 0, most_mw = 0;
};

/// A critical error that a driver told of (nvmlEventTypeXidCriticalError; "XID Errors", NVIDIA).
struct GpuXid {
  std::string uuid;  ///< of the physical GPU
  unsigned long long code = 0;
  /// Of the slice that it was in; nothing: of the whole GPU.
  std::optional<std::pair<unsigned, unsigned>> gpu_and_compute_instance;
};
/// Whether an error says that the GPU has failed, rather than the program on it.
bool IsFaultOfGpu(const GpuXid& xid);

class NvmlLibrary final : public GpuLibrary {
 public:
  /// Whether there is such a library at all: without one, the machine has no GPUs of NVIDIA.
  static bool IsInstalled(const std::string& file);
  /// Loads and initialises the library. The Error says whether it is missing or the driver is.
  static Result<std::unique_ptr<NvmlLibrary>> Open(const std::string& file);
  ~NvmlLibrary() override;
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const char* name() const override { return "NVML"; }
  std::vector<Device> Devices() const override;
  /// As nvidia-smi numbers them; null for one that does not answer.
  std::vector<Device> Places() const;
  /// Why no program can use the GPU; empty: it answers.
  std::string Fault(Device gpu) const;
  std::string Uuid(Device device) const override;  ///< "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
  std::string Name(Device device) const override;  ///< "NVIDIA H100 80GB HBM3"
  /// Since the driver was loaded; not supported before Volta.
  GpuAnswer<std::int64_t> TotalMicrojoules(Device device) const override;
  GpuAnswer<double> PowerWatts(Device device) const override;
  GpuAnswer<double> UtilisationPercent(Device device) const override;

  /// Processes that use a GPU or a slice now, by their numbers in the namespace of this process;
  /// none where the driver does not say.
  std::vector<unsigned> Processes(Device device) const;
  /// By its UUID, of a GPU or a slice.
  std::optional<Device> Find(const std::string& uuid) const;
  GpuAnswer<PowerRange> PowerLimits(Device gpu) const;
  /// Why it could not be set; nothing: it is. Outlives this process.
  std::optional<GpuProblem> SetPowerLimit(Device gpu, unsigned milliwatts) const;

  /// From now on errors of these GPUs, which are whole ones, are kept for TakeXids. Once. False:
  /// the driver does not tell of them.
  bool ListenForXids(const std::vector<Device>& gpus);
  /// Those since the last call; waits for the first one for so long.
  std::vector<GpuXid> TakeXids(std::chrono::milliseconds patience);
  /// The GPU that a slice is a part of; a GPU itself.
  Device WholeOf(Device device) const;
  /// GPU instance and compute instance of a slice; nothing: it is none.
  std::optional<std::pair<unsigned, unsigned>> InstanceOf(Device mig) const;

  /// Whether the GPU is divided: programs use its slices, never the whole.
  bool MigIsOn(Device gpu) const;
  /// All slices of a GPU, as devices of their own: Uuid and Name answer for them.
  std::vector<Device> MigDevices(Device gpu) const;
  MigSlice Slice(Device mig, Device parent) const;
  /// The slice with this UUID ("MIG-...").
  std::optional<MigSlice> FindMig(const std::string& mig_uuid) const;
  /// By number on its GPU.
  std::optional<MigSlice> MigAt(Device gpu, unsigned index) const;
  /// By GPU instance and compute instance.
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
