#include "meter/cpu/rapl.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

// The order is the order of preference between twins.
constexpr std::string_view kControlTypes[] = {"intel-rapl", "intel-rapl-mmio"};

struct Zone {
  std::string directory;
  std::string name;  ///< content of the zone's name file
};

// Zones directly under `prefix`: "intel-rapl:0", but not "intel-rapl:0:1".
std::vector<Zone> Zones(const std::string& root, const std::string& prefix) {
  std::vector<Zone> zones;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(prefix + ":")) continue;
    if (!ParseInteger(std::string_view(file).substr(prefix.size() + 1))) continue;
    zones.push_back({file, ReadLine(root + "/" + file + "/name")});
  }
  std::sort(zones.begin(), zones.end(),
            [](const Zone& a, const Zone& b) { return a.directory < b.directory; });
  return zones;
}

RaplDomain MakeDomain(const std::string& root, const Zone& zone, std::string name) {
  const std::string directory = root + "/" + zone.directory;
  return {std::move(name), directory + "/energy_uj",
          ReadNumber((directory + "/max_energy_range_uj").c_str())};
}

struct Package {
  RaplDomain domain;
  std::vector<RaplDomain> dram;
};

Package MakePackage(const std::string& root, const Zone& zone) {
  Package package{MakeDomain(root, zone, zone.name), {}};
  for (const Zone& part : Zones(root, zone.directory)) {
    if (part.name != "dram") continue;
    const std::string suffix = zone.name.substr(std::string_view("package-").size());
    package.dram.push_back(MakeDomain(root, part, "dram-" + suffix));
  }
  return package;
}

// Returns 0, or the errno of the first counter that cannot be read.
int WhyUnreadable(const std::vector<Package>& packages) {
  for (const Package& package : packages) {
    if (!ReadNumber(package.domain.energy_file.c_str())) return errno;
  }
  return 0;
}

// Packages by name: the zones of the first control type whose counters can all be read. If there is
// no such control type, the zones of the first one.
std::map<std::string, std::vector<Package>> FindPackages(const std::string& root) {
  std::map<std::string, std::vector<Package>> found;
  for (const std::string_view control_type : kControlTypes) {
    std::map<std::string, std::vector<Package>> candidates;
    for (const Zone& zone : Zones(root, std::string(control_type))) {
      if (zone.name.starts_with("package-"))
        candidates[zone.name].push_back(MakePackage(root, zone));
    }
    for (auto& [name, packages] : candidates) {
      std::vector<Package>& chosen = found[name];
      if (chosen.empty() || (WhyUnreadable(chosen) != 0 && WhyUnreadable(packages) == 0))
        chosen = std::move(packages);
    }
  }
  return found;
}

bool IsDenied(int cause) { return cause == EACCES || cause == EPERM; }

std::string ExplainUnreadable(const std::string& energy_file, int cause) {
  if (IsDenied(cause))
    return std::string(
               "only root may read the RAPL counters, so the CPU is modelled; to measure it: ") +
           kAllowRapl;
  return "RAPL is there but not used: " + energy_file + ": " + std::strerror(cause) +
         "; the CPU model is used instead";
}

bool AllReadable(const std::vector<RaplDomain>& domains) {
  return std::all_of(domains.begin(), domains.end(), [](const RaplDomain& domain) {
    return ReadNumber(domain.energy_file.c_str()).has_value();
  });
}

// The first psys zone that can be read. Twins under both control types are one zone.
std::vector<RaplDomain> FindPsys(const std::string& root) {
  for (const std::string_view control_type : kControlTypes) {
    for (const Zone& zone : Zones(root, std::string(control_type))) {
      if (zone.name != "psys") continue;
      RaplDomain domain = MakeDomain(root, zone, zone.name);
      if (ReadNumber(domain.energy_file.c_str())) return {std::move(domain)};
    }
  }
  return {};
}

// A counter may stand still for less than this without being a gap, because it is not updated more
// often.
constexpr double kUpdateSeconds = 1;

std::chrono::duration<double> AsSeconds(std::chrono::nanoseconds time) { return time; }

}  // namespace

