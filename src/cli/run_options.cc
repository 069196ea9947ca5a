#include "cli/run_options.h"

#include <filesystem>
#include <functional>
#include <optional>

#include "base/text.h"
#include "signals/choose_source.h"

namespace ebb::cli {
namespace {

using Apply = std::function<Status(const std::string&, RunOptions&)>;
using Show = std::function<std::optional<std::string>(const RunOptions&)>;

struct Flag {
  FlagGroup group;
  const char* name;
  const char* value_name;  ///< nullptr: a switch
  std::string help;
  Apply apply;
  Show show;  ///< nothing: leave the flag out
};

Error BadValue(const char* flag, const std::string& text, const std::string& next) {
  return {ExitCode::kUsage, "--" + std::string(flag) + ": \"" + text + "\" is not accepted", "",
          next};
}

// A number within limits.
Apply Number(const char* flag, double low, double high, void (*set)(RunOptions&, double)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    const auto value = ParseNumber(text);
    if (!value || *value < low || *value > high)
      return Fail(BadValue(
          flag, text,
          "give a number from " + FormatSignificant(low, 3) + " to " + FormatSignificant(high, 3)));
    set(options, *value);
    return {};
  };
}

Apply DurationOf(const char* flag, void (*set)(RunOptions&, Duration)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    const auto value = ParseDuration(text);
    if (!value) return Fail(BadValue(flag, text, value.error().what + "; " + value.error().next));
    set(options, *value);
    return {};
  };
}

Apply Text(void (*set)(RunOptions&, const std::string&)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    set(options, text);
    return {};
  };
}

Apply Switch(void (*set)(RunOptions&)) {
  return [=](const std::string&, RunOptions& options) -> Status {
    set(options);
    return {};
  };
}

// A name out of a list that `from_name` knows.
template <typename FromName, typename Set>
Apply Choice(const char* flag, std::vector<std::string> names, FromName from_name, Set set) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    const auto value = from_name(text);
    if (!value)
      return Fail(
          BadValue(flag, text, "choose one of " + Join(names, ", ") + SuggestionText(text, names)));
    set(options, *value);
    return {};
  };
}

std::string Milliseconds(Duration duration) { return std::to_string(duration.count()) + "ms"; }

