#include "app/options/codecarbon_flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "app/options/user_settings.h"
#include "base/text.h"
#include "core/signal/countries.h"
#include "platform/system.h"
#include "signals/cloud_regions.h"

namespace ebb::app {
namespace {

using config::CodeCarbonSetting;
using config::CodeCarbonSettings;

constexpr const char* kNoServer = "Ebb sends nothing to CodeCarbon's server";
constexpr const char* kNoLogger = "Ebb has no such log: see the run directory and --format json";
constexpr const char* kPythonOnly = "only Python code can give it a value";
constexpr const char* kNoBoAmps = "Ebb has no output boamps";

struct Ignored {
  const char* key;
  const char* reason;
};
constexpr Ignored kIgnored[] = {
    {"api_call_interval", kNoServer}, {"api_endpoint", kNoServer},
    {"api_key", kNoServer},           {"emissions_endpoint", kNoServer},
    {"organization_id", kNoServer},   {"project_id", kNoServer},
    {"logger_preamble", kNoLogger},   {"logging_logger", kPythonOnly},
    {"output_handlers", kPythonOnly}, {"metadata", kNoBoAmps},
};

// Other known keys, which the code below handles one by one. The table of options has the keys
// whose value is that of one option.
constexpr const char* kOtherKeys[] = {
    "output_dir",
    "output_file",
    "output_methods",
    "save_to_file",
    "save_to_api",
    "save_to_logger",
    "save_to_prometheus",
    "save_to_logfire",
    "prometheus_url",
    "gpu_ids",
    "experiment_id",
    "experiment_name",
    "log_level",
    "force_mode_cpu_load",
    "allow_multiple_runs",
    "electricitymaps_api_token",
    "co2_signal_api_token",
    "force_carbon_intensity_g_co2e_kwh",
    "country_iso_code",
    "country_2letter_iso_code",
    "offline",
    "rapl_include_dram",
    "rapl_prefer_psys",
};

std::vector<std::string> KnownKeys() {
  std::vector<std::string> keys(std::begin(kOtherKeys), std::end(kOtherKeys));
  for (const config::RunOption& option : config::RunOptionTable())
    if (!option.codecarbon.key.empty()) keys.push_back(option.codecarbon.key);
  for (const Ignored& ignored : kIgnored) keys.emplace_back(ignored.key);
  return keys;
}

// Collects notes; notes with the same reason share a line.
class Notes {
 public:
  void Ignore(const std::string& origin, const std::string& reason) {
    auto same = std::find_if(reasons_.begin(), reasons_.end(),
                             [&](const auto& entry) { return entry.first == reason; });
    if (same == reasons_.end()) same = reasons_.insert(same, {reason, {}});
    same->second.push_back(origin);
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const auto& [reason, origins] : reasons_)
      lines.push_back("CodeCarbon's setting " + Join(origins, ", ") + " is ignored: " + reason);
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

class Translator {
 public:
  Translator(const CodeCarbonSettings& settings, const FlagValues& given)
      : settings_(settings), given_(given) {}

  Result<CodeCarbonFlags> Translate() {
    SayUnknownKeys();
    if (known_ == 0) return CodeCarbonFlags{{}, notes_.Lines(), "", ""};
    for (const config::RunOption& option : config::RunOptionTable())
      if (const auto* setting = Find(option.codecarbon.key))
        EBB_RETURN_IF_ERROR(Set(option.field.flag.name, setting->value + option.codecarbon.unit,
                                *setting, option.codecarbon.key));
    for (const Ignored& ignored : kIgnored)
      if (const auto* setting = Find(ignored.key)) Ignore(ignored.key, *setting, ignored.reason);
    EBB_RETURN_IF_ERROR(Names());
    EBB_RETURN_IF_ERROR(Metering());
    EBB_RETURN_IF_ERROR(Signal());
    EBB_RETURN_IF_ERROR(Outputs());
    return CodeCarbonFlags{std::move(values_), notes_.Lines(), Token(), ExperimentName()};
  }

 private:
  // The setting of a key; nullptr if it is missing or empty.
  const CodeCarbonSetting* Find(const std::string& key) const {
    const auto found = settings_.find(key);
    return found == settings_.end() || found->second.value.empty() ? nullptr : &found->second;
  }
  // The name and place of a setting: "CODECARBON_PUE"; "pue (.codecarbon.config:3)".
  static std::string Where(const std::string& key, const CodeCarbonSetting& setting) {
    if (setting.origin.empty()) return key;
    const bool names_itself =
        Lowercase(setting.origin).ends_with(key) || setting.origin.starts_with("--");
    return names_itself ? setting.origin : key + " (" + setting.origin + ")";
  }
  void Ignore(const std::string& key, const CodeCarbonSetting& setting, const std::string& reason) {
    notes_.Ignore(Where(key, setting), reason);
  }

  void SayUnknownKeys() {
    const std::vector<std::string> known = KnownKeys();
    for (const auto& [key, setting] : settings_) {
      if (std::find(known.begin(), known.end(), key) != known.end())
        ++known_;
      else
        Ignore(key, setting, "CodeCarbon 3.3 has no such key" + SuggestionText(key, known));
    }
  }

