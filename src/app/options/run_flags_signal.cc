// Flags for the source of intensity: the signal that decides, its providers and the use of their
// answers, and the second signal beside it.

#include "app/options/flag_values.h"
#include "app/options/run_flags.h"
#include "config/neo_clock.h"
#include "core/signal_choices.h"
#include "signals/choose_source.h"

namespace ebb::app::run_flags {
namespace {

std::string SourceNames() { return Join(signals::SignalSourceNames(), ", "); }

void SetOnly(signals::SignalSource source, RunOptions& options) {
  options.scheduler.signal.source = source;
  options.scheduler.signal.fallbacks.clear();
}

// ApplyFlags resolves `auto` and `live` later, when the zone and the clock are known.
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

std::optional<std::string> NameOf(const signals::MarketOptions& market) {
  return If(market.service != signals::MarketService::kNone, std::string(Name(market.service)));
}

Status SetPublication(const std::string& text, RunOptions& options) {
  EBB_ASSIGN_OR_RETURN(options.scheduler.signal.publication, PublicationOf(text));
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

// A boundary that one may ask for: a signal may also have an unknown one.
std::optional<core::Boundary> ChosenBoundary(std::string_view name) {
  const auto boundary = core::BoundaryFromName(name);
  return boundary == core::Boundary::kUnknown ? std::nullopt : boundary;
}

// The options of the second signal, created by the first of its flags.
signals::SignalOptions& OtherSignal(RunOptions& options) {
  auto& other = options.metering.other_signal;
  if (!other) other.emplace();
  return *other;
}

// Shows a text of the second signal if there is one.
Show OfOther(const std::function<std::optional<std::string>(const signals::SignalOptions&)>& text) {
  return [text](const RunOptions& options) {
    const auto& other = options.metering.other_signal;
    return other ? text(*other) : std::nullopt;
  };
}

}  // namespace

std::vector<Flag> SignalFlags() {
  return {
      {FlagGroup::kSignal, "zone", "ZONE",
       "grid zone, e.g. US-CAL-CISO, DE, GB; or a cloud region, e.g. aws/us-west-2; cloud: this "
       "machine's region, from its metadata service; neo: NEO's table (default: EBB_ZONE, then the "
       "settings, then a guess, which is marked as one)",
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
       "for a trace: auto (default), archived (as published then), history (the zone's own past), "
       "perfect "
       "(the future itself), weather (always with --weather)",
       Choice("forecast", signals::ForecastModeNames(), signals::ForecastModeFromName,
              [](RunOptions& o, signals::ForecastMode v) { o.scheduler.signal.forecast = v; }),
       [](const RunOptions& o) {
         return std::optional(std::string(Name(o.scheduler.signal.forecast)));
       }},
      {FlagGroup::kSignal, "publication-lag", "DURATION", kPublicationLagHelp, SetPublication,
       [](const RunOptions& o) {
         const auto& publication = o.scheduler.signal.publication;
         return publication ? std::optional(core::ToText(*publication)) : std::nullopt;
       }},
      {FlagGroup::kSignal, "weather", "open-meteo|gfs|FOLDER|FILE",
       "forecast from the weather, too: of Open-Meteo, of NOAA's GFS or of a folder of its files "
       "with a "
       "live source, of such a folder or a file of archived runs with a trace (docs/weather.md)",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.weather.Choose(v); }),
       [](const RunOptions& o) {
         const signals::WeatherOptions& weather = o.scheduler.signal.weather;
         return weather.service != signals::WeatherService::kNone
                    ? std::optional(std::string(Name(weather.service)))
                    : If(!weather.path.empty(), weather.path);
       }},
      {FlagGroup::kSignal, "weather-points", "PLACES",
       "with --weather: where to look at it, as latitude,longitude with semicolons "
       "between "
       "places (default: a table of zones)",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.weather.points = v; }),
       [](const RunOptions& o) {
         const std::string& points = o.scheduler.signal.weather.points;
         return If(!points.empty(), points);
       }},
      {FlagGroup::kSignal, "weather-url", "URL", "--weather open-meteo or gfs: another server",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.weather.url = v; }),
       [](const RunOptions& o) {
         const std::string& url = o.scheduler.signal.weather.url;
         return If(!url.empty(), url);
       }},
      {FlagGroup::kSignal, "operators", "entso-e|oasis",
       "with a live source: forecast from what operators expect of load, wind and sun, too "
       "(docs/forecast.md)",
       Choice("operators", signals::OperatorServiceNames(), signals::MarketServiceFromName,
              [](RunOptions& o, signals::MarketService v) {
                o.scheduler.signal.live_operators.service = v;
              }),
       [](const RunOptions& o) { return NameOf(o.scheduler.signal.live_operators); }},
      {FlagGroup::kSignal, "operators-url", "URL", "--operators: another server",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.live_operators.url = v; }),
       [](const RunOptions& o) {
         const std::string& url = o.scheduler.signal.live_operators.url;
         return If(!url.empty(), url);
       }},
      {FlagGroup::kSignal, "forecast-prices", "entso-e|energy-charts|oasis",
       "with a live source: forecast from day-ahead prices, too (docs/forecast.md)",
       Choice("forecast-prices", signals::PriceServiceNames(), signals::MarketServiceFromName,
              [](RunOptions& o, signals::MarketService v) {
                o.scheduler.signal.live_prices.service = v;
              }),
       [](const RunOptions& o) { return NameOf(o.scheduler.signal.live_prices); }},
      {FlagGroup::kSignal, "forecast-prices-url", "URL", "--forecast-prices: another server",
       Text([](RunOptions& o, const std::string& v) { o.scheduler.signal.live_prices.url = v; }),
       [](const RunOptions& o) {
         const std::string& url = o.scheduler.signal.live_prices.url;
         return If(!url.empty(), url);
       }},
      {FlagGroup::kSignal, "constant", "G_PER_KWH", "a constant intensity",
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
  };
}

