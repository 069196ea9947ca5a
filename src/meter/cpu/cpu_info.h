#pragma once
// The processors as /proc describes them: their name, their number, and how long they were busy.

#include <chrono>
#include <optional>
#include <string>

namespace ebb::meter {

struct CpuInfo {
  /// "AMD EPYC 7763 64-Core Processor"; "unknown CPU" if /proc does not name it.
  std::string model_name;
  int logical_processors = 1;    ///< number of those that are online
  int packages = 1;              ///< sockets; 1 if /proc/cpuinfo does not say
  bool virtual_machine = false;  ///< set if the CPU has the hypervisor flag
};

CpuInfo ReadCpuInfo(const std::string& proc_root);

/// Time all logical processors together spent working since boot: user, nice, system and interrupts
/// of /proc/stat, in clock ticks. Idle time, time waiting for I/O and time stolen by a hypervisor
/// do not count as work of this machine.
std::optional<std::chrono::nanoseconds> ReadBusyTime(const std::string& proc_root);

/// MemTotal of /proc/meminfo in bytes; nullopt if it cannot be read.
std::optional<double> ReadTotalMemoryBytes(const std::string& proc_root);
/// MemTotal - MemAvailable of /proc/meminfo, in bytes.
std::optional<double> ReadUsedMemoryBytes(const std::string& proc_root);

/// Converts clock ticks of the kernel to a duration.
std::chrono::nanoseconds FromClockTicks(std::int64_t ticks);

constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;

}  // namespace ebb::meter