std::optional<std::string> If(bool condition, std::string text) {
  return condition ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<plan::AtDeadline> AtDeadlineFromName(std::string_view name) {
  if (name == "start") return plan::AtDeadline::kStart;
  if (name == "stop") return plan::AtDeadline::kStop;
  return std::nullopt;
}

std::optional<core::MeterScope> ScopeFromName(std::string_view name) {
  if (name == "process") return core::MeterScope::kProcessTree;
  if (name == "machine") return core::MeterScope::kMachine;
  return std::nullopt;
}

// Whether it is shared.
std::optional<bool> IdleRuleFromName(std::string_view name) {
  if (name == "apart") return false;
  if (name == "share") return true;
  return std::nullopt;
}

std::vector<Flag> GateFlags() {
  return {
      {FlagGroup::kGate, "policy", "POLICY",
       "run-now; threshold: start at or below --threshold; lowest-window: start where the mean "
       "over the run time is lowest; carbon-time: where the saving per hour of delay is highest; "
       "dtpr: a threshold from past values alone",
       Choice("policy", config::GatePolicyKindNames(), config::GatePolicyKindFromName,
              [](RunOptions& o, config::GatePolicyKind v) { o.scheduler.policy = v; }),
       [](const RunOptions& o) { return std::optional(std::string(Name(o.scheduler.policy))); }},
      {FlagGroup::kGate, "threshold", "G_PER_KWH", "intensity at or below which a run starts",
       Number("threshold", 0, 5000, [](RunOptions& o, double v) { o.scheduler.threshold = {v}; }),
       [](const RunOptions& o) {
         return std::optional(FormatExact(o.scheduler.threshold.g_per_kwh));
       }},
      {FlagGroup::kGate, "start-by", "DURATION", "longest wait after submission, e.g. 6h",
       DurationOf("start-by", [](RunOptions& o, Duration v) { o.scheduler.start_by = v; }),
       [](const RunOptions& o) { return std::optional(Milliseconds(o.scheduler.start_by)); }},
      {FlagGroup::kGate, "run-time", "DURATION", "estimated length of the run (default 1h)",
       DurationOf("run-time",
                  [](RunOptions& o, Duration v) { o.scheduler.estimated_run_time = v; }),
       [](const RunOptions& o) {
         return o.scheduler.estimated_run_time
                    ? std::optional(Milliseconds(*o.scheduler.estimated_run_time))
                    : std::nullopt;
       }},
      {FlagGroup::kGate, "at-deadline", "WHAT",
       "at the latest start: start whatever the intensity, or stop with exit code 75",
       Choice("at-deadline", {"start", "stop"}, AtDeadlineFromName,
              [](RunOptions& o, plan::AtDeadline v) { o.scheduler.on_deadline = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.on_deadline == plan::AtDeadline::kStop, "stop");
       }},
      {FlagGroup::kGate, "price-weight", "W",
       "0 to 1: how much the price counts beside carbon, for lowest-window and carbon-time",
       Number("price-weight", 0, 1, [](RunOptions& o, double v) { o.scheduler.prices.weight = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.prices.weight > 0, FormatExact(o.scheduler.prices.weight));
       }},
      {FlagGroup::kGate, "price-threshold", "PER_KWH",
       "waits while electricity costs more; at this price a run starts",
       Number("price-threshold", -100'000, 100'000,
              [](RunOptions& o, double v) { o.scheduler.prices.threshold = v; }),
       [](const RunOptions& o) {
         const auto& threshold = o.scheduler.prices.threshold;
         return threshold ? std::optional(FormatExact(*threshold)) : std::nullopt;
       }},
      {FlagGroup::kGate, "on-outage", "WHAT",
       "while the intensity is unknown and nothing may stand in for it: wait (default), run, or "
       "stop with exit code 75",
       Choice("on-outage", core::OnOutageNames(), core::OnOutageFromName,
              [](RunOptions& o, core::OnOutage v) { o.scheduler.on_outage = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.on_outage != core::OnOutage::kWait,
                   std::string(core::Name(o.scheduler.on_outage)));
       }},
  };
}

std::string SourceNames() { return Join(signals::SignalSourceNames(), ", "); }

void SetOnly(signals::SignalSource source, RunOptions& options) {
  options.scheduler.signal.source = source;
  options.scheduler.signal.fallbacks.clear();
}

// auto and live are settled by ApplyFlags, when the zone and the clock are known.
Status SetSource(const std::string& text, RunOptions& options) {
  if (text == "auto" || text == "live") return {};
  auto& signal = options.scheduler.signal;
  auto sources = signals::SignalSourcesFromText(text);
  if (!sources)
    return Fail(BadValue("signal", text,
                         sources.error().what + "; " + sources.error().next + ", or auto, live"));
  signal.source = sources->front();
  signal.fallbacks.assign(sources->begin() + 1, sources->end());
  signal.source_named = true;
  return {};
}

Flag JsonFlag(const char* name, const char* value_name, const char* help,
              std::string signals::JsonShape::*member) {
  return {FlagGroup::kSignal,
          name,
          value_name,
          help,
          [member](const std::string& text, RunOptions& options) -> Status {
            options.scheduler.signal.json.*member = text;
            return {};
          },
          [member](const RunOptions& options) {
            const std::string& text = options.scheduler.signal.json.*member;
            return If(text != signals::JsonShape{}.*member, text);
          }};
}

std::vector<Flag> SignalFlags() {
  return {
      {FlagGroup::kSignal, "zone", "ZONE",
       "grid zone, e.g. US-CAL-CISO, DE, GB; or a cloud region, e.g. aws/us-west-2; cloud: this "
       "machine's region, from its metadata service; neo: NEO's table",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.zone = v; }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.zone.empty(), o.scheduler.signal.zone);
       }},
      {FlagGroup::kSignal, "trace", "FILE", "replay intensity from a CSV file (.csv or .csv.gz)",
       Text([](RunOptions& o, const std::string& v) {
         SetOnly(signals::SignalSource::kReplay, o);
         o.scheduler.signal.trace_path = v;
       }),
       [](const RunOptions& o) {
         return If(o.scheduler.signal.source == signals::SignalSource::kReplay,
                   o.scheduler.signal.trace_path);
       }},
      {FlagGroup::kSignal, "forecast", "MODE",
       "for a trace: auto, archived (as published then), history (the zone's own past), "
       "perfect "
       "(the future itself)",
       Choice("forecast", {"auto", "archived", "history", "perfect"}, signals::ForecastModeFromName,
              [](RunOptions& o, signals::ForecastMode v) { o.scheduler.signal.forecast = v; }),
       [](const RunOptions& o) {
         return std::optional(std::string(Name(o.scheduler.signal.forecast)));
       }},
      {FlagGroup::kSignal, "constant", "G_PER_KWH", "the same intensity always",
       Number("constant", 0, 5000,
              [](RunOptions& o, double v) {
                SetOnly(signals::SignalSource::kConstant, o);
                o.scheduler.signal.constant = Intensity{v};
              }),
       [](const RunOptions& o) {
         const auto& signal = o.scheduler.signal;
         return If(signal.source == signals::SignalSource::kConstant && signal.constant,
                   signal.constant ? FormatExact(signal.constant->g_per_kwh) : "");
       }},
      {FlagGroup::kSignal, "api-url", "URL", "latest intensity from a web address (JSON)",
       Text([](RunOptions& o, const std::string& v) {
         SetOnly(signals::SignalSource::kHttp, o);
         o.scheduler.signal.url = v;
       }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.url.empty(), o.scheduler.signal.url);
       }},
      {FlagGroup::kSignal, "signal", "SOURCE",
       "auto (by zone), live (by zone, or an error), " + SourceNames() +
           "; several with commas: the next when one fails; a provider's --api-url is another "
           "server of it",
       [](const std::string& text, RunOptions& options) { return SetSource(text, options); },
       [](const RunOptions& o) {
         return std::optional(signals::NamesOfSources(o.scheduler.signal));
       }},
      {FlagGroup::kSignal, "api-token-file", "FILE", "file whose first line is the API token",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.auth_file = v; }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.auth_file.empty(), o.scheduler.signal.auth_file);
       }},
      {FlagGroup::kSignal, "signal-kind", "KIND", "average or marginal, where the source has both",
       Choice("signal-kind", {"average", "marginal"}, core::SignalKindFromName,
              [](RunOptions& o, core::SignalKind v) { o.scheduler.signal.kind = v; }),
       [](const RunOptions& o) {
         const auto& kind = o.scheduler.signal.kind;
         return kind ? std::optional(std::string(core::Name(*kind))) : std::nullopt;
       }},
      {FlagGroup::kSignal, "signal-boundary", "BOUNDARY",
       "lifecycle or direct, where the source has both",
       Choice("signal-boundary", {"lifecycle", "direct"}, core::BoundaryFromName,
              [](RunOptions& o, core::Boundary v) { o.scheduler.signal.boundary = v; }),
       [](const RunOptions& o) {
         const auto& boundary = o.scheduler.signal.boundary;
         return boundary ? std::optional(std::string(core::Name(*boundary))) : std::nullopt;
       }},
      JsonFlag("json-value", "POINTER", "--api-url: JSON pointer to the value, e.g. /data/0/value",
               &signals::JsonShape::value_pointer),
      JsonFlag("json-time", "POINTER", "--api-url: JSON pointer to the time the value begins",
               &signals::JsonShape::time_pointer),
      JsonFlag("json-list", "POINTER", "--api-url: list of rows that the other pointers look into",
               &signals::JsonShape::list_pointer),
      JsonFlag("json-unit", "UNIT", signals::kIntensityUnits, &signals::JsonShape::unit),
      {FlagGroup::kSignal, "last-known-limit", "DURATION",
       "how long the last value stands in when a source stops answering (default 1h)",
       DurationOf(
           "last-known-limit",
           [](RunOptions& o, Duration v) { o.scheduler.signal.outage.last_known_limit = v; }),
       [](const RunOptions& o) {
         return std::optional(Milliseconds(o.scheduler.signal.outage.last_known_limit));
       }},
      {FlagGroup::kSignal, "forecast-limit", "DURATION",
       "how long a forecast stands in after that (default 24h; 0: not at all)",
       DurationOf("forecast-limit",
                  [](RunOptions& o, Duration v) { o.scheduler.signal.outage.forecast_limit = v; }),
       [](const RunOptions& o) {
         return std::optional(Milliseconds(o.scheduler.signal.outage.forecast_limit));
       }},
      {FlagGroup::kSignal, "signal-cache", "DIR",
       "where live answers are kept between processes (default the user's cache; none: nowhere)",
       Text([](RunOptions& o, const std::string& v) {
         o.scheduler.signal.cache_directory = v == "none" ? "" : v;
       }),
       [](const RunOptions& o) {
         const std::string& directory = o.scheduler.signal.cache_directory;
         return std::optional(directory.empty() ? std::string("none") : directory);
       }},
      {FlagGroup::kSignal, "api-token-env", "NAME", "environment variable that holds the API token",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.auth_env = v; }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.auth_env.empty(), o.scheduler.signal.auth_env);
       }},
      {FlagGroup::kSignal, "refresh", "DURATION",
       "ask a web address at most this often (default 5m)",
       DurationOf("refresh", [](RunOptions& o, Duration v) { o.scheduler.signal.refresh = v; }),
       [](const RunOptions& o) { return std::optional(Milliseconds(o.scheduler.signal.refresh)); }},
      {FlagGroup::kSignal, "profile-seed", "N",
       "seed of the day-to-day variation of a zone profile",
       Number("profile-seed", 0, 9e15,
              [](RunOptions& o, double v) {
                o.scheduler.signal.seed = static_cast<std::uint64_t>(v);
              }),
       [](const RunOptions& o) { return std::optional(std::to_string(o.scheduler.signal.seed)); }},
  };
}

