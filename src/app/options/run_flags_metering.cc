// Flags for how energy is measured and what is computed from it.

#include "app/options/flag_values.h"
#include "app/options/run_flags.h"
#include "config/device_file.h"

namespace ebb::app::run_flags {
namespace {

std::optional<core::MeterScope> ScopeFromName(std::string_view name) {
  if (name == "process") return core::MeterScope::kProcessTree;
  if (name == "machine") return core::MeterScope::kMachine;
  return std::nullopt;
}

}  // namespace

std::vector<Flag> MeteringFlags() {
  return {
      {FlagGroup::kMetering, "scope", "SCOPE",
       "process (default: the run and its children) or machine",
       Choice("scope", {"process", "machine"}, ScopeFromName,
              [](RunOptions& o, core::MeterScope v) { o.metering.scope = v; }),
       [](const RunOptions& o) {
         return If(o.metering.scope == core::MeterScope::kMachine, "machine");
       }},
      {FlagGroup::kMetering, "interval", "DURATION", "time between samples (default 1s)",
       [](const std::string& text, RunOptions& options) -> Status {
         EBB_ASSIGN_OR_RETURN(const Duration value, ::ebb::app::DurationOf("--interval", text));
         if (value < Duration{10} || value > std::chrono::hours{1})
           return Fail(BadValue("interval", text, "give a duration from 10ms to 1h"));
         options.metering.interval = value;
         return {};
       },
       [](const RunOptions& o) { return std::optional(FormatExact(o.metering.interval)); }},
      {FlagGroup::kMetering, "cpu-tdp", "WATTS", "full-load power of this machine's processors",
       Number("cpu-tdp", 0.1, 100'000,
              [](RunOptions& o, double v) { o.metering.cpu_tdp = Power{v}; }),
       [](const RunOptions& o) {
         return o.metering.cpu_tdp ? std::optional(FormatExact(o.metering.cpu_tdp->watts))
                                   : std::nullopt;
       }},
      {FlagGroup::kMetering, "ram-power", "WATTS", "power of this machine's memory",
       Number("ram-power", 0, 10'000,
              [](RunOptions& o, double v) { o.metering.ram_power = Power{v}; }),
       [](const RunOptions& o) {
         return o.metering.ram_power ? std::optional(FormatExact(o.metering.ram_power->watts))
                                     : std::nullopt;
       }},
      {FlagGroup::kMetering, "rapl", "DOMAINS",
       "RAPL domains: packages (default), packages+dram, psys (the whole platform), none",
       Choice("rapl", config::RaplUseNames(), config::RaplUseFromName,
              [](RunOptions& o, config::RaplUse v) { o.metering.rapl = v; }),
       [](const RunOptions& o) {
         return If(o.metering.rapl != config::RaplUse::kPackages,
                   std::string(Name(o.metering.rapl)));
       }},
      {FlagGroup::kMetering, "cpu-idle-power", "WATTS",
       "idle power of all processors where RAPL measures them: charged to no run",
       Number("cpu-idle-power", 0, 10'000,
              [](RunOptions& o, double v) { o.metering.cpu_idle_power = Power{v}; }),
       [](const RunOptions& o) {
         const auto& power = o.metering.cpu_idle_power;
         return power ? std::optional(FormatExact(power->watts)) : std::nullopt;
       }},
      {FlagGroup::kMetering, "cpu-model", "MODEL",
       "power model without counters: linear (default); codecarbon: its cubic curve, also instead "
       "of counters",
       Choice("cpu-model", config::CpuModelNames(), config::CpuModelFromName,
              [](RunOptions& o, config::CpuModel v) { o.metering.cpu_model = v; }),
       [](const RunOptions& o) {
         return If(o.metering.cpu_model != config::CpuModel::kLinear,
                   std::string(Name(o.metering.cpu_model)));
       }},
      {FlagGroup::kMetering, "gpu-ids", "IDS",
       "GPUs to measure, as CUDA_VISIBLE_DEVICES (default: that variable; all for scope machine)",
       Text([](RunOptions& o, const std::string& v) { o.metering.gpu_ids = v; }),
       [](const RunOptions& o) { return o.metering.gpu_ids; }},
      {FlagGroup::kMetering, "device-profiles", "FILE",
       "YAML: power and speed of device models (docs/devices.md), over the built-in table",
       [](const std::string& text, RunOptions& options) -> Status {
         EBB_ASSIGN_OR_RETURN(options.metering.own_profiles, config::LoadDeviceProfiles(text));
         options.metering.device_profiles = text;
         return {};
       },
       [](const RunOptions& o) {
         return If(!o.metering.device_profiles.empty(), o.metering.device_profiles);
       }},
      {FlagGroup::kMetering, "pue", "RATIO", "facility energy per unit of IT energy (default 1)",
       Number("pue", 1, 10, [](RunOptions& o, double v) { o.metering.pue = {v}; }),
       [](const RunOptions& o) {
         return If(o.metering.pue.ratio != 1, FormatExact(o.metering.pue.ratio));
       }},
  };
}

std::vector<Flag> PowerFlags() {
  return {
      {FlagGroup::kPower, "power-cap", "CAP",
       "power limit of the GPUs that are used, where permitted: 250W, 70% of the default limit, or "
       "auto, "
       "which finds the limit with the least energy per step",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto cap = core::ParsePowerCap(text);
         if (!cap) return Fail(BadValue("power-cap", text, cap.error().next));
         options.power_cap = *cap;
         return {};
       },
       [](const RunOptions& o) {
         return o.power_cap ? std::optional(core::Describe(*o.power_cap)) : std::nullopt;
       }},
      {FlagGroup::kPower, "slower-by", "PERCENT",
       "with --power-cap auto: a step may take this much longer (default 5%)",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto slower_by = core::ParseSlowdown(text);
         if (!slower_by) return Fail(BadValue("slower-by", text, slower_by.error().next));
         options.slower_by = *slower_by;
         return {};
       },
       [](const RunOptions& o) {
         return If(o.slower_by != core::Slowdown(), core::Describe(o.slower_by));
       }},
  };
}

