#pragma once
// What /proc says about the processors: their name and number, and how long they were busy.

#include <chrono>
#include <optional>
#include <string>

namespace ebb::meter {

struct CpuInfo {
  std::string model_name;        ///< "AMD EPYC 7763 64-Core Processor"; "unknown CPU" if not said
  int logical_processors = 1;    ///< online
  int packages = 1;              ///< sockets; 1 where /proc/cpuinfo does not say
  bool virtual_machine = false;  ///< the hypervisor flag
};

CpuInfo ReadCpuInfo(const std::string& proc_root);

/// Time all logical processors together spent working since boot: user, nice, system and interrupts
/// of /proc/stat, in clock ticks. Idle, waiting for I/O, and time stolen by a hypervisor are not
/// work of this machine.
std::optional<std::chrono::nanoseconds> ReadBusyTime(const std::string& proc_root);

/// MemTotal of /proc/meminfo; nothing if it cannot be read.
std::optional<double> ReadTotalMemoryBytes(const std::string& proc_root);
/// MemTotal - MemAvailable.
std::optional<double> ReadUsedMemoryBytes(const std::string& proc_root);

/// Kernel clock ticks as time.
std::chrono::nanoseconds FromClockTicks(std::int64_t ticks);

constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;

}  // namespace ebb::meter