std::vector<Flag> ProviderFlags() {
  return {
      {FlagGroup::kSignal, "api-url", "URL", "latest intensity from a web address (JSON)",
       Text([](RunOptions& o, const std::string& v) {
         SetOnly(signals::SignalSource::kHttp, o);
         o.scheduler.signal.url = v;
       }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.url.empty(), o.scheduler.signal.url);
       }},
      {FlagGroup::kSignal, "signal-command", "PROGRAM",
       "a program and its arguments, between blanks, that prints intensity (docs/signals.md)",
       Text([](RunOptions& o, const std::string& v) {
         SetOnly(signals::SignalSource::kCommand, o);
         o.scheduler.signal.command = v;
       }),
       [](const RunOptions& o) {
         return If(!o.scheduler.signal.command.empty(), o.scheduler.signal.command);
       }},
      {FlagGroup::kSignal, "signal", "SOURCE",
       "auto (by zone; default), live (by zone, or an error), " + SourceNames() +
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
      {FlagGroup::kSignal, "signal-kind", "KIND",
       Join(core::SignalKindNames(), " or ") + ", where the source has both",
       Choice("signal-kind", core::SignalKindNames(), core::SignalKindFromName,
              [](RunOptions& o, core::SignalKind v) { o.scheduler.signal.kind = v; }),
       [](const RunOptions& o) {
         const auto& kind = o.scheduler.signal.kind;
         return kind ? std::optional(std::string(core::Name(*kind))) : std::nullopt;
       }},
      {FlagGroup::kSignal, "signal-boundary", "BOUNDARY",
       Join(core::BoundaryChoices(), " or ") + ", where the source has both",
       Choice("signal-boundary", core::BoundaryChoices(), ChosenBoundary,
              [](RunOptions& o, core::Boundary v) { o.scheduler.signal.boundary = v; }),
       [](const RunOptions& o) {
         const auto& boundary = o.scheduler.signal.boundary;
         return boundary ? std::optional(std::string(core::Name(*boundary))) : std::nullopt;
       }},
  };
}

