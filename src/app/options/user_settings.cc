#include "app/options/user_settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "prices/zone_clock.h"
#include "signals/cloud_metadata.h"
#include "signals/cloud_regions.h"
#include "signals/markets/entsoe_api.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/watttime.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileVariable = "EBB_CONFIG";
constexpr const char* kNoFile = "none";
constexpr std::uint64_t kLimitBytes = 1 << 20;
constexpr std::string_view kMetering = "metering.";

SettingRow Path(SettingRow row) {
  row.is_path = true;
  return row;
}

// Settings that are not options of a run.
std::vector<SettingRow> OtherRows() {
  return {
      {"time_zone", "", "TZ", "the machine's"},
      {"electricity_maps.token_env", "", signals::kElectricityMapsKeyVariable, "", false, true},
      Path({"electricity_maps.token_file", "", "", ""}),
      {"entsoe.token_env", "", signals::kEntsoeKeyVariable, "", false, true},
      Path({"entsoe.token_file", "", "", ""}),
      {"eia.token_env", "", signals::kEiaKeyVariable, "", false, true},
      Path({"eia.token_file", "", "", ""}),
      {"watttime.token_env", "", signals::kWattTimeUserVariable, "", false, true},
      Path({"watttime.token_file", "", "", ""}),
      {"service.server", "", "EBB_SERVER", ""},
      Path({"service.token_file", "", "EBB_TOKEN_FILE", ""}),
      Path({"service.store", "", "EBB_STORE", ""}),
  };
}

std::vector<SettingRow> MakeRows() {
  std::vector<SettingRow> rows;
  for (const config::RunOption& option : config::RunOptionTable()) {
    const config::SettingName& setting = option.setting;
    if (!setting.key.empty())
      rows.push_back({setting.key, option.field.flag.name, setting.variable, option.DefaultText(),
                      setting.is_path});
  }
  for (SettingRow& row : OtherRows()) rows.push_back(std::move(row));
  return rows;
}

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (const SettingRow& row : SettingRows()) keys.push_back(row.key);
  return keys;
}

const SettingRow& RowOf(const std::string& key) {
  const auto& rows = SettingRows();
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; });
}

std::string TextOf(const store::Variables& variable, const char* name) {
  const char* text = variable(name);
  return text ? text : "";
}

Status CheckAddress(const std::string& text) {
  if (text.starts_with("http://") || text.starts_with("https://")) return {};
  return Fail({ExitCode::kConfiguration, Quoted(text) + " is not an address", "",
               "it begins with http:// or https://"});
}

Status CheckVariableName(const std::string& text) {
  for (const char c : text) {
    const bool fits = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    // The error does not repeat the value, which may be a secret by mistake.
    if (!fits && c != '_')
      return Fail({ExitCode::kConfiguration, "is not the name of an environment variable", "",
                   "give the name of the variable that holds the secret"});
  }
  return {};
}

std::string AbsolutePath(const std::string& text, const std::string& file,
                         const std::string& home) {
  if (text.starts_with("~/") && !home.empty()) return home + text.substr(1);
  return (platform::AbsolutePath(file).parent_path() / text).lexically_normal().string();
}

Result<config::Settings> LoadFile(const std::string& path, const std::string& home) {
  EBB_RETURN_IF_ERROR(platform::CheckWritableByOwnerOnly(path));
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path, kLimitBytes));
  EBB_ASSIGN_OR_RETURN(config::Settings settings,
                       config::ParseSettings(text, path, Keys(), CheckSettingValue));
  for (auto& [key, setting] : settings)
    if (RowOf(key).is_path && setting.value != kNoFile)
      setting.value = AbsolutePath(setting.value, path, home);
  return settings;
}

// True if flags choose the source of the intensity, or replay the clock.
bool HasOwnSignal(const FlagValues& given) {
  return NamesSource(given) ||
         std::ranges::any_of(FlagsOf(FlagGroup::kClock),
                             [&](const auto& flag) { return given.contains(flag.name); });
}

bool GuessesZoneFor(const std::string& source) {
  return source == "auto" || source == "live" ||
         source.starts_with(signals::Name(signals::SignalSource::kProfile)) ||
         source.starts_with(signals::Name(signals::SignalSource::kElectricityMaps));
}

}  // namespace

// Files that a setting names are opened only when they are needed.
Status CheckSettingValue(const std::string& key, const std::string& value) {
  if (key == "zone" && signals::NamesCloudRegion(value) && value != signals::kZoneOfThisMachine) {
    if (const auto region = signals::CloudRegionFromText(value); !region)
      return Fail(region.error());
  }
  if (key == "time_zone") {
    if (const auto zone = prices::ZoneClock::Find(value); !zone) return Fail(zone.error());
  }
  if (key == "service.server") return CheckAddress(value);
  if (key.ends_with("token_env")) return CheckVariableName(value);
  const SettingRow& row = RowOf(key);
  if (row.flag.empty() || row.is_path) return {};
  Status checked = CheckFlag(row.flag, value);
  if (!checked) {
    // The error should name the key of the settings, not the flag.
    const std::string flag = "--" + row.flag + ": ";
    std::string& what = checked.error().what;
    if (what.starts_with(flag)) what.erase(0, flag.size());
  }
  return checked;
}

