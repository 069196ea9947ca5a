#pragma once
// Who pays for the energy of a device that several programs used: jobs, idle and unattributed add
// up to it, to the microjoule. Pure.
//
// Rules (docs/metering.md, "Several programs on one machine"):
//  CPU     by CPU time of the busy time. Idle power, where it is known, times the part of the
//          machine that did not work, is idle; where it is not, what the processors draw while idle
//          is charged to what runs. Nothing ran: all of it is idle.
//  memory  by resident size of all memory; what is in use elsewhere is unattributed, the free rest
//          idle.
//  GPU     to those that hold it, idle power included: one holder has the whole, slices have their
//          parts, several holders of the whole share by utilisation, or in equal parts where none
//          can be read or nothing ran. What processes of nobody used is unattributed; what is held
//          by nobody is idle, or unattributed if somebody used it or has other slices of it.
//
// With IdleRule::kShare idle energy of CPU and memory goes to the jobs by the part of the machine
// that they have reserved; what nobody reserved stays idle.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ledger.h"

namespace ebb::meter {

/// Splits whole microjoules in proportion to weights (>= 0) by the largest remainder: the parts add
/// up exactly, and each is less than one microjoule from its due. All weights 0: nothing to anyone,
/// and the result adds up to 0.
std::vector<Energy> SplitExactly(Energy total, std::span<const double> weights);

enum class IdleRule { kApart, kShare };

/// What one job used of the machine over the interval of a reading.
struct JobUse {
  double cpu_seconds = 0;
  double resident_bytes = 0;  ///< mean
  double held = 0;            ///< part of the reading's device, times the part of the interval
  double busy = 0;            ///< of the device; only ratios mean anything
  double reserved = 0;        ///< part of the machine, 0 to 1; of all jobs together at most 1
};

/// What the whole machine did meanwhile.
struct MachineUse {
  double seconds = 0;
  int logical_processors = 1;
  std::optional<double> busy_cpu_seconds{};  ///< of everything that ran
  std::optional<double> used_bytes{};        ///< mean
  double total_bytes = 0;
  std::optional<double> cpu_idle_w{};  ///< of the device of the reading, with nothing running
  bool busy_known = false;             ///< who kept the device busy
  double foreign_busy = 0;             ///< by processes of no job
  bool sliced = false;                 ///< the device is held in slices
};

struct Apportioned {
  std::vector<Energy> jobs;  ///< as given
  Energy idle;
  Energy unattributed;
};

Apportioned Apportion(Energy energy, core::Component component, const MachineUse& machine,
                      std::span<const JobUse> jobs, IdleRule rule);

}  // namespace ebb::meter
