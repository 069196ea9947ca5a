#pragma once
// Reads once per sample what all meters need: how busy the machine was and what the process tree
// used since the previous sample.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "meter/meter.h"
#include "meter/sharing/program_usage.h"

namespace ebb::meter {

class UsageReader {
 public:
  UsageReader(std::string proc_root, core::MeterScope scope, std::vector<pid_t> roots,
              const Cgroup* cgroup = nullptr);

  /// Begins the first interval at `now`. Returns false if none of the roots can be read
  /// (kProcessTree only).
  bool Start(Instant now, Time wall);
  /// Ends an interval and begins the next.
  IntervalUsage Next(Instant now, Time wall);
  Time boundary() const { return wall_; }

 private:
  struct Look {
    std::optional<std::chrono::nanoseconds> busy;
    std::optional<std::chrono::nanoseconds> tree_cpu;
    std::optional<double> resident_bytes;
  };
  Look LookNow();

  const std::string proc_root_;
  const core::MeterScope scope_;
  const int logical_processors_;
  ProgramUsage program_;
  Instant now_{};
  Time wall_{};
  std::optional<std::chrono::nanoseconds> busy_;      // highest seen: /proc/stat may step back
  std::optional<std::chrono::nanoseconds> tree_cpu_;  // cumulative
  std::optional<double> resident_bytes_;
};

}  // namespace ebb::meter
