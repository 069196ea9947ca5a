#pragma once
// The interface through which meters ask a vendor's management library. Libraries are loaded at run
// time: Ebb builds and runs without any. One file per vendor (nvml_library.h, rocm_library.h);
// gpu_meter.h is the meter over any of them.
//
// Not thread-safe: one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace ebb::meter {

/// The reason why a GPU did not answer.
enum class GpuProblem { kUnsupported, kNoPermission, kLost, kOther };
/// Words for people: "the GPU is lost (it does not answer the driver)".
const char* Describe(GpuProblem problem);

template <typename T>
using GpuAnswer = tl::expected<T, GpuProblem>;

class GpuLibrary {
 public:
  using Device = void*;
  virtual ~GpuLibrary() = default;

  virtual const char* name() const = 0;  ///< "NVML"
  /// GPUs in PCI bus order. GPUs that do not answer are left out.
  virtual std::vector<Device> Devices() const = 0;
  virtual std::string Uuid(Device device) const = 0;
  virtual std::string Name(Device device) const = 0;

  /// The energy counter in microjoules. It only grows, until the driver or the GPU is reset.
  virtual GpuAnswer<std::int64_t> TotalMicrojoules(Device device) const = 0;
  virtual GpuAnswer<double> PowerWatts(Device device) const = 0;
  virtual GpuAnswer<double> UtilisationPercent(Device device) const = 0;
};

}  // namespace ebb::meter