Status CheckSettingsText(const std::string& text, const std::string& name) {
  EBB_RETURN_IF_ERROR(config::ParseSettings(text, name, Keys(), CheckSettingValue));
  return {};
}

const std::vector<SettingRow>& SettingRows() {
  static const std::vector<SettingRow> rows = MakeRows();
  return rows;
}

const config::Setting* UserSettings::Find(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

Status UserSettings::Check() const {
  for (const SettingsFile& file : files)
    if (file.problem) return Fail(*file.problem);
  return {};
}

Result<std::string> UserSettingsPath(const store::Variables& variable) {
  if (const auto named = TextOf(variable, kFileVariable); !named.empty() && named != kNoFile)
    return named;
  if (const auto config = TextOf(variable, "XDG_CONFIG_HOME"); config.starts_with('/'))
    return config + "/ebb/config.yaml";
  if (const auto home = TextOf(variable, "HOME"); home.starts_with('/'))
    return home + "/.config/ebb/config.yaml";
  return Fail({ExitCode::kUsage, "there is no home directory for settings", "",
               "set HOME, or name a file with EBB_CONFIG"});
}

UserSettings LoadUserSettings(const store::Variables& variable, const std::string& machine_file) {
  UserSettings loaded;
  const std::string named = TextOf(variable, kFileVariable);
  if (named == kNoFile) return loaded;
  if (const auto own = UserSettingsPath(variable)) loaded.files.push_back({*own});
  if (named.empty()) loaded.files.push_back({machine_file});
  for (SettingsFile& file : loaded.files) {
    std::error_code ignored;
    file.is_there = fs::exists(file.path, ignored);
    if (!file.is_there && !named.empty())
      file.problem = Error{ExitCode::kConfiguration, "is not there, and EBB_CONFIG names it",
                           file.path, "unset EBB_CONFIG, or write the file with ebb init"};
    if (!file.is_there) continue;
    auto settings = LoadFile(file.path, TextOf(variable, "HOME"));
    if (settings)
      loaded.values.merge(*settings);
    else
      file.problem = settings.error();
  }
  return loaded;
}

const UserSettings& SettingsOfUser() {
  static const UserSettings settings =
      LoadUserSettings([](const char* name) -> const char* { return std::getenv(name); });
  return settings;
}

Result<FlagValues> WithSettings(FlagValues given, SettingsFor what, const UserSettings& settings) {
  EBB_RETURN_IF_ERROR(settings.Check());
  const bool own_signal = HasOwnSignal(given);
  for (const auto& [key, setting] : settings.values) {
    const SettingRow& row = RowOf(key);
    const bool metering = key.starts_with(kMetering);
    if (row.flag.empty() || row.flag == "zone") continue;
    if (metering ? what == SettingsFor::kSignal : own_signal) continue;
    if (row.flag == "scope" && what == SettingsFor::kQueue) continue;
    if (!row.variable.empty() && std::getenv(row.variable.c_str())) continue;
    given.insert({row.flag, setting.value});
  }
  // A missing zone is found later, below the environment. A source with its own zones uses the zone
  // beside it.
  const config::Setting* source = settings.Find("signal");
  const config::Setting* zone = settings.Find("zone");
  if (source && zone && !own_signal && !GuessesZoneFor(source->value) && !std::getenv("EBB_ZONE"))
    given.insert({"zone", zone->value});
  return given;
}

Status ApplyMeteringSettings(RunOptions& options, const UserSettings& settings) {
  EBB_RETURN_IF_ERROR(settings.Check());
  for (const auto& [key, setting] : settings.values) {
    const SettingRow& row = RowOf(key);
    if (!key.starts_with(kMetering)) continue;
    if (!row.variable.empty() && std::getenv(row.variable.c_str())) continue;
    EBB_RETURN_IF_ERROR(ApplyFlag(row.flag, setting.value, options));
  }
  return {};
}

void ApplySecretSettings(signals::SignalOptions& options, const UserSettings& settings) {
  const auto place = [&](const std::string& provider) {
    const config::Setting* env = settings.Find(provider + ".token_env");
    const config::Setting* file = settings.Find(provider + ".token_file");
    return signals::SecretPlace{env ? env->value : "", file ? file->value : ""};
  };
  options.electricity_maps_secret = place("electricity_maps");
  options.watttime_secret = place("watttime");
  options.entsoe_secret = place("entsoe");
  options.eia_secret = place("eia");
}

}  // namespace ebb::app
