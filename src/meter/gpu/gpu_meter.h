#pragma once
// Energy of GPUs: the driver's counter if the GPU has one, otherwise power readings taken ten times
// per second and integrated (power_integral.h). A GPU that reports only its load gets a model of
// its power (core/devices/device_profile.h) instead of the readings. Counters measure whole GPUs
// only. A run is charged for each GPU that it can see, idle power included, whoever else uses the
// GPU. For a MIG slice it is charged the share of the GPU's energy, idle power included, that the
// slice's compute slices are of all compute slices.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/device_profile.h"
#include "meter/carry.h"
#include "meter/cpu/energy_counter.h"
#include "meter/gap_log.h"
#include "meter/gpu/gpu_library.h"
#include "meter/gpu/power_integral.h"
#include "meter/meter.h"

namespace ebb::meter {

struct MeteredGpu {
  GpuLibrary::Device handle = nullptr;
  std::string uuid;
  std::string model;
  core::EnergySource source = core::EnergySource::kCounter;  ///< or kPowerIntegral, or kModel
  double share = 1;                                          ///< share of the GPU that is charged
  core::DeviceProfile profile{};                             ///< used if `source` is kModel

  std::string device() const { return "gpu:" + uuid; }
};

class GpuMeter : public Meter {
 public:
  GpuMeter(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::optional<std::chrono::nanoseconds> poll_interval() const override;
  void Poll(Instant now) override;
  std::vector<DeviceUtilisation> utilisation() const override { return utilisation_; }
  std::vector<std::string> Gaps() const override;

 private:
  struct Metered {
    MeteredGpu gpu;
    std::string device;
    EnergyCounter counter{std::nullopt};
    PowerIntegral integral{};
    Carry carry{};
    Instant last_power{};     ///< time of the last power reading
    Instant power_changed{};  ///< time at which the power last differed from the reading before
    std::optional<double> power_w{};
    std::chrono::nanoseconds longest_same_power{};
    std::optional<Time> wall_begin{};
    double waiting_seconds = 0;  ///< time since the last reading; used with counters only
    const char* problem = "";    ///< reason why the last look brought nothing new
    bool has_reading = false;    ///< since Start
  };
  bool HasCounter(const Metered& metered) const {
    return metered.gpu.source == core::EnergySource::kCounter;
  }
  std::optional<std::int64_t> ReadCounter(Metered& metered);
  GpuAnswer<double> Watts(const MeteredGpu& gpu) const;
  void LookAtPower(Metered& metered, Instant now);
  std::optional<Energy> SampleCounter(Metered& metered, Instant now);
  std::optional<Energy> SamplePower(Metered& metered, Instant now);
  void ReadUtilisation();

  std::unique_ptr<GpuLibrary> library_;
  std::vector<Metered> metered_;
  Instant sampled_{};
  std::vector<DeviceUtilisation> utilisation_;
  GapLog gaps_;
};

}  // namespace ebb::meter