  // Sets a flag unless it was given. If the flag refuses the value, the Error names the place of
  // the setting.
  Status Set(const std::string& flag, const std::string& text, const CodeCarbonSetting& setting,
             const std::string& key) {
    if (given_.contains(flag)) return {};
    RunOptions unused;
    if (auto applied = ApplyFlags({{flag, text}}, unused); !applied)
      return Refuse(key, setting, applied.error().next);
    values_[flag] = text;
    return {};
  }
  static Status Refuse(const std::string& key, const CodeCarbonSetting& setting, std::string next) {
    return Fail({ExitCode::kConfiguration, key + ": \"" + setting.value + "\" is not accepted",
                 setting.origin, std::move(next)});
  }

  Result<bool> Flag(const std::string& key, bool otherwise) const {
    const auto* setting = Find(key);
    if (!setting) return otherwise;
    const std::string text = Lowercase(setting->value);
    if (text == "true" || text == "1" || text == "yes") return true;
    if (text == "false" || text == "0" || text == "no") return false;
    return Fail(Refuse(key, *setting, "give true or false").error());
  }

  Status Names() {
    for (const char* key : {"experiment_id", "experiment_name"}) {
      const auto* setting = Find(key);
      if (setting && !values_.contains("group"))
        EBB_RETURN_IF_ERROR(Set("group", setting->value, *setting, key));
    }
    if (const auto* level = Find("log_level"); level && Lowercase(level->value) == "critical")
      EBB_RETURN_IF_ERROR(Set("quiet", "true", *level, "log_level"));
    return {};
  }

  Status Metering() {
    EBB_ASSIGN_OR_RETURN(const bool load_model, Flag("force_mode_cpu_load", false));
    if (load_model)
      EBB_RETURN_IF_ERROR(
          Set("cpu-model", "codecarbon", *Find("force_mode_cpu_load"), "force_mode_cpu_load"));
    // A forced power is used by the model, in place of counters.
    if (const auto* forced = Find("force_cpu_power"))
      EBB_RETURN_IF_ERROR(Set("rapl", "none", *forced, "force_cpu_power"));
    EBB_ASSIGN_OR_RETURN(const bool dram, Flag("rapl_include_dram", false));
    if (dram && !values_.contains("rapl"))
      EBB_RETURN_IF_ERROR(
          Set("rapl", "packages+dram", *Find("rapl_include_dram"), "rapl_include_dram"));
    EBB_ASSIGN_OR_RETURN(const bool psys, Flag("rapl_prefer_psys", false));
    if (psys && !values_.contains("rapl"))
      EBB_RETURN_IF_ERROR(Set("rapl", "psys", *Find("rapl_prefer_psys"), "rapl_prefer_psys"));
    if (const auto* ids = Find("gpu_ids"))
      EBB_RETURN_IF_ERROR(Set("gpu-ids", Ids(ids->value), *ids, "gpu_ids"));
    EBB_ASSIGN_OR_RETURN(const bool several, Flag("allow_multiple_runs", true));
    if (!several)
      Ignore("allow_multiple_runs", *Find("allow_multiple_runs"),
             "Ebb keeps its runs apart and locks nothing");
    return {};
  }

  // The ids as CodeCarbon cleans them: letters, digits, "-" and ",".
  static std::string Ids(const std::string& text) {
    std::string ids;
    for (const char c : text) {
      const bool kept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || c == '-' || c == ',';
      if (kept) ids += c;
    }
    return ids;
  }

  std::string Token() const {
    for (const char* key : {"electricitymaps_api_token", "co2_signal_api_token"})
      if (const auto* setting = Find(key)) return setting->value;
    return "";
  }

  std::string ExperimentName() const {
    const auto* setting = Find("experiment_name");
    return setting ? setting->value : "";
  }

  // Chooses the first that applies: a forced value, Electricity Maps if there is a token, the
  // country's mean.
  Status Signal() {
    if (NamesSource(given_) || given_.contains("zone")) return {};
    EBB_ASSIGN_OR_RETURN(const std::string zone, Zone());
    if (!zone.empty()) values_["zone"] = zone;
    if (const auto* forced = Find("force_carbon_intensity_g_co2e_kwh"))
      return Set("constant", forced->value, *forced, "force_carbon_intensity_g_co2e_kwh");
    EBB_ASSIGN_OR_RETURN(const bool offline, Flag("offline", false));
    if (!zone.empty()) {
      values_["signal"] = !offline && !Token().empty() ? "electricity-maps" : "yearly-average";
      return {};
    }
    if (offline)
      return Fail({ExitCode::kConfiguration, "offline, the country must be said", "",
                   "give --country-iso-code FRA, or --zone, --constant or --trace"});
    if (!Token().empty())
      notes_.Ignore("electricitymaps_api_token",
                    "no zone is known, and Ebb guesses none from an IP address; give --zone or "
                    "country_iso_code");
    return {};
  }

