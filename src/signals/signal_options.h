#pragma once
// Which grid signal to use, as plain values: what the command line and the configuration file fill
// in and MakeFeed (make_feed.h) reads.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "core/intensity.h"
#include "core/price_series.h"
#include "core/publication.h"
#include "signals/feeds/outage_rules.h"
#include "signals/markets/market_options.h"
#include "signals/providers/json_address.h"
#include "signals/traces/operator_forecast.h"
#include "signals/weather/weather_options.h"

namespace ebb::signals {

enum class SignalSource {
  kReplay,         ///< a CSV trace
  kProfile,        ///< typical days of a zone, modelled; or NEO's table
  kConstant,       ///< one value
  kYearlyAverage,  ///< the mean of a country
  kHttp,           ///< a web address that answers with JSON
  kElectricityMaps,
  kUkCarbonIntensity,
  kWattTime,
  kCarbonAwareSdk,
  kEnergyCharts,
  kCaiso,
  kNyiso,
  kErcot,
  kMiso,
  kSpp,
  kIeso,
  kOpenElectricity,
  kEia930,
  kEntsoe,
  kCommand,  ///< a program that prints rows
};
/// "replay", "profile", "constant", "yearly-average", "http", "electricity-maps",
/// "uk-carbon-intensity", "watttime", "carbon-aware-sdk", "energy-charts", "caiso",
/// "nyiso", "ercot", "miso", "spp", "ieso", "openelectricity", "eia-930", "entso-e", "command".
std::string_view Name(SignalSource source);
std::optional<SignalSource> SignalSourceFromName(std::string_view name);
std::vector<std::string> SignalSourceNames();
/// Asked over a network while the clock is the wall clock.
bool IsLive(SignalSource source);

/// "electricity-maps, profile" -> both; an Error names what is no source, or is given twice.
Result<std::vector<SignalSource>> SignalSourcesFromText(std::string_view text);

/// Where a replayed trace takes its forecast from.
enum class ForecastMode {
  kAuto,      ///< archived where the file has it, history beyond and otherwise
  kArchived,  ///< only forecasts that had been published by then
  kHistory,   ///< from the zone's own past, and its weather where that has the better record
  kPerfect,   ///< the trace's own future: an upper bound, not attainable in practice
  kWeather,   ///< always with the weather, whatever the record says
};
/// "auto", "archived", "history", "perfect", "weather".
std::string_view Name(ForecastMode mode);
std::optional<ForecastMode> ForecastModeFromName(std::string_view name);

/// What stands in, with a warning, where nobody named a zone and a program that trains must not be
/// refused for it (libebb); and what stored options of earlier versions mean.
inline constexpr std::string_view kFallbackZone = "US-CAL-CISO";
/// The profile that is NEO's 24-value table instead of a zone.
inline constexpr std::string_view kNeoProfile = "neo";

/// The clock whose hours those of NEO's table are.
struct NeoClock {
  std::string name{};  ///< "Europe/Berlin", "UTC+05:30"; empty: nobody has said, which is UTC
  std::function<Duration(Time)> utc_offset{};  ///< local time minus UTC; empty: 0
};

/// Where a secret is: an environment variable, or a file whose first line it is.
struct SecretPlace {
  std::string env, file;
  bool empty() const { return env.empty() && file.empty(); }
};

struct SignalOptions {
  SignalSource source = SignalSource::kProfile;
  /// Asked in this order when `source` fails (chain_feed.h).
  std::vector<SignalSource> fallbacks{};
  /// The user named the source: a zone alone does not change it (choose_source.h).
  bool source_named = false;
  /// profile: a zone of ProfileZones() or "neo"; not empty. Providers: the zone, region
  /// or location to ask for. Others: a label; empty: what the source says itself.
  std::string zone;
  /// Where a zone came from that nobody named as such, for people: a cloud region
  /// (choose_source.h), a variable, a guess (app/options/missing_zone.h).
  std::string zone_origin;
  std::string trace_path;  ///< replay
  std::string how_to_get;  ///< replay: said where the trace is not there
  ForecastMode forecast = ForecastMode::kAuto;
  std::optional<core::Publication> publication;  ///< replay: absent: the usual one (replay_feed.h)
  WeatherOptions weather{};
  /// Replay: what electricity costs in the zone, each price from its publication on, for the
  /// forecast: cheap hours of a market are clean ones. Null: not known.
  std::shared_ptr<const core::PriceSeries> prices{};
  /// Replay: what the zone's operators expected of load, wind and sun, likewise.
  std::shared_ptr<const OperatorForecast> operators{};
  /// Live sources: who is asked for the same, for the forecast.
  MarketOptions live_operators{}, live_prices{};
  std::optional<core::SignalKind> kind;    ///< replay, constant, http, carbon-aware-sdk: overrules
  std::optional<core::Boundary> boundary;  ///< replay, http: overrules; electricity-maps: asked for
  std::uint64_t seed = 1;                  ///< profile: day-to-day variation
  NeoClock neo_clock{};                    ///< profile "neo"
  std::optional<Intensity> constant;       ///< constant
  // Live sources
  std::string command;                        ///< command: the program and its arguments
  std::string url;                            ///< http: the address; providers: another server
  Duration refresh{std::chrono::minutes{5}};  ///< asked at most once in this time
  std::string auth_env;                       ///< environment variable that holds the token
  std::string auth_file;                      ///< or the file whose first line does
  std::string auth_token;                     ///< or the token itself; neither shown nor stored
  // Where the secrets of providers are if neither these nor the provider's own variables say. Not
  // for another server (url); neither shown nor stored.
  SecretPlace electricity_maps_secret{}, watttime_secret{}, entsoe_secret{}, eia_secret{};
  std::string auth_header = "auth-token";  ///< http: header that carries the token
  JsonShape json;                          ///< http: where in the answer the values are
  OutageRules outage;
  /// Where answers are kept between processes; "auto": the user's cache directory; "": nowhere.
  std::string cache_directory = "auto";
};

/// The source and its fallbacks, in order.
std::vector<SignalSource> SourcesOf(const SignalOptions& options);
/// "electricity-maps,profile".
std::string NamesOfSources(const SignalOptions& options);
/// Those of one of them alone. An address belongs to the one that needs one, or else to the first.
SignalOptions LinkOptions(const SignalOptions& options, std::size_t link);

}  // namespace ebb::signals
