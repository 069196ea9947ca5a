#pragma once
// The few functions of AMD's ROCm System Management Interface library (rocm_smi.h of
// ROCm/rocm_smi_lib) that metering needs. Signatures are declared by hand from that header.

#include <memory>

#include "base/result.h"
#include "meter/gpu/gpu_library.h"

namespace ebb::meter {

class RocmLibrary final : public GpuLibrary {
 public:
  /// Loads and initialises the first of these files that exists. The Error says whether the library
  /// is missing or does not start.
  static Result<std::unique_ptr<RocmLibrary>> Open(const std::vector<std::string>& files);
  ~RocmLibrary() override;
  RocmLibrary(const RocmLibrary&) = delete;
  RocmLibrary& operator=(const RocmLibrary&) = delete;

  const char* name() const override { return "ROCm SMI"; }
  /// GPUs that have a unique id or a PCI address.
  std::vector<Device> Devices() const override;
  /// "GPU-" and the unique id in 16 hexadecimal digits, as ROCR_VISIBLE_DEVICES takes it; for a GPU
  /// without one, "PCI-0000:c1:00.0".
  std::string Uuid(Device device) const override;
  std::string Name(Device device) const override;
  /// The counter times its resolution, which the library reports in microjoules.
  GpuAnswer<std::int64_t> TotalMicrojoules(Device device) const override;
  /// Average power in watts; for a GPU without it (MI300 and later), the present power of its
  /// socket.
  GpuAnswer<double> PowerWatts(Device device) const override;
  GpuAnswer<double> UtilisationPercent(Device device) const override;

 private:
  struct Functions;
  RocmLibrary(void* handle, std::unique_ptr<Functions> functions);

  void* handle_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace ebb::meter
