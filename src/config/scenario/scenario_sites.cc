#include "config/scenario/scenario_sites.h"

#include <algorithm>
#include <limits>

#include "config/neo_clock.h"
#include "config/publication_key.h"
#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "core/devices/device_profile.h"
#include "core/options/field_builders.h"
#include "core/signal/signal_choices.h"
#include "signals/choose_source.h"
#include "signals/feeds/profile_feed.h"

namespace ebb::config {
namespace {

using signals::SignalOptions;
using signals::SignalSource;

constexpr double kNoLimit = 9e15;

struct SiteKeys {
  Given<std::string> name, zone, trace, how_to_get, profile, kind, boundary, prices, neo_time_zone;
  Given<std::string> weather, operators;
  Given<Duration> weather_lag;
  Given<core::Publication> publication_lag;
  Given<double> constant, pue, neo_utc_offset_hours;
  Given<std::int64_t> seed;
};

std::vector<KeyRule> SiteRules(SiteKeys& keys) {
  return {
      ReadText("name", keys.name),
      ReadText("zone", keys.zone),
      ReadText("trace", keys.trace),
      ReadText("how_to_get", keys.how_to_get),
      ReadPublicationLag(keys.publication_lag),
      ReadText("weather", keys.weather),
      ReadDuration("weather_lag", keys.weather_lag, Duration{0}),
      ReadText("profile", keys.profile),
      ReadNumber("constant_g_per_kwh", keys.constant, {0, core::kMostIntensity}),
      ReadInteger("seed", keys.seed, {0, kNoLimit}),
      ReadNumber("neo_utc_offset_hours", keys.neo_utc_offset_hours, {-14, 14}),
      ReadNeoClock("neo_time_zone", keys.neo_time_zone),
      ReadChoice("kind", keys.kind, core::SignalKindNames()),
      ReadChoice("boundary", keys.boundary, core::BoundaryChoices()),
      ReadNumber("pue", keys.pue, {1, 10}),
      ReadText("prices", keys.prices),
      ReadText("operators", keys.operators),
  };
}

void CheckSource(const SiteKeys& keys, int line, Problems& problems) {
  const int sources = static_cast<int>(bool{keys.trace}) + static_cast<int>(bool{keys.profile}) +
                      static_cast<int>(bool{keys.constant});
  if (sources != 1)
    problems.Add(line,
                 "a site needs exactly one of trace (a CSV file), profile (a zone's typical days, "
                 "modelled) and constant_g_per_kwh");
  if (keys.how_to_get && !keys.trace)
    problems.Add(keys.how_to_get.line, "how_to_get is for traces only");
  if (keys.publication_lag && !keys.trace)
    problems.Add(keys.publication_lag.line,
                 "publication_lag is for traces only: the rest is generated");
  if (keys.weather && !keys.trace)
    problems.Add(keys.weather.line, "weather is for traces only: a generated signal knows none");
  if (keys.weather_lag && !keys.weather)
    problems.Add(keys.weather_lag.line, "weather_lag needs weather: a file of archived runs");
  if (keys.operators && !keys.trace)
    problems.Add(keys.operators.line,
                 "operators is for traces only: nobody expects anything of a generated signal");
  if (keys.seed && !keys.profile) problems.Add(keys.seed.line, "seed is for profiles only");
  CheckOneNeoClock(keys.neo_utc_offset_hours, keys.neo_time_zone, problems);
  if (!keys.profile) return;
  if (signals::HasProfile(*keys.profile)) return;
  const Error none = signals::NoProfileOf(*keys.profile);
  problems.Add(keys.profile.line, none.what + "; " + none.next);
}

SignalOptions SignalOf(const SiteKeys& keys, const std::string& directory) {
  SignalOptions signal;
  signal.source = keys.trace      ? SignalSource::kReplay
                  : keys.constant ? SignalSource::kConstant
                                  : SignalSource::kProfile;
  signal.zone = keys.zone.value_or(keys.profile.value_or(""));
  if (keys.profile) signal.zone = *keys.profile;
  if (keys.trace) signal.trace_path = Beside(directory, *keys.trace);
  signal.how_to_get = keys.how_to_get.value_or("");
  signal.publication = keys.publication_lag.value;
  if (keys.weather) signal.weather.path = Beside(directory, *keys.weather);
  if (keys.weather_lag) signal.weather.publication_lag = *keys.weather_lag;
  if (keys.kind) signal.kind = core::SignalKindFromName(*keys.kind);
  if (keys.boundary) signal.boundary = core::BoundaryFromName(*keys.boundary);
  if (keys.seed) signal.seed = static_cast<std::uint64_t>(*keys.seed);
  if (keys.neo_utc_offset_hours)
    signal.neo_clock = FixedNeoClock(DurationFromSeconds(*keys.neo_utc_offset_hours * 3600));
  if (keys.neo_time_zone) signal.neo_clock = *NeoClockOf(*keys.neo_time_zone);
  if (keys.constant) signal.constant = Intensity{*keys.constant};
  return signal;
}

void ReadSite(const YamlNode& node, const std::string& directory, Sites& sites,
              Problems& problems) {
  SiteKeys keys;
  const std::vector<KeyRule> rules = SiteRules(keys);
  ReadSection(node, "sites", rules, {}, problems);
  CheckSource(keys, node.line, problems);
  core::Site site;
  site.name = keys.name.value_or(keys.profile.value_or(keys.zone.value_or("here")));
  site.zone = keys.profile.value_or(keys.zone.value_or(""));
  site.pue = {keys.pue.value_or(1)};
  for (const core::Site& other : sites.cluster.sites)
    if (other.name == site.name)
      problems.Add(node.line, "two sites are called \"" + site.name + "\": give each a name");
  sites.cluster.sites.push_back(std::move(site));
  sites.signals.push_back(SignalOf(keys, directory));
  sites.price_files.push_back(keys.prices ? Beside(directory, *keys.prices) : "");
  sites.operator_files.push_back(keys.operators ? Beside(directory, *keys.operators) : "");
}

struct DeviceKeys {
  Given<std::string> model, site;
  Given<std::int64_t> count;
  Given<double> speed, power_factor, idle_w;
};

std::vector<KeyRule> DeviceRules(DeviceKeys& keys) {
  return {
      ReadText("model", keys.model),
      ReadText("site", keys.site),
      ReadInteger("count", keys.count, {1, core::kMostDevices}),
      ReadNumber("speed", keys.speed, {0.001, 1000}),
      ReadNumber("power_factor", keys.power_factor, {0.001, 1000}),
      ReadNumber("idle_w", keys.idle_w, {0, 1e6}),
  };
}

int SiteIndex(const DeviceKeys& keys, const YamlNode& node, const core::Cluster& cluster,
              Problems& problems) {
  if (!keys.site) {
    if (cluster.sites.size() > 1)
      problems.Add(node.line, "devices need a site where there are several");
    return 0;
  }
  std::vector<std::string> names;
  for (const core::Site& site : cluster.sites) names.push_back(site.name);
  const auto it = std::find(names.begin(), names.end(), *keys.site);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  problems.Add(keys.site.line,
               "site \"" + *keys.site + "\" is unknown" + SuggestionText(*keys.site, names));
  return 0;
}

void ReadDevices(const YamlNode& node, Sites& sites, Problems& problems) {
  DeviceKeys keys;
  const std::vector<KeyRule> rules = DeviceRules(keys);
  ReadSection(node, "devices", rules, {}, problems);
  core::DevicePool pool;
  pool.model = keys.model.value_or("device");
  pool.site = SiteIndex(keys, node, sites.cluster, problems);
  pool.count = static_cast<int>(keys.count.value_or(1));
  pool.speed = keys.speed.value_or(1);
  pool.power_factor = keys.power_factor.value_or(1);
  const std::optional<Power> known = core::ProfileOf(pool.model).idle;
  pool.idle = keys.idle_w ? Power{*keys.idle_w} : known.value_or(Power{0});
  if (!keys.idle_w && !known) sites.unknown_idle.push_back(pool.model);
  sites.cluster.pools.push_back(std::move(pool));
}

void AddFallback(const SignalOptions& fallback, Sites& sites) {
  sites.cluster.sites.push_back(
      {fallback.zone.empty() ? "here" : fallback.zone, fallback.zone, {}});
  sites.signals.push_back(fallback);
}

}  // namespace

Sites ReadSites(const SiteSections& sections, const std::string& directory,
                const std::optional<SignalOptions>& fallback, Problems& problems) {
  Sites sites;
  if (sections.sites)
    ReadItems("sites", [&](const YamlNode& node, Problems& found) {
      ReadSite(node, directory, sites, found);
    }).read(*sections.sites, problems);
  else if (fallback)
    AddFallback(*fallback, sites);
  else
    problems.Add(0, "sites is missing: a list that says whose grid feeds the devices");
  if (sections.devices)
    ReadItems("devices", [&](const YamlNode& node, Problems& found) {
      ReadDevices(node, sites, found);
    }).read(*sections.devices, problems);
  else
    problems.Add(0, "devices is missing: a list of device pools with model and count");
  return sites;
}

}  // namespace ebb::config
