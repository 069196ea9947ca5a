#pragma once
// The port of energy meters. A meter reports the energy since the previous sample; it reads no
// clock, starts no thread and knows nothing of carbon intensity. The sampler (sampler.h) says when
// to sample, and passes what the run and the machine used meanwhile.
//
// Contract of every meter:
//  - energy is never negative and never invented: a value that cannot be read, or that went
//  backwards
//    without an explanation, is left out of the readings and counted in Gaps();
//  - readings of neighbouring samples add up: splitting an interval changes the sum by no more than
//    a microjoule per device (carry.h);
//  - not thread-safe: all calls come from one thread at a time.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/ledger/ledger.h"

namespace ebb::meter {

/// A point on a monotonic clock of the caller's choice; only differences mean anything.
using Instant = std::chrono::nanoseconds;

/// Resources used between two neighbouring samples. Values that could not be read are absent.
struct IntervalUsage {
  Interval wall;    ///< stamped on the readings
  Instant begin{};  ///< monotonic: the previous sample's end
  Instant end{};
  int logical_processors = 1;
  /// Time that all logical processors together spent working (user, system, interrupts).
  std::optional<std::chrono::nanoseconds> machine_busy;
  /// CPU time of the process tree.
  std::optional<std::chrono::nanoseconds> tree_cpu;
  /// Resident bytes of the process tree, the mean of begin and end.
  std::optional<double> tree_resident_bytes;

  double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
};

/// A device, or a part of one, that a program has to itself.
struct GpuHolding {
  std::string device;  ///< the device's name in readings
  double share = 1;    ///< share of the device
};

/// Part of the last interval in which a device was at work.
struct DeviceUtilisation {
  std::string device;  ///< the device's name in readings
  double percent = 0;
  friend bool operator==(const DeviceUtilisation&, const DeviceUtilisation&) = default;
};

class Meter {
 public:
  virtual ~Meter() = default;

  /// One line for people, with the source of the figures: "cpu: RAPL package-0, package-1
  /// (counter)".
  virtual std::string Description() const = 0;

  /// Sets the base line: energy used before `now` does not count.
  virtual void Start(Instant now) = 0;

  /// The energy between the previous sample (or Start) and usage.end, one reading per device that
  /// could be read.
  virtual std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) = 0;

  /// The longest time between two polls that loses no accuracy; nullopt if there is no limit.
  virtual std::optional<std::chrono::nanoseconds> poll_interval() const { return std::nullopt; }
  /// Reads the hardware between samples (a counter that wraps, a power that changes).
  virtual void Poll(Instant /*now*/) {}

  /// Utilisation of the metered devices at the last sample; only GPUs report one. Devices whose
  /// utilisation could not be read are left out.
  virtual std::vector<DeviceUtilisation> utilisation() const { return {}; }

  /// Energy that was left out since Start, or is doubtful: one line per device and cause; empty if
  /// all was counted.
  virtual std::vector<std::string> Gaps() const { return {}; }
};

}  // namespace ebb::meter
