// Options of the source of intensity: the signal that decides, its providers and the use of their
// answers.

#include "base/text.h"
#include "config/neo_clock.h"
#include "config/options/option_groups.h"
#include "config/options/option_member.h"
#include "core/signal/signal_choices.h"

namespace ebb::config {
namespace {

using core::OptionValue;
using signals::SignalOptions;
using signals::SignalSource;

constexpr OptionGroup kSignal = OptionGroup::kSignal;
constexpr SignalUse kLive{{}, true};

template <typename T>
OptionMember OfSignal(T SignalOptions::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.signal.*member; });
}
template <typename T>
OptionMember OfWeather(T signals::WeatherOptions::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.signal.weather.*member; });
}
OptionMember OfJson(std::string signals::JsonShape::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.signal.json.*member; });
}
OptionMember OfOutage(Duration signals::OutageRules::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.signal.outage.*member; });
}

OptionMember Trace() {
  OptionMember member = OfSignal(&SignalOptions::trace_path);
  member.get = [](const RunOptions& o) -> std::optional<OptionValue> {
    const SignalOptions& signal = o.scheduler.signal;
    if (signal.source != SignalSource::kReplay) return std::nullopt;
    return signal.trace_path;
  };
  return member;
}

OptionMember Constant() {
  OptionMember member = OfSignal(&SignalOptions::constant);
  member.get = [](const RunOptions& o) -> std::optional<OptionValue> {
    const SignalOptions& signal = o.scheduler.signal;
    if (signal.source != SignalSource::kConstant) return std::nullopt;
    return ValueOf(signal.constant);
  };
  return member;
}

OptionMember Sources() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            EBB_ASSIGN_OR_RETURN(const std::vector<SignalSource> sources,
                                 signals::SignalSourcesFromText(std::get<std::string>(value)));
            SignalOptions& signal = o.scheduler.signal;
            signal.source = sources.front();
            signal.fallbacks.assign(sources.begin() + 1, sources.end());
            signal.source_named = true;
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            return signals::NamesOfSources(o.scheduler.signal);
          }};
}

OptionMember PublicationLag() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            EBB_ASSIGN_OR_RETURN(o.scheduler.signal.publication,
                                 core::PublicationFromText(std::get<std::string>(value)));
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const auto& publication = o.scheduler.signal.publication;
            if (!publication) return std::nullopt;
            return core::ToText(*publication);
          }};
}

OptionMember Weather() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            o.scheduler.signal.weather.Choose(std::get<std::string>(value));
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const signals::WeatherOptions& weather = o.scheduler.signal.weather;
            if (weather.service != signals::WeatherService::kNone) return NameOf(weather.service);
            return UnlessEmpty(weather.path);
          }};
}

OptionMember Market(signals::MarketOptions SignalOptions::*market) {
  return Named(
      [market](auto& o) -> auto& { return (o.scheduler.signal.*market).service; },
      signals::MarketServiceFromName);
}
OptionMember MarketUrl(signals::MarketOptions SignalOptions::*market) {
  return Member([market](auto& o) -> auto& { return (o.scheduler.signal.*market).url; });
}

OptionMember Cache() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            const auto& directory = std::get<std::string>(value);
            o.scheduler.signal.cache_directory = directory == "none" ? "" : directory;
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const std::string& directory = o.scheduler.signal.cache_directory;
            return directory.empty() ? std::string("none") : directory;
          }};
}

OptionMember NeoTimeZone() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            EBB_ASSIGN_OR_RETURN(o.scheduler.signal.neo_clock,
                                 NeoClockOf(std::get<std::string>(value)));
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const SignalOptions& signal = o.scheduler.signal;
            if (signal.zone != signals::kNeoProfile) return std::nullopt;
            return UnlessEmpty(signal.neo_clock.name);
          }};
}

std::vector<std::string> IntensityUnits() {
  std::vector<std::string> units;
  for (const std::string_view unit : Split(signals::kIntensityUnits, ','))
    units.emplace_back(Trim(unit));
  return units;
}

// The forecast of the signal -------------------------------------------------------------------

