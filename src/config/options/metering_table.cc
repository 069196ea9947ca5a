// Options of how energy is measured, and of what is computed from it.

#include "config/device_file.h"
#include "config/options/option_groups.h"
#include "config/options/option_member.h"

namespace ebb::config {
namespace {

using core::OptionValue;

constexpr OptionGroup kMetering = OptionGroup::kMetering;
constexpr double kMostWatts = 100'000;

template <typename T>
OptionMember OfMetering(T MeteringConfig::*member) {
  return Member([member](auto& o) -> auto& { return o.metering.*member; });
}

// "process" and "machine" for people; core has longer names for files.
OptionMember Scope() {
  return {
      [](const OptionValue& value, RunOptions& o) -> Status {
        o.metering.scope = std::get<std::string>(value) == "machine"
                               ? core::MeterScope::kMachine
                               : core::MeterScope::kProcessTree;
        return {};
      },
      [](const RunOptions& o) -> std::optional<OptionValue> {
        return std::string(o.metering.scope == core::MeterScope::kMachine ? "machine" : "process");
      }};
}

OptionMember DeviceProfiles() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            const auto& path = std::get<std::string>(value);
            EBB_ASSIGN_OR_RETURN(o.metering.own_profiles, LoadDeviceProfiles(path));
            o.metering.device_profiles = path;
            return {};
          },
          [](const RunOptions& o) { return UnlessEmpty(o.metering.device_profiles); }};
}

// An option of embodied emissions, which mean nothing without their total.
template <typename T>
OptionMember OfEmbodied(T core::Embodied::*field) {
  OptionMember member = Member([field](auto& o) -> auto& { return o.metering.embodied.*field; });
  member.get = [field](const RunOptions& o) -> std::optional<OptionValue> {
    const core::Embodied& embodied = o.metering.embodied;
    return embodied.total.grams > 0 ? ValueOf(embodied.*field) : std::nullopt;
  };
  return member;
}

OptionMember EmbodiedKg() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            o.metering.embodied.total.grams = 1000 * std::get<double>(value);
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const double grams = o.metering.embodied.total.grams;
            if (grams <= 0) return std::nullopt;
            return grams / 1000;
          }};
}

}  // namespace

