#pragma once
// Remembers what the programs of a machine used since each device was last read, and splits the
// device's next reading by it (apportion.h). Readings may cover longer than a sample: a counter
// that could not be read for a while is made up for by its next value. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ledger.h"
#include "meter/meter.h"
#include "meter/sharing/apportion.h"

namespace ebb::meter {

/// What happened between two samples. Absent values could not be read.
struct MachineGrowth {
  struct Program {
    double cpu_seconds = 0;
    double resident_bytes = 0;                 ///< mean
    std::map<std::string, double> gpu_busy{};  ///< by device
  };
  double seconds = 0;
  std::optional<double> busy_cpu_seconds;  ///< also of samples before that could not be read
  std::optional<double> used_bytes;        ///< mean
  std::map<int, Program> programs;
  std::map<std::string, double> foreign_gpu_busy;  ///< by device; present: users are known
};

class MachineAccount {
 public:
  struct Machine {
    int logical_processors = 1;
    double total_bytes = 0;
    std::optional<double> cpu_idle_w;  ///< of each CPU device
    IdleRule idle = IdleRule::kApart;
  };
  explicit MachineAccount(Machine machine) : machine_(machine) {}

  void Join(int program, std::vector<GpuHolding> gpus, double reserved);
  /// What it used since a device was last read is nobody's from here on.
  void Leave(int program);
  void Add(const MachineGrowth& growth);

  struct Split {
    std::map<int, Energy> programs;  ///< those that have a part in the device
    Energy idle, unattributed;
    bool shared = false;   ///< a GPU that several programs hold
    bool divided = false;  ///< that, or one of which programs hold slices
  };
  /// Splits a reading of everything since the device's last one.
  Split Take(const core::EnergyReading& reading);

 private:
  struct Use {
    double present_seconds = 0;
    double cpu_seconds = 0;
    double byte_seconds = 0;
    std::map<std::string, double> gpu_busy{};
  };
  // Sums since the beginning; differences are what counts.
  struct Sums {
    double seconds = 0;
    double busy_cpu_seconds = 0, busy_known_seconds = 0;
    double used_byte_seconds = 0, used_known_seconds = 0;
    std::map<std::string, double> foreign_gpu_busy{};
    std::map<std::string, double> users_known_seconds{};
    std::map<int, Use> programs{};
  };
  struct Holder {
    std::vector<GpuHolding> gpus;
    double reserved = 0;
    double ShareOf(const std::string& device) const;
  };
  MachineUse MachineSince(const Sums& before, const std::string& device) const;
  JobUse ProgramSince(const Sums& before, int program, const std::string& device,
                      double seconds) const;

  Machine machine_;
  Sums now_;
  std::map<std::string, Sums> at_last_reading_;  // by device
  std::map<int, Holder> holders_;
};

}  // namespace ebb::meter