std::vector<RunOption> ForecastOptions() {
  return {
      {.group = kSignal,
       .field = Text(Flag("zone", "ZONE"), "zone",
                     "grid zone, e.g. US-CAL-CISO, DE, GB; or a cloud region, e.g. aws/us-west-2; "
                     "cloud: this machine's region, from its metadata service; neo: NEO's table "
                     "(default: EBB_ZONE, then the settings, then a guess, which is marked as "
                     "one)"),
       .member = OfSignal(&SignalOptions::zone),
       .section = kSchedulerSection,
       .setting = {"zone", "EBB_ZONE"}},
      {.group = kSignal,
       .field = Text(Flag("trace", "FILE"), "trace",
                     "replay intensity from a CSV file (.csv or .csv.gz)"),
       .member = Trace(),
       .section = kSchedulerSection,
       .selects = SignalSource::kReplay,
       .used_by = {SignalSource::kReplay}},
      {.group = kSignal,
       .field = Choice(Flag("forecast", "MODE"), "forecast",
                       "for a trace: auto (default), archived (as published then), history (the "
                       "zone's own past), perfect (the future itself), weather (always with "
                       "--weather)",
                       signals::ForecastModeNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.signal.forecast; },
           signals::ForecastModeFromName),
       .section = kSchedulerSection,
       .otherwise = "auto",
       .used_by = {SignalSource::kReplay},
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Text(Flag("publication-lag", "DURATION"), "publication_lag",
                     "for a trace: how long after its end an interval was published (default 1h "
                     "where it was measured); none: known as it begins"),
       .member = PublicationLag(),
       .section = kSchedulerSection,
       .otherwise = "1h where it was measured",
       .flag_error = FlagError::kNamed,
       .used_by = {SignalSource::kReplay}},
      {.group = kSignal,
       .field = Text(Flag("weather", "open-meteo|gfs|FOLDER|FILE"), "weather",
                     "forecast from the weather, too: of Open-Meteo, of NOAA's GFS or of a folder "
                     "of its files with a live source, of such a folder or a file of archived runs "
                     "with a trace (docs/weather.md)"),
       .member = Weather(),
       .section = kSchedulerSection},
      {.group = kSignal,
       .field = Text(Flag("weather-points", "PLACES"), "weather_points",
                     "with --weather: where to look at it, as latitude,longitude with semicolons "
                     "between places (default: a table of zones)"),
       .member = OfWeather(&signals::WeatherOptions::points),
       .section = kSchedulerSection,
       .otherwise = "a table of zones"},
      {.group = kSignal,
       .field = Text(Flag("weather-url", "URL"), "weather_url",
                     "--weather open-meteo or gfs: another server"),
       .member = OfWeather(&signals::WeatherOptions::url),
       .section = kSchedulerSection,
       .otherwise = "the service's"},
      {.group = kSignal,
       .field = Choice(Flag("operators", "entso-e|oasis"), "operators",
                       "with a live source: forecast from what operators expect of load, wind and "
                       "sun, too (docs/forecast.md)",
                       signals::OperatorServiceNames()),
       .member = Market(&SignalOptions::live_operators),
       .section = kSchedulerSection,
       .setting = {"operators"}},
      {.group = kSignal,
       .field = Text(Flag("operators-url", "URL"), "operators_url", "--operators: another server"),
       .member = MarketUrl(&SignalOptions::live_operators),
       .section = kSchedulerSection,
       .otherwise = "the service's"},
      {.group = kSignal,
       .field = Choice(Flag("forecast-prices", "entso-e|energy-charts|oasis"), "forecast_prices",
                       "with a live source: forecast from day-ahead prices, too "
                       "(docs/forecast.md)",
                       signals::PriceServiceNames()),
       .member = Market(&SignalOptions::live_prices),
       .section = kSchedulerSection,
       .setting = {"forecast_prices"}},
      {.group = kSignal,
       .field = Text(Flag("forecast-prices-url", "URL"), "forecast_prices_url",
                     "--forecast-prices: another server"),
       .member = MarketUrl(&SignalOptions::live_prices),
       .section = kSchedulerSection,
       .otherwise = "the service's"},
  };
}

// The source -----------------------------------------------------------------------------------

std::vector<RunOption> SourceOptions() {
  return {
      {.group = kSignal,
       .field = Number(Flag("constant", "G_PER_KWH"), "constant", "a constant intensity", "", 0,
                       core::kMostIntensity),
       .member = Constant(),
       .section = kSchedulerSection,
       .selects = SignalSource::kConstant,
       .used_by = {SignalSource::kConstant}},
      {.group = kSignal,
       .field =
           Text(Flag("api-url", "URL"), "api_url", "latest intensity from a web address (JSON)"),
       .member = OfSignal(&SignalOptions::url),
       .section = kSchedulerSection,
       .setting = {"api_url"},
       .selects = SignalSource::kHttp},
      {.group = kSignal,
       .field = Text(Flag("signal-command", "PROGRAM"), "signal_command",
                     "a program and its arguments, between blanks, that prints intensity "
                     "(docs/signals.md)"),
       .member = OfSignal(&SignalOptions::command),
       .section = kSchedulerSection,
       .setting = {"signal_command"},
       .selects = SignalSource::kCommand},
      {.group = kSignal,
       .field = Text(Flag("signal", "SOURCE"), "signal",
                     "auto (by zone; default), live (by zone, or an error), " +
                         Join(signals::SignalSourceNames(), ", ") +
                         "; several with commas: the next when one fails; a provider's --api-url "
                         "is another server of it"),
       .member = Sources(),
       .section = kSchedulerSection,
       .setting = {"signal"},
       .otherwise = "auto",
       .flag_words = {"auto", "live"},
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Text(Flag("api-token-file", "FILE"), "api_token_file",
                     "file whose first line is the API token"),
       .member = OfSignal(&SignalOptions::auth_file),
       .section = kSchedulerSection,
       .setting = {"api_token_file", "", true},
       .used_by = kLive},
      {.group = kSignal,
       .field = Choice(Flag("signal-kind", "KIND"), "kind",
                       Join(core::SignalKindNames(), " or ") + ", where the source has both",
                       core::SignalKindNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.signal.kind; }, core::SignalKindFromName),
       .section = kSchedulerSection,
       .setting = {"signal_kind"},
       .otherwise = "the source's"},
      {.group = kSignal,
       .field = Choice(Flag("signal-boundary", "BOUNDARY"), "boundary",
                       Join(core::BoundaryChoices(), " or ") + ", where the source has both",
                       core::BoundaryChoices()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.signal.boundary; }, core::BoundaryFromName),
       .section = kSchedulerSection,
       .setting = {"signal_boundary"},
       .otherwise = "the source's"},
      {.group = kSignal,
       .field = Text({}, "api_token_header", "header that carries the API token", "auth-token"),
       .member = OfSignal(&SignalOptions::auth_header),
       .section = kSchedulerSection,
       .used_by = {SignalSource::kHttp}},
  };
}