std::vector<Flag> AnswerFlags() {
  return {
      JsonFlag("json-value", "POINTER", "--api-url: JSON pointer to the value, e.g. /data/0/value",
               &signals::JsonShape::value_pointer),
      JsonFlag("json-time", "POINTER", "--api-url: JSON pointer to the time the value begins",
               &signals::JsonShape::time_pointer),
      JsonFlag("json-list", "POINTER", "--api-url: list of rows that the other pointers look into",
               &signals::JsonShape::list_pointer),
      JsonFlag("json-unit", "UNIT", signals::kIntensityUnits, &signals::JsonShape::unit),
      {FlagGroup::kSignal, "last-known-limit", "DURATION",
       "how long to use the last value when a source stops answering (default 1h)",
       DurationOf(
           "last-known-limit",
           [](RunOptions& o, Duration v) { o.scheduler.signal.outage.last_known_limit = v; }),
       [](const RunOptions& o) {
         return std::optional(FormatExact(o.scheduler.signal.outage.last_known_limit));
       }},
      {FlagGroup::kSignal, "forecast-limit", "DURATION",
       "how long to use a forecast after that (default 24h; 0: not at all)",
       DurationOf("forecast-limit",
                  [](RunOptions& o, Duration v) { o.scheduler.signal.outage.forecast_limit = v; }),
       [](const RunOptions& o) {
         return std::optional(FormatExact(o.scheduler.signal.outage.forecast_limit));
       }},
      {FlagGroup::kSignal, "signal-cache", "DIR",
       "directory that keeps live answers between processes (default: your cache directory; none: "
       "nowhere)",
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
       [](const RunOptions& o) { return std::optional(FormatExact(o.scheduler.signal.refresh)); }},
      {FlagGroup::kSignal, "neo-time-zone", "ZONE",
       "--zone neo: the clock whose hours its table has, e.g. Europe/Berlin, UTC, UTC+05:30 "
       "(default: yours)",
       [](const std::string& text, RunOptions& options) -> Status {
         const auto clock = config::NeoClockOf(text);
         if (!clock)
           return Fail(
               BadValue("neo-time-zone", text, clock.error().what + "; " + clock.error().next));
         options.scheduler.signal.neo_clock = *clock;
         return {};
       },
       [](const RunOptions& o) {
         const signals::SignalOptions& signal = o.scheduler.signal;
         return If(signal.zone == signals::kNeoProfile, signal.neo_clock.name);
       }},
      {FlagGroup::kSignal, "profile-seed", "N",
       "seed of the day-to-day variation of a zone profile (default 1)",
       Number("profile-seed", 0, 9e15,
              [](RunOptions& o, double v) {
                o.scheduler.signal.seed = static_cast<std::uint64_t>(v);
              }),
       [](const RunOptions& o) { return std::optional(std::to_string(o.scheduler.signal.seed)); }},
  };
}

std::vector<Flag> OtherSignalFlags() {
  return {
      {FlagGroup::kOtherSignal, "other-trace", "FILE",
       "a second signal, of the other kind (" + Join(core::SignalKindNames(), ", ") +
           "), from a CSV file: reported beside "
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
      {FlagGroup::kOtherSignal, "other-kind", "KIND",
       Join(core::SignalKindNames(), " or ") + ", where it has both",
       Choice("other-kind", core::SignalKindNames(), core::SignalKindFromName,
              [](RunOptions& o, core::SignalKind v) { OtherSignal(o).kind = v; }),
       OfOther([](const auto& other) {
         return other.kind ? std::optional(std::string(core::Name(*other.kind))) : std::nullopt;
       })},
  };
}

}  // namespace ebb::app::run_flags