std::vector<RunOption> MeteringTable() {
  return {
      {.group = kMetering,
       .field =
           Choice(Flag("scope", "SCOPE"), "scope",
                  "process (default: the run and its children) or machine", {"process", "machine"}),
       .member = Scope(),
       .section = kMeteringSection,
       .setting = {"metering.scope"},
       .codecarbon = {"tracking_mode"},
       .otherwise = "process"},
      {.group = kMetering,
       .field =
           Span(Flag("interval", "DURATION"), "interval", "time between samples", "1s", 0.01, 3600),
       .member = OfMetering(&MeteringConfig::interval),
       .section = kMeteringSection,
       .setting = {"metering.interval"},
       .codecarbon = {"measure_power_secs", "s"},
       .accepts = "a duration from 10ms to 1h",
       .stored = Stored::kAlways},
      {.group = kMetering,
       .field = Number(Flag("cpu-tdp", "WATTS"), "cpu_tdp_w",
                       "full-load power of this machine's processors", "", 0.1, kMostWatts),
       .member = OfMetering(&MeteringConfig::cpu_tdp),
       .section = kMeteringSection,
       .setting = {"metering.cpu_tdp_w"},
       .codecarbon = {"force_cpu_power"},
       .otherwise = "from tables"},
      {.group = kMetering,
       .field = Number(Flag("ram-power", "WATTS"), "ram_power_w", "power of this machine's memory",
                       "", 0, kMostWatts),
       .member = OfMetering(&MeteringConfig::ram_power),
       .section = kMeteringSection,
       .setting = {"metering.ram_power_w"},
       .codecarbon = {"force_ram_power"},
       .otherwise = "from the size of the memory"},
      {.group = kMetering,
       .field = Choice(Flag("rapl", "DOMAINS"), "rapl",
                       "RAPL domains: packages (default), packages+dram, psys (the whole "
                       "platform), none",
                       RaplUseNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.metering.rapl; }, RaplUseFromName),
       .section = kMeteringSection,
       .setting = {"metering.rapl"},
       .otherwise = "packages"},
      {.group = kMetering,
       .field = Number(Flag("cpu-idle-power", "WATTS"), "cpu_idle_power_w",
                       "idle power of all processors where RAPL measures them: charged to no run",
                       "", 0, 10'000),
       .member = OfMetering(&MeteringConfig::cpu_idle_power),
       .setting = {"metering.cpu_idle_power_w"},
       .otherwise = "unknown"},
      {.group = kMetering,
       .field = Choice(Flag("cpu-model", "MODEL"), "cpu_model",
                       "power model without counters: linear (default); codecarbon: its cubic "
                       "curve, also instead of counters",
                       CpuModelNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.metering.cpu_model; }, CpuModelFromName),
       .setting = {"metering.cpu_model"},
       .otherwise = "linear"},
      {.group = kMetering,
       .field = Text(Flag("gpu-ids", "IDS"), "gpu_ids",
                     "GPUs to measure, as CUDA_VISIBLE_DEVICES (default: that variable; all for "
                     "scope machine)"),
       .member = OfMetering(&MeteringConfig::gpu_ids),
       .setting = {"metering.gpu_ids", "CUDA_VISIBLE_DEVICES"},
       .otherwise = "all"},
      {.group = kMetering,
       .field = Text(Flag("device-profiles", "FILE"), "device_profiles",
                     "YAML: power and speed of device models (docs/devices.md), over the built-in "
                     "table"),
       .member = DeviceProfiles(),
       .setting = {"metering.device_profiles", "", true},
       .flag_error = FlagError::kUnchanged},
      {.group = kMetering,
       .field =
           Number(Flag("pue", "RATIO"), "pue", "facility energy per unit of IT energy", "1", 1, 10),
       .member = OfMetering(&MeteringConfig::pue),
       .section = kMeteringSection,
       .setting = {"metering.pue"},
       .codecarbon = {"pue"}},
  };
}

std::vector<RunOption> FootprintTable() {
  return {
      {.group = kMetering,
       .field = Number(Flag("wue", "L_PER_KWH"), "wue_l_per_kwh",
                       "litres of water per kWh of IT energy; the run's water is reported", "", 0,
                       kLargestWue),
       .member = OfMetering(&MeteringConfig::wue_l_per_kwh),
       .section = kMeteringSection,
       .setting = {"metering.wue_l_per_kwh"},
       .codecarbon = {"wue"}},
      {.group = kMetering,
       .field = Number(Flag("embodied-kg", "KG"), "embodied_kg",
                       "CO2eq of making the hardware; the run's share is reported separately, in "
                       "no total",
                       "", 0, kLargestEmbodiedKg),
       .member = EmbodiedKg(),
       .section = kMeteringSection},
      {.group = kMetering,
       .field = Span(Flag("embodied-lifetime", "DURATION"), "embodied_lifetime",
                     "lifetime that they are spread over (default 4 years, 35040h)", "", 3600),
       .member = OfEmbodied(&core::Embodied::lifetime),
       .section = kMeteringSection,
       .otherwise = "35040h",
       .accepts = "a duration from 1h on, for example 35040h for four years",
       .stored = Stored::kAlways},
      {.group = kMetering,
       .field = Number(Flag("embodied-share", "SHARE"), "embodied_share",
                       "share of the hardware that the run reserves, 0 to 1", "1", 1e-9, 1),
       .member = OfEmbodied(&core::Embodied::share),
       .section = kMeteringSection,
       .stored = Stored::kAlways},
  };
}

}  // namespace ebb::config
