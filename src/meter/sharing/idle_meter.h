#pragma once
// A meter of a whole machine that splits each reading into an idle part and the rest: devices
// "idle:cpu:package-0" and "unattributed:cpu:package-0", which add up to the reading, to the
// microjoule.
//
//  CPU     The idle part is the idle power, if known, times the part of the machine that did not
//          work. If nothing ran, all of the energy is idle; if the load cannot be read, none is.
//  memory  The energy of the free memory is idle.
//  GPU     All of the energy is idle, because this meter does not know who used the GPU.
//
// A reading may cover more time than a sample: if a counter could not be read for a while, its next
// value covers that time too and is split by all of it.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meter/meter.h"

namespace ebb::meter {

inline constexpr std::string_view kIdlePrefix = "idle:", kUnattributedPrefix = "unattributed:";

struct IdleRule {
  /// Watts of each CPU device with nothing running; nullopt if unknown.
  std::optional<double> cpu_idle_w{};
  std::optional<double> memory_bytes{};  ///< memory of the machine
};

class IdleMeter final : public Meter {
 public:
  /// `meter` has the scope machine, so the bytes of a sample are those in use on the machine.
  IdleMeter(std::unique_ptr<Meter> meter, IdleRule rule);

  std::string Description() const override { return meter_->Description(); }
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::optional<std::chrono::nanoseconds> poll_interval() const override {
    return meter_->poll_interval();
  }
  void Poll(Instant now) override { meter_->Poll(now); }
  std::vector<DeviceUtilisation> utilisation() const override { return meter_->utilisation(); }
  std::vector<std::string> Gaps() const override { return meter_->Gaps(); }

 private:
  // Sums since the start. Only their differences are used.
  struct Sums {
    double seconds = 0, processor_seconds = 0;
    double busy_seconds = 0, busy_known_seconds = 0;
    double used_byte_seconds = 0, used_known_seconds = 0;
  };
  double IdlePart(const core::EnergyReading& reading, const Sums& before) const;
  double IdlePartOfCpu(Energy energy, const Sums& before) const;
  double IdlePartOfMemory(const Sums& before) const;

  std::unique_ptr<Meter> meter_;
  IdleRule rule_;
  Sums now_;
  std::map<std::string, Sums> at_last_reading_;  // by device
};

}  // namespace ebb::meter