std::vector<Flag> PriceFlags() {
  return {{FlagGroup::kPrice, "prices", "FILE",
           "what electricity costs: a tariff (YAML) or day-ahead prices (CSV)",
           Text([](RunOptions& o, const std::string& v) { o.scheduler.prices.path = v; }),
           [](const RunOptions& o) {
             return If(!o.scheduler.prices.path.empty(), o.scheduler.prices.path);
           }}};
}

std::vector<Flag> ClockFlags() {
  return {
      {FlagGroup::kClock, "grid-start", "TIME",
       "replay the grid clock from here, e.g. 2023-05-01T00:00Z",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto time = ParseTime(text);
         if (!time)
           return Fail(BadValue("grid-start", text, time.error().what + "; " + time.error().next));
         options.scheduler.clock.start = *time;
         return {};
       },
       [](const RunOptions& o) {
         return o.scheduler.clock.start ? std::optional(FormatTime(*o.scheduler.clock.start))
                                        : std::nullopt;
       }},
      {FlagGroup::kClock, "grid-speed", "FACTOR", "grid seconds per real second, e.g. 60",
       Number("grid-speed", 0.001, 1e6,
              [](RunOptions& o, double v) { o.scheduler.clock.speed = v; }),
       [](const RunOptions& o) {
         return If(o.scheduler.clock.speed != 1, FormatExact(o.scheduler.clock.speed));
       }},
      {FlagGroup::kClock, "skip-waits", nullptr,
       "where the gate would sleep, jump the grid clock forward instead",
       Switch([](RunOptions& o) { o.scheduler.clock.skip_waits = true; }),
       [](const RunOptions& o) { return If(o.scheduler.clock.skip_waits, "true"); }},
  };
}

