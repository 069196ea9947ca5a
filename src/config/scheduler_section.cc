#include "config/scheduler_section.h"

#include <algorithm>

#include "base/check.h"
#include "config/neo_clock.h"
#include "config/policy_name.h"
#include "config/publication_key.h"
#include "core/options/field_builders.h"
#include "core/signal_choices.h"
#include "plan/make_policy.h"
#include "signals/make_markets.h"
#include "signals/make_weather.h"

namespace ebb::config {
namespace {

using signals::SignalOptions;
using signals::SignalSource;

constexpr Duration kNeoLongestWait = std::chrono::hours{1};
constexpr double kHighestPrice = 100'000;
constexpr double kNoLimit = 9e15;

// Reads one source, or several in the order in which they are asked.
KeyRule ReadSources(const std::string& name, Given<std::string>& out) {
  KeyRule text = ReadText(name, out);
  const auto read = text.read;
  text.read = [name, &out, read](const YamlNode& value, Problems& problems) {
    read(value, problems);
    if (!out) return;
    const auto sources = signals::SignalSourcesFromText(*out);
    if (sources) return;
    problems.Add(out.line, name + ": " + sources.error().what + ": " + sources.error().next);
    out = {};
  };
  return text;
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
  if (!keys.policy) return waits ? plan::GatePolicyKind::kThreshold : plan::GatePolicyKind::kNow;
  const auto policy = plan::GatePolicyKindFromName(*keys.policy);
  EBB_CHECK(policy.has_value());
  if (keys.wait_for_low_carbon && waits != (*policy != plan::GatePolicyKind::kNow))
    problems.Add(keys.policy.line,
                 "policy: " + *keys.policy +
                     " contradicts wait_for_low_carbon: " + (waits ? "true" : "false") + " (line " +
                     std::to_string(keys.wait_for_low_carbon.line) + "): leave one out");
  return *policy;
}

// The source that Ebb's own keys name, if any.
std::optional<SignalSource> NamedSource(const SchedulerKeys& keys) {
  if (keys.signal) return signals::SignalSourcesFromText(*keys.signal)->front();
  if (keys.trace) return SignalSource::kReplay;
  if (keys.signal_command) return SignalSource::kCommand;
  if (keys.constant) return SignalSource::kConstant;
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
  if (keys.use_mock_data && !mock && !keys.zone)
    problems.Add(keys.use_mock_data.line,
                 "use_mock_data is false, and nothing says where the intensity comes from instead: "
                 "give api_url, trace, zone or constant");
  return SignalSource::kProfile;
}

// Refuses keys that the chosen source does not use, because they would silently do nothing.
void CheckUsed(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  const auto only_for = [&](const auto& given, const char* key, SignalSource needed) {
    if (given && source != needed)
      problems.Add(given.line, std::string(key) + " has no meaning for signal " +
                                   std::string(signals::Name(source)) + ", only for " +
                                   std::string(signals::Name(needed)));
  };
  only_for(keys.trace, "trace", SignalSource::kReplay);
  only_for(keys.forecast, "forecast", SignalSource::kReplay);
  only_for(keys.publication_lag, "publication_lag", SignalSource::kReplay);
  only_for(keys.constant, "constant", SignalSource::kConstant);
  only_for(keys.profile_seed, "profile_seed", SignalSource::kProfile);
  only_for(keys.neo_utc_offset_hours, "neo_utc_offset_hours", SignalSource::kProfile);
  only_for(keys.neo_time_zone, "neo_time_zone", SignalSource::kProfile);
  CheckOneNeoClock(keys.neo_utc_offset_hours, keys.neo_time_zone, problems);
  only_for(keys.api_token_header, "api_token_header", SignalSource::kHttp);
  only_for(keys.json_value, "json_value", SignalSource::kHttp);
  only_for(keys.json_time, "json_time", SignalSource::kHttp);
  only_for(keys.json_list, "json_list", SignalSource::kHttp);
  only_for(keys.json_unit, "json_unit", SignalSource::kHttp);
  const auto only_live = [&](const auto& given, const char* key) {
    if (given && !signals::IsLive(source))
      problems.Add(given.line, std::string(key) + " has no meaning for signal " +
                                   std::string(signals::Name(source)) + ", only for live ones");
  };
  only_live(keys.api_token_env, "api_token_env");
  only_live(keys.api_token_file, "api_token_file");
  only_live(keys.signal_cache, "signal_cache");
  // A replay also has values that are not published yet.
  if (source == SignalSource::kReplay) return;
  only_live(keys.last_known_limit, "last_known_limit");
  only_live(keys.forecast_limit, "forecast_limit");
}

// Requires the keys that the source needs.
void CheckNeeded(const SchedulerKeys& keys, SignalSource source, const Given<std::string>& url,
                 Problems& problems) {
  const auto need = [&](const char* key) {
    problems.Add(keys.signal.line, "signal " + *keys.signal + " needs the key " + key);
  };
  if (source == SignalSource::kReplay && !keys.trace) need("trace");
  if (source == SignalSource::kConstant && !keys.constant) need("constant");
  if (source == SignalSource::kHttp && !url) need("api_url");
  if (source == SignalSource::kCarbonAwareSdk && !url) need("api_url");
  const bool asks_for_zone = source == SignalSource::kElectricityMaps ||
                             source == SignalSource::kWattTime ||
                             source == SignalSource::kCarbonAwareSdk;
  if (asks_for_zone && !keys.zone) need("zone");
}

// A program may also be the fallback source if another source fails.
void CheckCommand(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  std::vector<SignalSource> sources{source};
  if (keys.signal) sources = *signals::SignalSourcesFromText(*keys.signal);
  const bool asked = std::ranges::find(sources, SignalSource::kCommand) != sources.end();
  if (keys.signal_command && !asked)
    problems.Add(keys.signal_command.line, "signal_command has no meaning for signal " +
                                               std::string(signals::Name(source)) +
                                               ", only for command");
  if (asked && !keys.signal_command)
    problems.Add(keys.signal.line, "signal " + *keys.signal + " needs the key signal_command");
}

void NoteOverruled(const SchedulerKeys& keys, SignalSource source, const Given<std::string>& url,
                   std::vector<std::string>& notes) {
  const std::string chosen = "signal " + std::string(signals::Name(source)) + " is used";
  if (source != SignalSource::kProfile && keys.use_mock_data && *keys.use_mock_data)
    notes.push_back(chosen + ": use_mock_data is overruled");
  if (source == SignalSource::kProfile && keys.zone && *keys.zone != signals::kNeoProfile &&
      keys.use_mock_data && *keys.use_mock_data)
    notes.push_back("the profile of zone " + *keys.zone +
                    " is used: use_mock_data would mean NEO's table and is overruled");
  if (NamedSource(keys) && !signals::IsLive(source) && url)
    notes.push_back(chosen + ": the address " + *url + " is not asked");
}

std::string ResolveZone(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  if (keys.zone) return *keys.zone;
  const bool neo = keys.use_mock_data.value_or(false);
  if (source == SignalSource::kProfile) return neo ? std::string(signals::kNeoProfile) : "";
  // NEO reads `location` but does not use it. Here it names the zone of an address.
  const auto location = EitherOf(keys.location, "location", keys.region, "region", problems);
  return source == SignalSource::kHttp ? location.value_or("") : "";
}

void ResolveWeather(const SchedulerKeys& keys, SignalOptions& signal, Problems& problems) {
  if (keys.weather) signal.weather.Choose(*keys.weather);
  signal.weather.points = keys.weather_points.value_or("");
  signal.weather.url = keys.weather_url.value_or("");
  if (!signal.source_named) return;  // a zone without a source is resolved later
  if (const auto use = signals::CheckWeatherUse(signal); !use)
    problems.Add(std::max({keys.weather.line, keys.weather_points.line, keys.weather_url.line}),
                 use.error().what + ": " + use.error().next);
}

signals::MarketOptions MarketOf(const Given<std::string>& service, const Given<std::string>& url) {
  signals::MarketOptions market;
  if (service) market.service = *signals::MarketServiceFromName(*service);
  market.url = url.value_or("");
  return market;
}

void ResolveMarkets(const SchedulerKeys& keys, SignalOptions& signal, Problems& problems) {
  signal.live_operators = MarketOf(keys.operators, keys.operators_url);
  signal.live_prices = MarketOf(keys.forecast_prices, keys.forecast_prices_url);
  if (!signal.source_named) return;  // a zone without a source is resolved later
  if (const auto use = signals::CheckMarketUse(signal); !use)
    problems.Add(std::max({keys.operators.line, keys.operators_url.line, keys.forecast_prices.line,
                           keys.forecast_prices_url.line}),
                 use.error().what + ": " + use.error().next);
}

SignalOptions ResolveSignal(const SchedulerKeys& keys, Problems& problems,
                            std::vector<std::string>& notes) {
  const auto url = EitherOf(keys.api_url, "api_url", keys.api_endpoint, "api_endpoint", problems);
  const auto named = NamedSource(keys);
  SignalOptions signal;
  signal.source = named ? *named : SourceOfNeoKeys(keys, url, problems, notes);
  CheckUsed(keys, signal.source, problems);
  CheckNeeded(keys, signal.source, url, problems);
  CheckCommand(keys, signal.source, problems);
  NoteOverruled(keys, signal.source, url, notes);
  signal.zone = ResolveZone(keys, signal.source, problems);
  signal.trace_path = keys.trace.value_or("");
  signal.command = keys.signal_command.value_or("");
  if (keys.forecast) signal.forecast = *signals::ForecastModeFromName(*keys.forecast);
  signal.publication = keys.publication_lag.value;
  if (keys.kind) signal.kind = core::SignalKindFromName(*keys.kind);
  if (keys.boundary) signal.boundary = core::BoundaryFromName(*keys.boundary);
  if (keys.profile_seed) signal.seed = static_cast<std::uint64_t>(*keys.profile_seed);
  if (keys.neo_utc_offset_hours)
    signal.neo_clock = FixedNeoClock(DurationFromSeconds(*keys.neo_utc_offset_hours * 3600));
  if (keys.neo_time_zone) signal.neo_clock = *NeoClockOf(*keys.neo_time_zone);
  if (keys.constant) signal.constant = Intensity{*keys.constant};
  signal.source_named = named.has_value();
  if (keys.signal) {
    const auto sources = *signals::SignalSourcesFromText(*keys.signal);
    signal.fallbacks.assign(sources.begin() + 1, sources.end());
  }
  ResolveWeather(keys, signal, problems);
  ResolveMarkets(keys, signal, problems);
  if (signals::IsLive(signal.source)) signal.url = url.value_or("");
  signal.auth_file = keys.api_token_file.value_or("");
  signal.json = {keys.json_value.value_or(""), keys.json_time.value_or(""),
                 keys.json_list.value_or(""), keys.json_unit.value_or(signal.json.unit)};
  signal.outage.last_known_limit = keys.last_known_limit.value_or(signal.outage.last_known_limit);
  signal.outage.forecast_limit = keys.forecast_limit.value_or(signal.outage.forecast_limit);
  if (keys.signal_cache)
    signal.cache_directory = *keys.signal_cache == "none" ? "" : *keys.signal_cache;
  signal.refresh = keys.check_interval.value_or(signal.refresh);
  signal.auth_env = keys.api_token_env.value_or("");
  signal.auth_header = keys.api_token_header.value_or(signal.auth_header);
  return signal;
}

GridClockConfig ResolveClock(const SchedulerKeys& keys, SignalSource source, Problems& problems) {
  GridClockConfig clock;
  clock.start = keys.grid_start.value;
  clock.speed = keys.grid_speed.value_or(1);
  clock.skip_waits = keys.skip_waits.value_or(false);
  if (signals::IsLive(source) && clock.replayed())
    problems.Add(std::max({keys.grid_start.line, keys.grid_speed.line, keys.skip_waits.line}),
                 "a live source cannot be replayed: leave out grid_start, grid_speed and "
                 "skip_waits, or give a trace");
  return clock;
}

}  // namespace

std::vector<KeyRule> SchedulerRules(SchedulerKeys& keys) {
  return {
      ReadBool("enabled", keys.enabled),
      ReadNumber("carbon_threshold", keys.carbon_threshold, {0, core::kMostIntensity}),
      ReadBool("wait_for_low_carbon", keys.wait_for_low_carbon),
      ReadDuration("max_wait_seconds", keys.max_wait_seconds, Duration::zero()),
      ReadDuration("check_interval", keys.check_interval, std::chrono::seconds{1}),
      ReadBool("use_mock_data", keys.use_mock_data),
      ReadText("api_url", keys.api_url),
      ReadText("api_endpoint", keys.api_endpoint),
      ReadText("location", keys.location),
      ReadText("region", keys.region),
      ReadPolicyName("policy", keys.policy, plan::GatePolicyKindNames()),
      ReadDuration("start_by", keys.start_by, Duration::zero()),
      Formerly("estimated_run_time",
               ReadDuration("duration", keys.duration, std::chrono::seconds{1})),
      ReadChoice("on_deadline", keys.on_deadline, plan::AtDeadlineNames()),
      ReadChoice("on_outage", keys.on_outage, core::OnOutageNames()),
      ReadSources("signal", keys.signal),
      ReadText("zone", keys.zone),
      ReadText("trace", keys.trace),
      ReadChoice("forecast", keys.forecast, signals::ForecastModeNames()),
      ReadPublicationLag(keys.publication_lag),
      ReadText("weather", keys.weather),
      ReadText("weather_points", keys.weather_points),
      ReadText("weather_url", keys.weather_url),
      ReadChoice("operators", keys.operators, signals::OperatorServiceNames()),
      ReadText("operators_url", keys.operators_url),
      ReadChoice("forecast_prices", keys.forecast_prices, signals::PriceServiceNames()),
      ReadText("forecast_prices_url", keys.forecast_prices_url),
      ReadText("signal_command", keys.signal_command),
      ReadNumber("constant", keys.constant, {0, core::kMostIntensity}),
      ReadChoice("kind", keys.kind, core::SignalKindNames()),
      ReadChoice("boundary", keys.boundary, core::BoundaryChoices()),
      ReadInteger("profile_seed", keys.profile_seed, {0, kNoLimit}),
      ReadNumber("neo_utc_offset_hours", keys.neo_utc_offset_hours, {-14, 14}),
      ReadNeoClock("neo_time_zone", keys.neo_time_zone),
      ReadText("api_token_env", keys.api_token_env),
      ReadText("api_token_header", keys.api_token_header),
      ReadText("api_token_file", keys.api_token_file),
      ReadText("json_value", keys.json_value),
      ReadText("json_time", keys.json_time),
      ReadText("json_list", keys.json_list),
      ReadChoice("json_unit", keys.json_unit, {"g/kWh", "kg/kWh", "kg/MWh", "t/MWh", "lb/MWh"}),
      ReadDuration("last_known_limit", keys.last_known_limit, Duration::zero()),
      ReadDuration("forecast_limit", keys.forecast_limit, Duration::zero()),
      ReadText("signal_cache", keys.signal_cache),
      ReadText("prices", keys.prices),
      ReadNumber("price_weight", keys.price_weight, {0, 1}),
      ReadNumber("price_threshold", keys.price_threshold, {-kHighestPrice, kHighestPrice}),
      ReadTime("grid_start", keys.grid_start),
      ReadNumber("grid_speed", keys.grid_speed, {0.001, 1e6}),
      ReadBool("skip_waits", keys.skip_waits),
  };
}

SchedulerConfig ResolveScheduler(const SchedulerKeys& keys, Problems& problems,
                                 std::vector<std::string>& notes) {
  SchedulerConfig config;
  config.policy = ResolvePolicy(keys, problems);
  if (keys.carbon_threshold) config.threshold = {*keys.carbon_threshold};
  const auto start_by =
      EitherOf(keys.start_by, "start_by", keys.max_wait_seconds, "max_wait_seconds", problems);
  // Files with NEO's keys get NEO's default.
  const bool is_neo = keys.wait_for_low_carbon && !start_by;
  config.longest_wait = is_neo ? kNeoLongestWait : start_by.value_or(config.longest_wait);
  config.duration = keys.duration.value;
  if (keys.on_deadline) config.on_deadline = *plan::AtDeadlineFromName(*keys.on_deadline);
  if (keys.on_outage) config.on_outage = *core::OnOutageFromName(*keys.on_outage);
  config.signal = ResolveSignal(keys, problems, notes);
  config.prices = {keys.prices.value_or(""), keys.price_weight.value_or(0),
                   keys.price_threshold.value};
  if (const std::string wrong = config.PriceContradiction(); !wrong.empty())
    problems.Add(std::max(keys.price_weight.line, keys.price_threshold.line), wrong);
  config.clock = ResolveClock(keys, config.signal.source, problems);
  if (NeedsForecast(config.policy) && config.signal.source == SignalSource::kHttp &&
      config.signal.json.list_pointer.empty())
    problems.Add(keys.policy.line,
                 "policy " + std::string(Name(config.policy)) +
                     " needs a forecast, and a live address has none: use threshold");
  return config;
}

}  // namespace ebb::config