RaplScan ScanRapl(const std::string& rapl_root) {
  RaplScan scan;
  for (const auto& [name, packages] : FindPackages(rapl_root)) {
    if (const int cause = WhyUnreadable(packages); cause != 0)
      return {{},
              {},
              {},
              IsDenied(cause),
              ExplainUnreadable(packages.front().domain.energy_file, cause)};
    for (const Package& package : packages) {
      scan.packages.push_back(package.domain);
      scan.dram.insert(scan.dram.end(), package.dram.begin(), package.dram.end());
    }
  }
  if (scan.packages.empty())
    scan.note = "no RAPL counters under " + rapl_root +
                " (usual in virtual machines): the CPU model is used instead";
  if (!AllReadable(scan.dram)) scan.dram.clear();
  scan.psys = FindPsys(rapl_root);
  return scan;
}

RaplMeter::RaplMeter(std::vector<RaplDomain> domains, Options options) : options_(options) {
  const std::string prefix = options_.component == core::Component::kCpu ? "cpu:" : "ram:";
  std::map<std::string, int> seen;
  for (RaplDomain& domain : domains) {
    std::string device = prefix + domain.name;
    if (const int count = ++seen[domain.name]; count > 1) device += "#" + std::to_string(count);
    const EnergyCounter counter(domain.range_uj);
    counted_.push_back({std::move(domain), std::move(device), counter});
  }
}

std::string RaplMeter::Description() const {
  std::vector<std::string> names;
  for (const Counted& counted : counted_) names.push_back(counted.domain.name);
  const bool cpu = options_.component == core::Component::kCpu;
  std::string text = (cpu ? "cpu: RAPL " : "ram: RAPL ") + Join(names, ", ") + " (counter)";
  if (options_.scope == core::MeterScope::kMachine) return text;
  if (!cpu) return text + ", share of the resident set";
  return text + ", shared by CPU time; idle power is " +
         (options_.idle_w ? "nobody's" : "charged to what runs");
}

void RaplMeter::Start(Instant now) {
  gaps_.Clear();
  for (Counted& counted : counted_) {
    counted.counter.Start(now, ReadNumber(counted.domain.energy_file.c_str()));
    counted.carry = {};
    counted.unshared_joules = 0;
    counted.wall_begin.reset();
    counted.waiting_seconds = 0;
    counted.waiting.reset();
    counted.cpu_time_missing = false;
    counted.has_reading = false;
    counted.tree_cpu = counted.machine_busy = {};
  }
}

std::vector<core::EnergyReading> RaplMeter::Sample(const IntervalUsage& usage) {
  std::vector<core::EnergyReading> readings;
  for (Counted& counted : counted_) {
    Collect(counted, usage);
    const auto outcome = Look(counted, usage.end);
    if (CountsNothingYet(counted, outcome)) continue;
    const std::int64_t microjoules = counted.counter.Take();
    const bool dropped = IsLoss(outcome);
    counted.unshared_joules += static_cast<double>(microjoules) / 1e6;
    const auto share = ShareOfTree(counted, usage);
    if (!share) continue;
    // The energy of an interval that was dropped whole is unknown, which is not the same as zero.
    if (!dropped || microjoules > 0) {
      readings.push_back(
          {counted.device,
           options_.component,
           core::EnergySource::kCounter,
           {*counted.wall_begin, usage.wall.end},
           counted.carry.Add((counted.unshared_joules - IdleJoules(counted, usage)) * *share)});
      counted.has_reading = true;
    }
    counted.unshared_joules = 0;
    counted.wall_begin = usage.wall.end;
    counted.waiting_seconds = 0;
    counted.waiting.reset();
    counted.cpu_time_missing = false;
    counted.tree_cpu = counted.machine_busy = {};
  }
  return readings;
}

// True if this reading adds nothing yet. The energy of its time comes with a later value, if one
// comes.
bool RaplMeter::CountsNothingYet(Counted& counted, EnergyCounter::Outcome outcome) {
  const bool still = outcome == EnergyCounter::Outcome::kStill && !counted.counter.has_counted();
  if (outcome != EnergyCounter::Outcome::kUnreadable && !still) return false;
  counted.waiting = outcome;
  return true;
}

