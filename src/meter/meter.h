#pragma once
// The port for anything that says how much energy was used. A meter reports the energy since the
// previous sample; it reads no clock, starts no thread and knows nothing of carbon intensity. The
// sampler (sampler.h) tells it when, and what the run and the machine used meanwhile.
//
// Contract of every meter:
//  - energy is never negative and never made up: a value that cannot be read, or that went
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
#include "core/ledger.h"

namespace ebb::meter {

/// A point on a monotonic clock of the caller's choice; only differences mean anything.
using Instant = std::chrono::nanoseconds;

/// What was used between two neighbouring samples. Absent values could not be read.
struct IntervalUsage {
  Interval wall;    ///< stamped on the readings
  Instant begin{};  ///< monotonic; the previous sample's end
  Instant end{};
  int logical_processors = 1;
  /// Time all logical processors together spent working (user, system, interrupts).
  std::optional<std::chrono::nanoseconds> machine_busy;
  /// CPU time of the process tree.
  std::optional<std::chrono::nanoseconds> tree_cpu;
  /// Resident bytes of the process tree, mean of begin and end.
  std::optional<double> tree_resident_bytes;

  double seconds() const { return std::chrono::duration<double>(end - begin).count(); }
};

/// A device, or a part of one, that a program has for itself.
struct GpuHolding {
  std::string device;  ///< as readings name it
  double share = 1;    ///< of the device
};

class Meter {
 public:
  virtual ~Meter() = default;

  /// One line for people, with provenance: "cpu: RAPL package-0, package-1 (counter)".
  virtual std::string Description() const = 0;

  /// Sets the base line: nothing used before `now` is counted.
  virtual void Start(Instant now) = 0;

  /// Energy between the previous sample (or Start) and usage.end, one reading per device that could
  /// be read.
  virtual std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) = 0;

  /// Longest time the meter may be left alone without losing accuracy; nothing if any will do.
  virtual std::optional<std::chrono::nanoseconds> poll_interval() const { return std::nullopt; }
  /// Looks at the hardware between samples (a counter that wraps, a power that changes).
  virtual void Poll(Instant /*now*/) {}

  /// Mean utilisation in percent of what is metered, at the last sample; only GPUs say one.
  virtual std::optional<double> utilisation_percent() const { return std::nullopt; }

  /// What was left out since Start, or is doubtful, one line per device and cause; empty when all
  /// was counted.
  virtual std::vector<std::string> Gaps() const { return {}; }
};

}  // namespace ebb::meter