std::vector<Flag> MeteringFlags() {
  return {
      {FlagGroup::kMetering, "scope", "SCOPE", "process (the run and its children) or machine",
       Choice("scope", {"process", "machine"}, ScopeFromName,
              [](RunOptions& o, core::MeterScope v) { o.metering.scope = v; }),
       [](const RunOptions& o) {
         return If(o.metering.scope == core::MeterScope::kMachine, "machine");
       }},
      {FlagGroup::kMetering, "interval", "DURATION", "time between samples (default 1s)",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto value = ParseDuration(text);
         if (!value || *value < Duration{10} || *value > std::chrono::hours{1})
           return Fail(BadValue("interval", text, "give a duration from 10ms to 1h"));
         options.metering.interval = *value;
         return {};
       },
       [](const RunOptions& o) { return std::optional(Milliseconds(o.metering.interval)); }},
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
       "what is read of RAPL: packages (default), packages+dram, psys (the whole platform), none",
       Choice("rapl", config::RaplUseNames(), config::RaplUseFromName,
              [](RunOptions& o, config::RaplUse v) { o.metering.rapl = v; }),
       [](const RunOptions& o) {
         return If(o.metering.rapl != config::RaplUse::kPackages,
                   std::string(Name(o.metering.rapl)));
       }},
      {FlagGroup::kMetering, "idle", "RULE",
       "sweeps: idle energy of the machine stays apart (default), or is shared by reserved slots",
       Choice("idle", {"apart", "share"}, IdleRuleFromName,
              [](RunOptions& o, bool v) { o.metering.share_idle = v; }),
       [](const RunOptions& o) { return If(o.metering.share_idle, "share"); }},
      {FlagGroup::kMetering, "cpu-idle-power", "WATTS",
       "sweeps: power of all processors with nothing running, where RAPL measures them",
       Number("cpu-idle-power", 0, 10'000,
              [](RunOptions& o, double v) { o.metering.cpu_idle_power = Power{v}; }),
       [](const RunOptions& o) {
         const auto& power = o.metering.cpu_idle_power;
         return power ? std::optional(FormatExact(power->watts)) : std::nullopt;
       }},
      {FlagGroup::kMetering, "cpu-model", "MODEL",
       "power over load where no counter is read: linear (default); codecarbon: its cubic, in "
       "place "
       "of counters too",
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
      {FlagGroup::kMetering, "pue", "RATIO", "facility energy per unit of IT energy (default 1)",
       Number("pue", 1, 10, [](RunOptions& o, double v) { o.metering.pue = {v}; }),
       [](const RunOptions& o) {
         return If(o.metering.pue.ratio != 1, FormatExact(o.metering.pue.ratio));
       }},
  };
}

