#pragma once
// The few functions of NVIDIA's management library (NVML API reference) that metering needs, loaded
// at run time: Ebb builds and runs without it. Constants and signatures are declared by hand from
// the documentation; they are part of NVML's stable binary interface.
//
// Not thread-safe as used here: one thread at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::meter {

class NvmlLibrary {
 public:
  using Device = void*;

  /// Loads and initialises the library. The Error says whether it is missing or the driver is.
  static Result<std::unique_ptr<NvmlLibrary>> Open(const std::string& file);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// In PCI bus order. Devices that do not answer (lost, no permission) are left out.
  std::vector<Device> Devices() const;
  std::string Uuid(Device device) const;  ///< "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
  std::string Name(Device device) const;  ///< "NVIDIA H100 80GB HBM3"
  /// UUID of the physical GPU that a MIG device ("MIG-...") is a part of.
  std::optional<std::string> ParentOfMig(const std::string& mig_uuid) const;

  /// Since the driver was loaded; nothing before Volta.
  std::optional<std::int64_t> TotalMillijoules(Device device) const;
  std::optional<double> PowerWatts(Device device) const;
  std::optional<double> UtilisationPercent(Device device) const;

 private:
  struct Functions;
  NvmlLibrary(void* handle, std::unique_ptr<Functions> functions);

  void* handle_;
  std::unique_ptr<Functions> functions_;
};

}  // namespace ebb::meter