std::vector<Flag> FootprintFlags() {
  return {
      {FlagGroup::kMetering, "wue", "L_PER_KWH",
       "litres of water per kWh of IT energy; the run's water is reported",
       Number("wue", 0, config::kLargestWue,
              [](RunOptions& o, double v) { o.metering.wue_l_per_kwh = v; }),
       [](const RunOptions& o) {
         const auto& wue = o.metering.wue_l_per_kwh;
         return wue ? std::optional(FormatExact(*wue)) : std::nullopt;
       }},
      {FlagGroup::kMetering, "embodied-kg", "KG",
       "CO2eq of making the hardware; the run's share is reported separately, in no total",
       Number("embodied-kg", 0, config::kLargestEmbodiedKg,
              [](RunOptions& o, double v) { o.metering.embodied.total.grams = 1000 * v; }),
       [](const RunOptions& o) {
         const double grams = o.metering.embodied.total.grams;
         return If(grams > 0, FormatExact(grams / 1000));
       }},
      {FlagGroup::kMetering, "embodied-lifetime", "DURATION",
       "lifetime that they are spread over (default 4 years, 35040h)",
       DurationOf("embodied-lifetime",
                  [](RunOptions& o, Duration v) { o.metering.embodied.lifetime = v; }),
       [](const RunOptions& o) {
         return If(o.metering.embodied.total.grams > 0, FormatExact(o.metering.embodied.lifetime));
       }},
      {FlagGroup::kMetering, "embodied-share", "SHARE",
       "share of the hardware that the run reserves, 0 to 1 (default 1)",
       Number("embodied-share", 1e-9, 1,
              [](RunOptions& o, double v) { o.metering.embodied.share = v; }),
       [](const RunOptions& o) {
         return If(o.metering.embodied.total.grams > 0, FormatExact(o.metering.embodied.share));
       }},
  };
}

}  // namespace ebb::app::run_flags