// The second signal's options, made when the first of its flags is met.
signals::SignalOptions& OtherSignal(RunOptions& options) {
  auto& other = options.metering.other_signal;
  if (!other) other.emplace();
  return *other;
}

// Shows a text of the second signal where there is one.
Show OfOther(std::function<std::optional<std::string>(const signals::SignalOptions&)> text) {
  return [text](const RunOptions& options) {
    const auto& other = options.metering.other_signal;
    return other ? text(*other) : std::nullopt;
  };
}

std::vector<Flag> OtherSignalFlags() {
  return {
      {FlagGroup::kOtherSignal, "other-trace", "FILE",
       "a second signal, of the other kind (average, marginal), from a CSV file: accounted beside "
       "the first, decides nothing",
       Text([](RunOptions& o, const std::string& v) {
         OtherSignal(o).source = signals::SignalSource::kReplay;
         OtherSignal(o).trace_path = v;
       }),
       OfOther([](const auto& other) {
         return If(other.source == signals::SignalSource::kReplay, other.trace_path);
       })},
      {FlagGroup::kOtherSignal, "other-constant", "G_PER_KWH", "a second signal: one value",
       Number("other-constant", 0, 5000,
              [](RunOptions& o, double v) {
                OtherSignal(o).source = signals::SignalSource::kConstant;
                OtherSignal(o).constant = Intensity{v};
              }),
       OfOther([](const auto& other) {
         return other.constant ? std::optional(FormatExact(other.constant->g_per_kwh))
                               : std::nullopt;
       })},
      {FlagGroup::kOtherSignal, "other-signal", "SOURCE", "a second signal: a source by name",
       Choice("other-signal", signals::SignalSourceNames(), signals::SignalSourceFromName,
              [](RunOptions& o, signals::SignalSource v) { OtherSignal(o).source = v; }),
       OfOther([](const auto& other) { return std::optional(std::string(Name(other.source))); })},
      {FlagGroup::kOtherSignal, "other-zone", "ZONE", "zone or region to ask the second signal for",
       Text([](RunOptions& o, const std::string& v) { OtherSignal(o).zone = v; }),
       OfOther([](const auto& other) { return If(!other.zone.empty(), other.zone); })},
      {FlagGroup::kOtherSignal, "other-kind", "KIND", "average or marginal, where it has both",
       Choice("other-kind", {"average", "marginal"}, core::SignalKindFromName,
              [](RunOptions& o, core::SignalKind v) { OtherSignal(o).kind = v; }),
       OfOther([](const auto& other) {
         return other.kind ? std::optional(std::string(core::Name(*other.kind))) : std::nullopt;
       })},
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
       "CO2eq of making the hardware; the run's share is reported apart, in no total",
       Number("embodied-kg", 0, config::kLargestEmbodiedKg,
              [](RunOptions& o, double v) { o.metering.embodied.total.grams = 1000 * v; }),
       [](const RunOptions& o) {
         const double grams = o.metering.embodied.total.grams;
         return If(grams > 0, FormatExact(grams / 1000));
       }},
      {FlagGroup::kMetering, "embodied-lifetime", "DURATION",
       "over which it is spread (default 4 years, 35040h)",
       DurationOf("embodied-lifetime",
                  [](RunOptions& o, Duration v) { o.metering.embodied.lifetime = v; }),
       [](const RunOptions& o) {
         return If(o.metering.embodied.total.grams > 0, Milliseconds(o.metering.embodied.lifetime));
       }},
      {FlagGroup::kMetering, "embodied-share", "SHARE",
       "of the hardware that the run reserves, 0 to 1 (default 1)",
       Number("embodied-share", 1e-9, 1,
              [](RunOptions& o, double v) { o.metering.embodied.share = v; }),
       [](const RunOptions& o) {
         return If(o.metering.embodied.total.grams > 0, FormatExact(o.metering.embodied.share));
       }},
  };
}

