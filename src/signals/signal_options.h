#pragma once
// The choice of a grid signal as plain values: the command line and the configuration file fill
// them in, and MakeFeed (make_feed.h) reads them.

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
#include "core/signal/intensity.h"
#include "core/signal/price_series.h"
#include "core/signal/publication.h"
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
/// Whether the source is asked over a network or by a program while the clock is the wall clock.
bool IsLive(SignalSource source);

/// "electricity-maps, profile" -> both. Errors: a name that is not a source, a source that is given
/// twice.
Result<std::vector<SignalSource>> SignalSourcesFromText(std::string_view text);

/// The origin of a replayed trace's forecast.
enum class ForecastMode {
  kAuto,      ///< archived if the file has a forecast, history beyond and otherwise
  kArchived,  ///< only forecasts that were published by then
  kHistory,   ///< the zone's own past, with its weather if that has the better record
  kPerfect,   ///< the trace's own future: an upper bound, not attainable in practice
  kWeather,   ///< always with the weather, whatever the record
};
/// The names: "auto", "archived", "history", "perfect", "weather".
std::string_view Name(ForecastMode mode);
std::optional<ForecastMode> ForecastModeFromName(std::string_view name);
std::vector<std::string> ForecastModeNames();

/// The zone that libebb uses, with a warning, if nobody named one, because a program that trains
/// must not be refused for it. Stored options of earlier versions without a zone mean it, too.
inline constexpr std::string_view kFallbackZone = "US-CAL-CISO";
/// The profile that is NEO's 24-value table instead of a zone.
inline constexpr std::string_view kNeoProfile = "neo";

/// The local clock of the hours in NEO's table.
struct NeoClock {
  std::string name{};  ///< "Europe/Berlin", "UTC+05:30"; empty: not given, so UTC
  std::function<Duration(Time)> utc_offset{};  ///< local time minus UTC; empty: 0
};

/// The place of a secret: an environment variable, or a file with the secret in its first line.
struct SecretPlace {
  std::string env, file;
  bool empty() const { return env.empty() && file.empty(); }
};

struct SignalOptions {
  SignalSource source = SignalSource::kProfile;
  /// Sources that are asked in this order when `source` fails (chain_feed.h).
  std::vector<SignalSource> fallbacks{};
  /// Whether the user named the source: then a zone alone does not change it (choose_source.h).
  bool source_named = false;
  /// profile: a zone of ProfileZones() or "neo"; not empty. Providers: the zone, region or location
  /// to ask for. Others: a label; empty: the source's own.
  std::string zone;
  /// For people: the origin of a zone that the user did not name directly: a cloud region
  /// (choose_source.h), a variable, a guess (app/options/missing_zone.h).
  std::string zone_origin;
  std::string trace_path;  ///< replay
  std::string how_to_get;  ///< replay: advice in case the trace is missing
  ForecastMode forecast = ForecastMode::kAuto;
  std::optional<core::Publication> publication;  ///< replay: absent: the usual one (replay_feed.h)
  WeatherOptions weather{};
  /// Replay: electricity prices of the zone, each known from its publication on, for the forecast:
  /// cheap hours of a market are clean ones. Null: not known.
  std::shared_ptr<const core::PriceSeries> prices{};
  /// Replay: operators' forecasts of load, wind and sun, each known from its publication on.
  std::shared_ptr<const OperatorForecast> operators{};
  /// Live sources: the services that are asked for operators' forecasts and prices.
  MarketOptions live_operators{}, live_prices{};
  std::optional<core::SignalKind> kind;    ///< replay, constant, http, carbon-aware-sdk: overrules
  std::optional<core::Boundary> boundary;  ///< replay, http: overrules; electricity-maps: asked for
  std::uint64_t seed = 1;                  ///< profile: day-to-day variation
  NeoClock neo_clock{};                    ///< profile "neo"
  std::optional<Intensity> constant;       ///< constant
  // The following options are for live sources.
  std::string command;                        ///< command: the program and its arguments
  std::string url;                            ///< http: the address; providers: another server
  Duration refresh{std::chrono::minutes{5}};  ///< shortest time between two questions
  std::string auth_env;                       ///< environment variable that holds the token
  std::string auth_file;                      ///< file with the token in its first line
  std::string auth_token;                     ///< the token itself; neither shown nor stored
  // The places of providers' secrets if neither the options above nor the provider's own variable
  // give one. Never used for another server (url); neither shown nor stored.
  SecretPlace electricity_maps_secret{}, watttime_secret{}, entsoe_secret{}, eia_secret{};
  std::string auth_header = "auth-token";  ///< http: header that carries the token
  JsonShape json;                          ///< http: the place of the values in the answer
  OutageRules outage;
  /// Where answers are kept between processes. "auto": the user's cache directory; "": nowhere.
  std::string cache_directory = "auto";
};

/// The source and its fallbacks, in order.
std::vector<SignalSource> SourcesOf(const SignalOptions& options);
/// For example "electricity-maps,profile".
std::string NamesOfSources(const SignalOptions& options);
/// The options of one link alone. An address belongs to the first source that needs one, or else to
/// the first source.
SignalOptions LinkOptions(const SignalOptions& options, std::size_t link);

}  // namespace ebb::signals