// The answers of live sources, and the profile of a zone ---------------------------------------

RunOption JsonPointer(const char* flag, const char* key, const char* meaning,
                      std::string signals::JsonShape::*member) {
  return {.group = kSignal,
          .field = Text(Flag(flag, "POINTER"), key, meaning),
          .member = OfJson(member),
          .section = kSchedulerSection,
          .setting = {key},
          .used_by = {SignalSource::kHttp}};
}

std::vector<RunOption> AnswerOptions() {
  using signals::JsonShape;
  return {
      JsonPointer("json-value", "json_value",
                  "--api-url: JSON pointer to the value, e.g. /data/0/value",
                  &JsonShape::value_pointer),
      JsonPointer("json-time", "json_time", "--api-url: JSON pointer to the time the value begins",
                  &JsonShape::time_pointer),
      JsonPointer("json-list", "json_list",
                  "--api-url: list of rows that the other pointers look into",
                  &JsonShape::list_pointer),
      {.group = kSignal,
       .field = Choice(Flag("json-unit", "UNIT"), "json_unit", signals::kIntensityUnits,
                       IntensityUnits()),
       .member = OfJson(&JsonShape::unit),
       .section = kSchedulerSection,
       .setting = {"json_unit"},
       .otherwise = "g/kWh",
       .used_by = {SignalSource::kHttp}},
      {.group = kSignal,
       .field = Span(Flag("last-known-limit", "DURATION"), "last_known_limit",
                     "how long to use the last value when a source stops answering", "1h"),
       .member = OfOutage(&signals::OutageRules::last_known_limit),
       .section = kSchedulerSection,
       .used_by = {SignalSource::kReplay, true},
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Span(Flag("forecast-limit", "DURATION"), "forecast_limit",
                     "how long to use a forecast after that (default 24h; 0: not at all)", ""),
       .member = OfOutage(&signals::OutageRules::forecast_limit),
       .section = kSchedulerSection,
       .otherwise = "24h",
       .used_by = {SignalSource::kReplay, true},
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Text(Flag("signal-cache", "DIR"), "signal_cache",
                     "directory that keeps live answers between processes (default: your cache "
                     "directory; none: nowhere)"),
       .member = Cache(),
       .section = kSchedulerSection,
       .setting = {"signal_cache", "", true},
       .otherwise = "the user's cache",
       .used_by = kLive,
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Text(Flag("api-token-env", "NAME"), "api_token_env",
                     "environment variable that holds the API token"),
       .member = OfSignal(&SignalOptions::auth_env),
       .section = kSchedulerSection,
       .setting = {"api_token_env"},
       .used_by = kLive},
      {.group = kSignal,
       .field = Span(Flag("refresh", "DURATION"), "check_interval",
                     "ask a web address at most this often", "5m", 0.1),
       .member = OfSignal(&SignalOptions::refresh),
       .section = kSchedulerSection,
       .accepts = "a duration from 100ms on, for example 30s or 5m",
       .stored = Stored::kAlways},
      {.group = kSignal,
       .field = Text(Flag("neo-time-zone", "ZONE"), "neo_time_zone",
                     "--zone neo: the clock whose hours its table has, e.g. Europe/Berlin, UTC, "
                     "UTC+05:30 (default: yours)"),
       .member = NeoTimeZone(),
       .section = kSchedulerSection,
       .otherwise = "yours",
       .used_by = {SignalSource::kProfile}},
      {.group = kSignal,
       .field =
           ByFlag(Flag("profile-seed", "N"),
                  core::Whole("profile_seed", "seed of the day-to-day variation of a zone profile",
                              "1", "", 0, 9e15)),
       .member = OfSignal(&SignalOptions::seed),
       .section = kSchedulerSection,
       .used_by = {SignalSource::kProfile},
       .stored = Stored::kAlways},
  };
}

}  // namespace

std::vector<RunOption> SignalTable() {
  std::vector<RunOption> all;
  for (auto part : {ForecastOptions(), SourceOptions(), AnswerOptions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace ebb::config
