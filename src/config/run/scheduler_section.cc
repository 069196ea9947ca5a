#include "config/run/scheduler_section.h"

#include <algorithm>

#include "base/check.h"
#include "config/neo_clock.h"
#include "plan/make_policy.h"
#include "signals/make_markets.h"
#include "signals/make_weather.h"

namespace ebb::config {
namespace {

using signals::SignalOptions;
using signals::SignalSource;

constexpr Duration kNeoLongestWait = std::chrono::hours{1};

Given<std::string> TextOf(const SchedulerKeys& keys, std::string_view key) {
  return keys.options.Of<std::string>(key);
}

// The value of a key with two spellings: either may be given, or both with the same value.
template <typename T>
Given<T> EitherOf(const Given<T>& a, const char* name_a, const Given<T>& b, const char* name_b,
                  Problems& problems) {
  if (a && b && *a != *b)
    problems.Add(b.line, std::string(name_a) + " (line " + std::to_string(a.line) + ") and " +
                             name_b + " mean the same and differ: leave one out");
  return a ? a : b;
}

// The policy of the gate. enabled: false and wait_for_low_carbon: false both mean that the gate
// does not wait. `enabled` is a switch that overrules any policy; with wait_for_low_carbon: false,
// a policy that would wait is a contradiction.
plan::GatePolicyKind ResolvePolicy(const SchedulerKeys& keys, Problems& problems) {
  if (keys.enabled && !*keys.enabled) return plan::GatePolicyKind::kNow;
  const bool waits = keys.wait_for_low_carbon.value_or(false);
  const Given<std::string> given = TextOf(keys, "policy");
  if (!given) return waits ? plan::GatePolicyKind::kThreshold : plan::GatePolicyKind::kNow;
  const auto policy = plan::GatePolicyKindFromName(*given);
  EBB_CHECK(policy.has_value());
  if (keys.wait_for_low_carbon && waits != (*policy != plan::GatePolicyKind::kNow))
    problems.Add(given.line, "policy: " + *given +
                                 " contradicts wait_for_low_carbon: " + (waits ? "true" : "false") +
                                 " (line " + std::to_string(keys.wait_for_low_carbon.line) +
                                 "): leave one out");
  return *policy;
}

// The source that Ebb's own keys name, if any.
std::optional<SignalSource> NamedSource(const SchedulerKeys& keys) {
  if (const auto signal = TextOf(keys, "signal"))
    return signals::SignalSourcesFromText(*signal)->front();
  if (keys.options.Has("trace")) return SignalSource::kReplay;
  if (keys.options.Has("signal_command")) return SignalSource::kCommand;
  if (keys.options.Has("constant")) return SignalSource::kConstant;
  return std::nullopt;
}

// The source that NEO's keys mean. NEO uses its mock data unless told otherwise, even if an address
// is given. Ebb uses the address unless mock data is asked for explicitly, and mock data never
// replaces an address.
SignalSource SourceOfNeoKeys(const SchedulerKeys& keys, const Given<std::string>& url,
                             Problems& problems, std::vector<std::string>& notes) {
  const bool mock = keys.use_mock_data.value_or(false);
  if (url && keys.use_mock_data && mock)
    notes.push_back("use_mock_data is true: the address " + *url +
                    " is not asked, and the intensity is modelled");
  if (url && !mock) return SignalSource::kHttp;
  if (keys.use_mock_data && !mock && !keys.options.Has("zone"))
    problems.Add(keys.use_mock_data.line,
                 "use_mock_data is false, and nothing says where the intensity comes from instead: "
                 "give api_url, trace, zone or constant");
  return SignalSource::kProfile;
}

// Refuses keys that the chosen source does not use, because they would silently do nothing.
void CheckUsed(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  keys.options.RefuseUnused(source, problems);
  if (keys.neo_utc_offset_hours && source != SignalSource::kProfile)
    problems.Add(keys.neo_utc_offset_hours.line,
                 "neo_utc_offset_hours has no meaning for signal " +
                     std::string(signals::Name(source)) + ", only for " +
                     std::string(signals::Name(SignalSource::kProfile)));
  CheckOneNeoClock(keys.neo_utc_offset_hours.line, keys.options.LineOf("neo_time_zone"), problems);
}

// Requires the keys that the source needs.
void CheckNeeded(const SchedulerKeys& keys, SignalSource source, const Given<std::string>& url,
                 Problems& problems) {
  const Given<std::string> signal = TextOf(keys, "signal");
  const auto need = [&](const char* key) {
    problems.Add(signal.line, "signal " + *signal + " needs the key " + key);
  };
  if (source == SignalSource::kReplay && !keys.options.Has("trace")) need("trace");
  if (source == SignalSource::kConstant && !keys.options.Has("constant")) need("constant");
  if (source == SignalSource::kHttp && !url) need("api_url");
  if (source == SignalSource::kCarbonAwareSdk && !url) need("api_url");
  const bool asks_for_zone = source == SignalSource::kElectricityMaps ||
                             source == SignalSource::kWattTime ||
                             source == SignalSource::kCarbonAwareSdk;
  if (asks_for_zone && !keys.options.Has("zone")) need("zone");
}

// A program may also be the fallback source if another source fails.
void CheckCommand(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  const Given<std::string> signal = TextOf(keys, "signal");
  const Given<std::string> command = TextOf(keys, "signal_command");
  std::vector<SignalSource> sources{source};
  if (signal) sources = *signals::SignalSourcesFromText(*signal);
  const bool asked = std::ranges::find(sources, SignalSource::kCommand) != sources.end();
  if (command && !asked)
    problems.Add(command.line, "signal_command has no meaning for signal " +
                                   std::string(signals::Name(source)) + ", only for command");
  if (asked && !command)
    problems.Add(signal.line, "signal " + *signal + " needs the key signal_command");
}

void NoteOverruled(const SchedulerKeys& keys, SignalSource source, const Given<std::string>& url,
                   std::vector<std::string>& notes) {
  const Given<std::string> zone = TextOf(keys, "zone");
  const std::string chosen = "signal " + std::string(signals::Name(source)) + " is used";
  if (source != SignalSource::kProfile && keys.use_mock_data && *keys.use_mock_data)
    notes.push_back(chosen + ": use_mock_data is overruled");
  if (source == SignalSource::kProfile && zone && *zone != signals::kNeoProfile &&
      keys.use_mock_data && *keys.use_mock_data)
    notes.push_back("the profile of zone " + *zone +
                    " is used: use_mock_data would mean NEO's table and is overruled");
  if (NamedSource(keys) && !signals::IsLive(source) && url)
    notes.push_back(chosen + ": the address " + *url + " is not asked");
}

std::string ResolveZone(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  if (const auto zone = TextOf(keys, "zone")) return *zone;
  const bool neo = keys.use_mock_data.value_or(false);
  if (source == SignalSource::kProfile) return neo ? std::string(signals::kNeoProfile) : "";
  // NEO reads `location` but does not use it. Here it names the zone of an address.
  const auto location = EitherOf(keys.location, "location", keys.region, "region", problems);
  return source == SignalSource::kHttp ? location.value_or("") : "";
}

// The last line of the given keys; 0 if the file has none of them.
int LastLineOf(const SchedulerKeys& keys, std::initializer_list<const char*> names) {
  int last = 0;
  for (const char* name : names) last = std::max(last, keys.options.LineOf(name));
  return last;
}

// A zone without a source is resolved later.
void CheckServices(const SchedulerKeys& keys, const SignalOptions& signal, Problems& problems) {
  if (!signal.source_named) return;
  if (const auto use = signals::CheckWeatherUse(signal); !use)
    problems.Add(LastLineOf(keys, {"weather", "weather_points", "weather_url"}),
                 use.error().what + ": " + use.error().next);
  if (const auto use = signals::CheckMarketUse(signal); !use)
    problems.Add(
        LastLineOf(keys, {"operators", "operators_url", "forecast_prices", "forecast_prices_url"}),
        use.error().what + ": " + use.error().next);
}

// `signal` has the options that need nothing but their value.
void ResolveSignal(const SchedulerKeys& keys, SignalOptions& signal, Problems& problems,
                   std::vector<std::string>& notes) {
  const auto url =
      EitherOf(TextOf(keys, "api_url"), "api_url", keys.api_endpoint, "api_endpoint", problems);
  const auto named = NamedSource(keys);
  signal.source = named ? *named : SourceOfNeoKeys(keys, url, problems, notes);
  signal.source_named = named.has_value();
  CheckUsed(keys, signal.source, problems);
  CheckNeeded(keys, signal.source, url, problems);
  CheckCommand(keys, signal.source, problems);
  NoteOverruled(keys, signal.source, url, notes);
  signal.zone = ResolveZone(keys, signal.source, problems);
  if (keys.neo_utc_offset_hours)
    signal.neo_clock = FixedNeoClock(DurationFromSeconds(*keys.neo_utc_offset_hours * 3600));
  CheckServices(keys, signal, problems);
  signal.url = signals::IsLive(signal.source) ? url.value_or("") : "";
}

void CheckClock(const SchedulerKeys& keys, const SchedulerConfig& config, Problems& problems) {
  if (signals::IsLive(config.signal.source) && config.clock.replayed())
    problems.Add(LastLineOf(keys, {"grid_start", "grid_speed", "skip_waits"}),
                 "a live source cannot be replayed: leave out grid_start, grid_speed and "
                 "skip_waits, or give a trace");
}

}  // namespace

std::vector<KeyRule> SchedulerRules(SchedulerKeys& keys) {
  std::vector<KeyRule> rules{
      ReadBool("enabled", keys.enabled),
      ReadBool("wait_for_low_carbon", keys.wait_for_low_carbon),
      ReadDuration("max_wait_seconds", keys.max_wait_seconds, Duration::zero()),
      ReadBool("use_mock_data", keys.use_mock_data),
      ReadText("api_endpoint", keys.api_endpoint),
      ReadText("location", keys.location),
      ReadText("region", keys.region),
      ReadNumber("neo_utc_offset_hours", keys.neo_utc_offset_hours, {-14, 14}),
  };
  for (KeyRule& rule : keys.options.Rules()) rules.push_back(std::move(rule));
  return rules;
}

SchedulerConfig ResolveScheduler(const SchedulerKeys& keys, Problems& problems,
                                 std::vector<std::string>& notes) {
  RunOptions options;
  keys.options.Apply(options);
  SchedulerConfig config = std::move(options.scheduler);
  config.policy = ResolvePolicy(keys, problems);
  const auto start_by = EitherOf(keys.options.Of<Duration>("start_by"), "start_by",
                                 keys.max_wait_seconds, "max_wait_seconds", problems);
  // Files with NEO's keys get NEO's default.
  const bool is_neo = keys.wait_for_low_carbon && !start_by;
  config.longest_wait = is_neo ? kNeoLongestWait : start_by.value_or(config.longest_wait);
  ResolveSignal(keys, config.signal, problems, notes);
  if (const std::string wrong = config.PriceContradiction(); !wrong.empty())
    problems.Add(LastLineOf(keys, {"price_weight", "price_threshold"}), wrong);
  CheckClock(keys, config, problems);
  if (NeedsForecast(config.policy) && config.signal.source == SignalSource::kHttp &&
      config.signal.json.list_pointer.empty())
    problems.Add(keys.options.LineOf("policy"),
                 "policy " + std::string(Name(config.policy)) +
                     " needs a forecast, and a live address has none: use threshold");
  return config;
}

}  // namespace ebb::config
