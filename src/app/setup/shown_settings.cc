#include "app/setup/shown_settings.h"

#include <array>

#include "app/options/missing_zone.h"
#include "app/options/when.h"
#include "base/enum_names.h"

namespace ebb::app {
namespace {

constexpr std::array<std::string_view, 6> kFromNames{"flag",    "environment", "file",
                                                     "default", "guess",       "not set"};

std::string FlagOf(const SettingRow& row, const FlagValues& given, const ServicePlace& place) {
  if (row.key == "service.server") return place.server;
  if (row.key == "service.token_file") return place.token_file;
  if (row.key == "service.store") return place.store;
  const auto found = given.find(row.flag);
  return row.flag.empty() || found == given.end() ? "" : found->second;
}

// The flag of a setting: "service.token_file" -> "--token-file".
std::string NameOfFlag(const SettingRow& row) {
  if (!row.flag.empty()) return "--" + row.flag;
  std::string name = row.key.substr(row.key.find('.') + 1);
  for (char& c : name)
    if (c == '_') c = '-';
  return "--" + name;
}

// Fills in the value that applies if neither flags, environment nor files set one.
void Otherwise(const SettingRow& row, ShownSetting& shown) {
  shown.value = row.fallback;
  if (row.key == "zone") {
    if (const auto& guess = GuessedZone()) {
      shown.value = guess->zone;
      shown.where = guess->from;
      shown.from = SettingFrom::kGuess;
      return;
    }
  }
  if (row.key == "time_zone")
    if (const auto zone = ZoneOfUser("")) shown.value = zone->name();
  if (row.key == "service.store")
    if (const auto store = StorePathOf("")) shown.value = *store;
  if (row.key == "service.server") shown.value = "found by its store";
  if (row.key == "service.token_file") shown.value = "beside the store";
  shown.from = shown.value.empty() ? SettingFrom::kNothing : SettingFrom::kDefault;
}

ShownSetting Show(const SettingRow& row, const UserSettings& settings,
                  const store::Variables& variable, const FlagValues& given,
                  const ServicePlace& place) {
  ShownSetting shown;
  shown.key = row.key;
  if (const std::string flag = FlagOf(row, given, place); !flag.empty()) {
    shown.value = flag;
    shown.from = SettingFrom::kFlag;
    shown.where = NameOfFlag(row);
    return shown;
  }
  const char* text = row.variable.empty() ? nullptr : variable(row.variable.c_str());
  if (text && *text) {
    shown.value = row.is_secret ? row.variable : text;
    shown.from = SettingFrom::kVariable;
    shown.where = row.variable;
    return shown;
  }
  if (const config::Setting* setting = settings.Find(row.key)) {
    shown.value = setting->value;
    shown.from = SettingFrom::kFile;
    shown.where = setting->Where();
    return shown;
  }
  Otherwise(row, shown);
  return shown;
}

}  // namespace

std::string_view Name(SettingFrom from) { return kFromNames[static_cast<std::size_t>(from)]; }

std::vector<ShownSetting> ShowSettings(const UserSettings& settings,
                                       const store::Variables& variable, const FlagValues& given,
                                       const ServicePlace& place) {
  std::vector<ShownSetting> all;
  for (const SettingRow& row : SettingRows())
    all.push_back(Show(row, settings, variable, given, place));
  return all;
}

}  // namespace ebb::app
