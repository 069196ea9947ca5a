#include "meter/sharing/usage_reader.h"

#include <algorithm>

#include "meter/cpu/cpu_info.h"
#include "platform/system.h"

namespace ebb::meter {
namespace {

using std::chrono::nanoseconds;

// Growth of a cumulative figure since `before`, never negative; updates `before`. If the figure
// cannot be read, the growth is absent and becomes part of the next one.
std::optional<nanoseconds> Growth(std::optional<nanoseconds>& before,
                                  std::optional<nanoseconds> now) {
  if (!now) return std::nullopt;
  const nanoseconds last = before.value_or(*now);
  before = std::max(last, *now);
  return *before - last;
}

std::optional<double> Mean(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  if (!b) return a;
  return (*a + *b) / 2;
}

}  // namespace

UsageReader::UsageReader(std::string proc_root, core::MeterScope scope, std::vector<pid_t> roots,
                         const Cgroup* cgroup)
    : proc_root_(std::move(proc_root)),
      scope_(scope),
      logical_processors_(platform::LogicalProcessors()),
      program_(proc_root_, std::move(roots), cgroup) {}

bool UsageReader::Start(Instant now, Time wall) {
  const bool found = scope_ == core::MeterScope::kMachine || program_.Start();
  now_ = now;
  wall_ = wall;
  const Look look = LookNow();
  busy_ = look.busy;
  // The CPU time that a program used before the first look counts as well.
  if (look.tree_cpu) tree_cpu_ = nanoseconds{};
  resident_bytes_ = look.resident_bytes;
  return found;
}

IntervalUsage UsageReader::Next(Instant now, Time wall) {
  IntervalUsage usage;
  usage.wall = {wall_, wall};
  usage.begin = now_;
  usage.end = now;
  usage.logical_processors = logical_processors_;
  const Look look = LookNow();
  usage.machine_busy = Growth(busy_, look.busy);
  usage.tree_cpu = Growth(tree_cpu_, look.tree_cpu);
  usage.tree_resident_bytes = Mean(resident_bytes_, look.resident_bytes);
  resident_bytes_ = look.resident_bytes;
  now_ = now;
  wall_ = wall;
  return usage;
}

UsageReader::Look UsageReader::LookNow() {
  Look look;
  look.busy = ReadBusyTime(proc_root_);
  if (scope_ == core::MeterScope::kMachine) {
    look.resident_bytes = ReadUsedMemoryBytes(proc_root_);
    return look;
  }
  // Without /proc a tree cannot be told from one that has ended.
  if (!look.busy) return look;
  const ProgramUsage::Look program = program_.Now();
  look.tree_cpu = program.cpu_time;
  look.resident_bytes = program.resident_bytes;
  return look;
}

}  // namespace ebb::meter