std::vector<Flag> BudgetFlags() {
  return {
      {FlagGroup::kBudget, "budget-kwh", "KWH",
       "energy the run may use, PUE included; a warning at 80 %",
       Number(
           "budget-kwh", config::kLeastBudget, config::kLargestBudgetKwh,
           [](RunOptions& o, double v) { o.metering.budget.energy = Energy::Joules(v * 3.6e6); }),
       [](const RunOptions& o) {
         const auto& energy = o.metering.budget.energy;
         return energy ? std::optional(FormatExact(energy->kwh())) : std::nullopt;
       }},
      {FlagGroup::kBudget, "budget-g", "GRAMS", "CO2eq the run may emit; a warning at 80 %",
       Number("budget-g", config::kLeastBudget, config::kLargestBudgetG,
              [](RunOptions& o, double v) { o.metering.budget.emissions = Emissions{v}; }),
       [](const RunOptions& o) {
         const auto& emissions = o.metering.budget.emissions;
         return emissions ? std::optional(FormatExact(emissions->grams)) : std::nullopt;
       }},
      {FlagGroup::kBudget, "on-budget", "WHAT",
       "when it is used up: log; stop: checkpoint and stop, to go on only with more (default); "
       "pause: the same, but ebb resume goes on, through the gate",
       Choice("on-budget", {"log", "stop", "pause"}, core::BudgetActionFromName,
              [](RunOptions& o, core::BudgetAction v) { o.metering.budget.action = v; }),
       [](const RunOptions& o) {
         return If(!o.metering.budget.empty(), std::string(core::Name(o.metering.budget.action)));
       }},
      {FlagGroup::kBudget, "budget-grace", "DURATION",
       "how long the program may take for its checkpoint (default 30s); then it is killed",
       DurationOf("budget-grace", [](RunOptions& o, Duration v) { o.metering.budget.grace = v; }),
       [](const RunOptions& o) {
         return If(!o.metering.budget.empty(), Milliseconds(o.metering.budget.grace));
       }},
  };
}

// A run may be continued from another directory.
std::optional<std::string> Absolute(const std::string& path) {
  std::error_code ignored;
  return If(!path.empty(), std::filesystem::absolute(path, ignored).string());
}