  // The zone as in CodeCarbon: the region of the cloud goes before the country.
  Result<std::string> Zone() {
    const auto* provider = Find("cloud_provider");
    const auto* region = Find("cloud_region");
    if (provider && region) {
      const auto place = signals::CloudRegionFromText(provider->value + "/" + region->value);
      if (place) return std::string((*place)->zone);
      Ignore("cloud_region", *region, place.error().Message());
    }
    return ZoneOfCountry();
  }

  Result<std::string> ZoneOfCountry() const {
    for (const char* key : {"country_iso_code", "country_2letter_iso_code"}) {
      const auto* setting = Find(key);
      if (!setting) continue;
      const core::Country* country = core::FindCountry(setting->value);
      if (!country) country = core::CountryOfZone(setting->value);
      if (!country)
        return Fail(Refuse(key, *setting,
                           "give a code of ISO 3166-1, e.g. FRA" +
                               core::CountrySuggestionText(setting->value))
                        .error());
      return core::CountryOfZone(setting->value) ? setting->value : std::string(country->iso2);
    }
    return std::string();
  }

  struct Methods {
    bool file = true;
    bool prometheus = false;
  };

  // The wanted outputs. output_methods replaces the older save_to_... keys.
  Result<Methods> WantedMethods() {
    Methods wanted;
    const auto* methods = Find("output_methods");
    if (!methods) {
      EBB_ASSIGN_OR_RETURN(wanted.file, Flag("save_to_file", true));
      EBB_ASSIGN_OR_RETURN(wanted.prometheus, Flag("save_to_prometheus", false));
      for (const char* key : {"save_to_api", "save_to_logger", "save_to_logfire"}) {
        EBB_ASSIGN_OR_RETURN(const bool on, Flag(key, false));
        if (on) Ignore(key, *Find(key), std::string(key) == "save_to_api" ? kNoServer : kNoLogger);
      }
      return wanted;
    }
    wanted.file = false;
    for (const std::string_view part : Split(methods->value, ',')) {
      const std::string method = Lowercase(Trim(part));
      if (method == "csv")
        wanted.file = true;
      else if (method == "prometheus")
        wanted.prometheus = true;
      else if (method == "api")
        Ignore("output_methods", *methods, kNoServer);
      else if (method == "logger" || method == "logfire" || method == "boamps")
        Ignore("output_methods", *methods, "Ebb has no output " + method);
      else if (!method.empty())
        return Fail(Refuse("output_methods", *methods,
                           "choose from csv, api, logger, prometheus, logfire, boamps")
                        .error());
    }
    return wanted;
  }

  Status Outputs() {
    EBB_ASSIGN_OR_RETURN(const Methods wanted, WantedMethods());
    if (wanted.file && !given_.contains("emissions-file")) {
      const auto* directory = Find("output_dir");
      const auto* file = Find("output_file");
      values_["emissions-file"] = (std::filesystem::path(directory ? directory->value : ".") /
                                   (file ? file->value : "emissions.csv"))
                                      .lexically_normal()
                                      .string();
    }
    const auto* address = Find("prometheus_url");
    if (wanted.prometheus && !given_.contains("prometheus-url")) {
      std::string url = address ? address->value : "localhost:9091";
      if (url.find("://") == std::string::npos) url = "http://" + url;
      values_["prometheus-url"] = url;
    } else if (address && !wanted.prometheus) {
      Ignore("prometheus_url", *address, "prometheus is not among the output_methods");
    }
    return {};
  }

  const CodeCarbonSettings& settings_;
  const FlagValues& given_;
  int known_ = 0;
  FlagValues values_;
  Notes notes_;
};

Result<CodeCarbonSettings> SettingsOfMachine() {
  const char* home = std::getenv("HOME");
  return config::LoadCodeCarbonSettings(home ? home : "", ".", platform::Environment());
}

}  // namespace

Result<CodeCarbonFlags> FromCodeCarbon(const CodeCarbonSettings& settings,
                                       const FlagValues& given) {
  return Translator(settings, given).Translate();
}

Result<CodeCarbonFlags> ApplyWithCodeCarbon(const FlagValues& given,
                                            const CodeCarbonSources& sources, RunOptions& options) {
  CodeCarbonSettings settings;
  if (sources.machine) {
    EBB_ASSIGN_OR_RETURN(settings, SettingsOfMachine());
  }
  for (const auto& [key, setting] : sources.given) settings[key] = setting;
  if (sources.defaults) settings.insert({"tracking_mode", {"machine", ""}});
  EBB_ASSIGN_OR_RETURN(CodeCarbonFlags taken, FromCodeCarbon(settings, given));
  FlagValues values = given;
  values.insert(taken.values.begin(), taken.values.end());
  if (sources.machine) {
    EBB_ASSIGN_OR_RETURN(values, WithSettings(std::move(values), SettingsFor::kRun));
  }
  options.scheduler.signal.auth_token = taken.electricity_maps_token;
  EBB_RETURN_IF_ERROR(ApplyFlags(values, options));
  return taken;
}

}  // namespace ebb::app