void RaplMeter::Collect(Counted& counted, const IntervalUsage& usage) {
  if (!counted.wall_begin) counted.wall_begin = usage.wall.begin;
  counted.waiting_seconds += usage.seconds();
  const bool needs_cpu_time = options_.scope == core::MeterScope::kProcessTree &&
                              options_.component == core::Component::kCpu;
  if (needs_cpu_time && !(usage.tree_cpu && usage.machine_busy)) counted.cpu_time_missing = true;
  counted.tree_cpu += usage.tree_cpu.value_or(std::chrono::nanoseconds{});
  counted.machine_busy += usage.machine_busy.value_or(std::chrono::nanoseconds{});
}

// Share of the process tree, from 0 to 1; nullopt while it is unknown, and the energy then waits
// for the next interval.
std::optional<double> RaplMeter::ShareOfTree(const Counted& counted,
                                             const IntervalUsage& usage) const {
  if (options_.scope == core::MeterScope::kMachine) return 1.0;
  if (options_.component == core::Component::kRam) {
    if (!usage.tree_resident_bytes || options_.total_memory_bytes <= 0) return std::nullopt;
    return std::min(1.0, *usage.tree_resident_bytes / options_.total_memory_bytes);
  }
  if (!usage.tree_cpu || !usage.machine_busy) return std::nullopt;
  // Both figures come in clock ticks, so within a few milliseconds the machine may seem not busy at
  // all, or the tree busier than the machine.
  if (counted.tree_cpu >= counted.machine_busy)
    return counted.tree_cpu.count() > 0 ? std::optional(1.0) : std::nullopt;
  return AsSeconds(counted.tree_cpu) / AsSeconds(counted.machine_busy);
}

// Idle energy in joules within the energy counted since the last reading. It belongs to no process.
double RaplMeter::IdleJoules(const Counted& counted, const IntervalUsage& usage) const {
  if (!options_.idle_w || options_.scope == core::MeterScope::kMachine) return 0;
  const double processor_seconds = counted.waiting_seconds * usage.logical_processors;
  if (processor_seconds <= 0) return 0;
  const auto busy = std::max(counted.machine_busy, counted.tree_cpu);
  const double load = std::min(1.0, AsSeconds(busy).count() / processor_seconds);
  return std::min(counted.unshared_joules, *options_.idle_w * counted.waiting_seconds * (1 - load));
}

EnergyCounter::Outcome RaplMeter::Look(Counted& counted, Instant now) {
  const Instant last_read = counted.counter.last_read();
  const auto outcome = counted.counter.Look(now, ReadNumber(counted.domain.energy_file.c_str()));
  if (IsLoss(outcome))
    gaps_.Add(counted.device, Describe(outcome), AsSeconds(now - last_read).count());
  return outcome;
}

std::optional<std::chrono::nanoseconds> RaplMeter::poll_interval() const {
  std::optional<std::chrono::nanoseconds> shortest;
  for (const Counted& counted : counted_) {
    const auto pause = counted.counter.longest_pause();
    if (pause && *pause > std::chrono::nanoseconds{})
      shortest = std::min(shortest.value_or(*pause), *pause);
  }
  // Half of the longest pause, so that a late poll is still in time.
  if (shortest) return *shortest / 2;
  return std::nullopt;
}

void RaplMeter::Poll(Instant now) {
  for (Counted& counted : counted_) Look(counted, now);
}

std::vector<std::string> RaplMeter::Gaps() const {
  GapLog gaps = gaps_;
  std::vector<std::string> too_short;
  for (const Counted& counted : counted_) {
    const bool may_be_slow = counted.waiting == EnergyCounter::Outcome::kStill &&
                             counted.waiting_seconds < kUpdateSeconds;
    if (counted.waiting && !may_be_slow)
      gaps.Add(counted.device, std::string("at the end, ") + Describe(*counted.waiting),
               counted.waiting_seconds);
    if (counted.cpu_time_missing)
      gaps.Add(counted.device, "the CPU time could not be read at the end",
               counted.waiting_seconds);
    if (counted.has_reading || counted.waiting_seconds == 0 || counted.cpu_time_missing) continue;
    if (may_be_slow)
      too_short.push_back(
          TooShortLine(counted.device, counted.waiting_seconds, "the counter was not updated"));
    else if (!counted.waiting)
      too_short.push_back(
          TooShortLine(counted.device, counted.waiting_seconds, "no CPU time was counted"));
  }
  std::vector<std::string> lines = gaps.Lines();
  lines.insert(lines.end(), too_short.begin(), too_short.end());
  return lines;
}

}  // namespace ebb::meter