std::vector<Flag> OutputFlags() {
  const Show nothing = [](const RunOptions&) { return std::optional<std::string>(); };
  return {
      {FlagGroup::kOutput, "name", "NAME", "name of the run",
       Text([](RunOptions& o, const std::string& v) { o.name = v; }), nothing},
      {FlagGroup::kOutput, "output-dir", "DIR", "where run directories are made (default runs)",
       Text([](RunOptions& o, const std::string& v) { o.output_dir = v; }), nothing},
      {FlagGroup::kOutput, "run-dir", "DIR", "this run's directory",
       Text([](RunOptions& o, const std::string& v) { o.run_dir = v; }), nothing},
      {FlagGroup::kOutput, "group", "NAME",
       "runs that belong together (default the name); experiment_id in emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.group = v; }), nothing},
      {FlagGroup::kOutput, "region", "NAME", "a label for emissions.csv (default the zone)",
       Text([](RunOptions& o, const std::string& v) { o.location.region = v; }), nothing},
      {FlagGroup::kOutput, "cloud-provider", "NAME", "a label for emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.location.cloud_provider = v; }), nothing},
      {FlagGroup::kOutput, "cloud-region", "NAME", "a label for emissions.csv",
       Text([](RunOptions& o, const std::string& v) { o.location.cloud_region = v; }), nothing},
      {FlagGroup::kOutput, "emissions-file", "FILE",
       "add the run to this emissions.csv of CodeCarbon's 38 columns (docs/codecarbon.md)",
       Text([](RunOptions& o, const std::string& v) { o.emissions_file = v; }),
       [](const RunOptions& o) { return Absolute(o.emissions_file); }},
      {FlagGroup::kOutput, "csv-write", "HOW",
       "append (default): one more row; update: in place of the run's row",
       Choice("csv-write", {"append", "update"}, report::CsvWriteFromName,
              [](RunOptions& o, report::CsvWrite v) { o.csv_write = v; }),
       [](const RunOptions& o) { return If(o.csv_write == report::CsvWrite::kUpdate, "update"); }},
      {FlagGroup::kOutput, "prometheus-file", "FILE",
       "figures for Prometheus while the run lasts (for node_exporter's textfile collector: "
       "*.prom)",
       Text([](RunOptions& o, const std::string& v) { o.prometheus_file = v; }),
       [](const RunOptions& o) { return Absolute(o.prometheus_file); }},
      {FlagGroup::kOutput, "prometheus-url", "URL",
       "push the same to a Pushgateway, e.g. http://localhost:9091",
       Text([](RunOptions& o, const std::string& v) { o.prometheus_url = v; }),
       [](const RunOptions& o) { return If(!o.prometheus_url.empty(), o.prometheus_url); }},
      {FlagGroup::kOutput, "format", "FORMAT", "text (to stderr) or json (to stdout)",
       [](const std::string& text, RunOptions& options) -> Status {
         if (text != "text" && text != "json")
           return Fail(BadValue("format", text, "choose one of text, json"));
         options.json = text == "json";
         return {};
       },
       nothing},
      {FlagGroup::kOutput, "quiet", nullptr, "no progress and no summary",
       Switch([](RunOptions& o) { o.quiet = true; }), nothing},
  };
}

const std::vector<Flag>& AllFlags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> all;
    for (auto part : {GateFlags(), SignalFlags(), PriceFlags(), ClockFlags(), MeteringFlags(),
                      OtherSignalFlags(), FootprintFlags(), BudgetFlags(), OutputFlags()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return flags;
}

const char* Heading(FlagGroup group) {
  switch (group) {
    case FlagGroup::kGate:
      return "When to start";
    case FlagGroup::kSignal:
      return "Grid signal";
    case FlagGroup::kPrice:
      return "Electricity prices";
    case FlagGroup::kClock:
      return "Replayed grid clock";
    case FlagGroup::kMetering:
      return "Measuring";
    case FlagGroup::kOtherSignal:
      return "Second signal";
    case FlagGroup::kBudget:
      return "Budget";
    case FlagGroup::kOutput:
      return "Output";
  }
  return "";
}

// A zone alone chooses by the chain of choose_source.h, as `auto` does; `live` must find a live
// one. A replayed clock has no live sources.
Status SettleSource(const FlagValues& values, RunOptions& options) {
  const auto given = [&](const char* name) { return values.contains(name); };
  const auto named = values.find("signal");
  const bool live = named != values.end() && named->second == "live";
  const bool automatic = named != values.end() && named->second == "auto";
  auto& signal = options.scheduler.signal;
  const bool zone_alone = named == values.end() && given("zone") && !signal.source_named &&
                          signal.source == signals::SignalSource::kProfile &&
                          !given("profile-seed") && !options.scheduler.clock.replayed();
  if (!live && !automatic && !zone_alone) return {};
  if (automatic && options.scheduler.clock.replayed()) {
    signal.source = signals::SignalSource::kProfile;
    return {};
  }
  using signals::ChoiceOf;
  EBB_ASSIGN_OR_RETURN(signal.source, signals::ChooseSource(signal, live ? ChoiceOf::kLiveOnly
                                                                         : ChoiceOf::kAnySource));
  return {};
}

}  // namespace

void AddFlags(Command& command, FlagGroup group, FlagValues& values) {
  for (const Flag& flag : AllFlags()) {
    if (flag.group != group) continue;
    const FlagText text{flag.name, flag.value_name ? flag.value_name : "", flag.help,
                        Heading(group)};
    if (flag.value_name)
      command.Flag(text,
                   [&values, name = flag.name](const std::string& given) { values[name] = given; });
    else
      command.Switch(text, [&values, name = flag.name] { values[name] = "true"; });
  }
}

std::vector<std::string> FlagNames(FlagGroup group) {
  std::vector<std::string> names;
  for (const Flag& flag : AllFlags())
    if (flag.group == group) names.emplace_back(flag.name);
  return names;
}

Status ApplyFlags(const FlagValues& values, RunOptions& options) {
  for (const Flag& flag : AllFlags()) {
    const auto given = values.find(flag.name);
    if (given != values.end()) EBB_RETURN_IF_ERROR(flag.apply(given->second, options));
  }
  EBB_RETURN_IF_ERROR(signals::SettleZone(options.scheduler.signal));
  EBB_RETURN_IF_ERROR(SettleSource(values, options));
  // A threshold without a policy can only mean the threshold policy.
  if (values.contains("threshold") && !values.contains("policy"))
    options.scheduler.policy = config::GatePolicyKind::kThreshold;
  return {};
}

FlagValues ToFlags(const RunOptions& options) {
  FlagValues values;
  for (const Flag& flag : AllFlags()) {
    if (auto text = flag.show(options)) values[flag.name] = *text;
  }
  return values;
}

Status Validate(const RunOptions& options) {
  if (const std::string wrong = options.scheduler.PriceContradiction(); !wrong.empty())
    return Fail({ExitCode::kConfiguration, wrong, "", "docs/prices.md"});
  return ValidateSignal(options);
}

Status ValidateSignal(const RunOptions& options) {
  const auto& scheduler = options.scheduler;
  const core::Budget unset;
  const core::Budget& budget = options.metering.budget;
  if (budget.empty() && (budget.action != unset.action || budget.grace != unset.grace))
    return Fail({ExitCode::kConfiguration,
                 "--on-budget and --budget-grace say what happens to a budget, and there is none",
                 "", "give --budget-kwh or --budget-g"});
  if (config::NeedsForecast(scheduler.policy) &&
      scheduler.signal.source == signals::SignalSource::kHttp &&
      scheduler.signal.json.list_pointer.empty())
    return Fail({ExitCode::kConfiguration,
                 "policy " + std::string(Name(scheduler.policy)) +
                     " needs a forecast, and --api-url has none",
                 "", "use --policy threshold, or a trace or zone profile"});
  if (scheduler.signal.source == signals::SignalSource::kReplay && !scheduler.clock.start)
    return Fail({ExitCode::kConfiguration,
                 "a trace lies in the past, and the grid clock shows today", "",
                 "say where in the trace to begin with --grid-start"});
  const auto& other = options.metering.other_signal;
  const bool other_source_given = other && (other->constant || !other->trace_path.empty() ||
                                            signals::IsLive(other->source) || !other->zone.empty());
  if (other && !other_source_given)
    return Fail({ExitCode::kConfiguration, "nothing says where the second signal comes from", "",
                 "give --other-trace, --other-constant, or --other-signal with --other-zone"});
  if (other && signals::IsLive(other->source) && scheduler.clock.replayed())
    return Fail({ExitCode::kConfiguration, "a live source cannot be replayed", "",
                 "give a second signal that covers the replayed time: --other-trace"});
  const core::Embodied& embodied = options.metering.embodied;
  if (embodied.lifetime <= Duration::zero())
    return Fail({ExitCode::kConfiguration, "--embodied-lifetime must be longer than nothing", "",
                 "give what the hardware is used for in all, e.g. 35040h"});
  if (embodied.total.grams == 0 &&
      (embodied.share != 1 || embodied.lifetime != config::kDefaultLifetime))
    return Fail({ExitCode::kConfiguration,
                 "--embodied-lifetime and --embodied-share need the emissions of making it", "",
                 "give --embodied-kg"});
  if (signals::IsLive(scheduler.signal.source) && scheduler.clock.replayed())
    return Fail({ExitCode::kConfiguration, "a live source cannot be replayed", "",
                 "leave out --grid-start, --grid-speed and --skip-waits, or use --trace"});
  return {};
}

core::GridClockSettings ClockSettings(const config::GridClockConfig& clock, Time begin) {
  return {clock.replayed(), begin, clock.speed, clock.skip_waits};
}

meter::MeterOptions MeterOptionsFor(const config::MeteringConfig& metering) {
  meter::MeterOptions options = meter::OptionsFromEnvironment();
  options.scope = metering.scope;
  if (metering.cpu_tdp) options.cpu_tdp_w = metering.cpu_tdp->watts;
  if (metering.ram_power) options.ram_power_w = metering.ram_power->watts;
  const bool curve = metering.cpu_model == config::CpuModel::kCodeCarbon;
  if (curve) options.cpu_curve = meter::LoadCurve::kCodeCarbon;
  options.gpu_ids = metering.gpu_ids;
  options.use_rapl = metering.rapl != config::RaplUse::kNone && !curve;
  options.include_dram = metering.rapl == config::RaplUse::kPackagesAndDram;
  options.use_psys = metering.rapl == config::RaplUse::kPsys;
  return options;
}

}  // namespace ebb::cli
