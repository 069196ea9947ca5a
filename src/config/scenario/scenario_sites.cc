#include "config/scenario/scenario_sites.h"

#include <algorithm>

#include "config/neo_clock.h"
#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "core/devices/device_profile.h"
#include "signals/choose_source.h"
#include "signals/feeds/profile_feed.h"

namespace ebb::config {
namespace {

using signals::SignalOptions;
using signals::SignalSource;

void CheckSource(const SiteSection& site, const GivenKeys& given, int line, Problems& problems) {
  const int sources = static_cast<int>(given.Has("trace")) +
                      static_cast<int>(given.Has("profile")) +
                      static_cast<int>(given.Has("constant_g_per_kwh"));
  if (sources != 1)
    problems.Add(line,
                 "a site needs exactly one of trace (a CSV file), profile (a zone's typical days, "
                 "modelled) and constant_g_per_kwh");
  const auto needs = [&](const char* key, const char* other, const char* message) {
    if (given.Has(key) && !given.Has(other)) problems.Add(given.LineOf(key), message);
  };
  needs("how_to_get", "trace", "how_to_get is for traces only");
  needs("publication_lag", "trace", "publication_lag is for traces only: the rest is generated");
  needs("weather", "trace", "weather is for traces only: a generated signal knows none");
  needs("weather_lag", "weather", "weather_lag needs weather: a file of archived runs");
  needs("operators", "trace",
        "operators is for traces only: nobody expects anything of a generated signal");
  needs("seed", "profile", "seed is for profiles only");
  CheckOneNeoClock(given.LineOf("neo_utc_offset_hours"), given.LineOf("neo_time_zone"), problems);
  if (site.profile.empty() || signals::HasProfile(site.profile)) return;
  const Error none = signals::NoProfileOf(site.profile);
  problems.Add(given.LineOf("profile"), none.what + "; " + none.next);
}

// A path of the file, which begins at its directory; empty if there is none.
std::string PathOf(const std::string& directory, const std::string& path) {
  return path.empty() ? "" : Beside(directory, path);
}

// The signal with everything that needs more than one key.
SignalOptions SignalOf(const SiteSection& site, const GivenKeys& given,
                       const std::string& directory) {
  SignalOptions signal = site.signal;
  signal.source = given.Has("trace")                ? SignalSource::kReplay
                  : given.Has("constant_g_per_kwh") ? SignalSource::kConstant
                                                    : SignalSource::kProfile;
  signal.zone = site.site.zone;
  signal.trace_path = PathOf(directory, signal.trace_path);
  signal.weather.path = PathOf(directory, signal.weather.path);
  if (!site.neo_time_zone.empty()) signal.neo_clock = *NeoClockOf(site.neo_time_zone);
  return signal;
}

void ReadSite(const YamlNode& node, const std::string& directory, Sites& sites,
              Problems& problems) {
  SiteSection section;
  const GivenKeys given = ReadByTable(node, "sites", SiteTable(), section, problems);
  CheckSource(section, given, node.line, problems);
  core::Site& site = section.site;
  if (!section.profile.empty()) site.zone = section.profile;
  if (site.name.empty()) site.name = site.zone.empty() ? "here" : site.zone;
  for (const core::Site& other : sites.cluster.sites)
    if (other.name == site.name)
      problems.Add(node.line, "two sites are called \"" + site.name + "\": give each a name");
  sites.cluster.sites.push_back(site);
  sites.signals.push_back(SignalOf(section, given, directory));
  sites.price_files.push_back(PathOf(directory, section.prices));
  sites.operator_files.push_back(PathOf(directory, section.operators));
}

int SiteIndex(const std::string& name, int line, const core::Cluster& cluster, Problems& problems) {
  if (name.empty()) {
    if (cluster.sites.size() > 1) problems.Add(line, "devices need a site where there are several");
    return 0;
  }
  std::vector<std::string> names;
  for (const core::Site& site : cluster.sites) names.push_back(site.name);
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  problems.Add(line, "site \"" + name + "\" is unknown" + SuggestionText(name, names));
  return 0;
}

void ReadDevices(const YamlNode& node, Sites& sites, Problems& problems) {
  PoolSection section;
  const GivenKeys given = ReadByTable(node, "devices", PoolTable(), section, problems);
  core::DevicePool& pool = section.pool;
  if (pool.model.empty()) pool.model = "device";
  pool.site = SiteIndex(section.site, given.Has("site") ? given.LineOf("site") : node.line,
                        sites.cluster, problems);
  const std::optional<Power> known = core::ProfileOf(pool.model).idle;
  pool.idle = section.idle.value_or(known.value_or(Power{0}));
  if (!section.idle && !known) sites.unknown_idle.push_back(pool.model);
  sites.cluster.pools.push_back(std::move(pool));
}

void AddFallback(const SignalOptions& fallback, Sites& sites) {
  sites.cluster.sites.push_back(
      {fallback.zone.empty() ? "here" : fallback.zone, fallback.zone, {}});
  sites.signals.push_back(fallback);
}

}  // namespace

Sites ReadSites(const ScenarioSections& sections, const std::string& directory,
                const std::optional<SignalOptions>& fallback, Problems& problems) {
  Sites sites;
  if (sections.sites)
    ReadEach("sites", *sections.sites, problems, [&](const YamlNode& node, Problems& found) {
      ReadSite(node, directory, sites, found);
    });
  else if (fallback)
    AddFallback(*fallback, sites);
  else
    problems.Add(0, "sites is missing: a list that says whose grid feeds the devices");
  if (sections.devices)
    ReadEach("devices", *sections.devices, problems,
             [&](const YamlNode& node, Problems& found) { ReadDevices(node, sites, found); });
  else
    problems.Add(0, "devices is missing: a list of device pools with model and count");
  return sites;
}

}  // namespace ebb::config
