#pragma once
// A meter of a whole machine, with each reading split into what was idle and what was not: devices
// "idle:cpu:package-0" and "unattributed:cpu:package-0", which add up to the reading, to the
// microjoule.
//
//  CPU     Idle power, where it is known, times the part of the machine that did not work, is idle.
//          Nothing ran: all of it is. How busy the machine was cannot be read: nothing is.
//  memory  The free part of it is idle.
//  GPU     All of it is idle: who used it is not known here.
//
// Readings may cover longer than a sample: a counter that could not be read for a while is made up
// for by its next value, which is split by all the time that it covers.

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
  std::optional<double> cpu_idle_w{};    ///< of each CPU device with nothing running
  std::optional<double> memory_bytes{};  ///< of the machine
};

class IdleMeter final : public Meter {
 public:
  /// `meter` has the scope machine: the bytes of a sample are those that are in use.
  IdleMeter(std::unique_ptr<Meter> meter, IdleRule rule);

  std::string Description() const override { return meter_->Description(); }
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::optional<std::chrono::nanoseconds> poll_interval() const override {
    return meter_->poll_interval();
  }
  void Poll(Instant now) override { meter_->Poll(now); }
  std::optional<double> utilisation_percent() const override {
    return meter_->utilisation_percent();
  }
  std::vector<std::string> Gaps() const override { return meter_->Gaps(); }

 private:
  // Sums since the start; differences are what counts.
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
