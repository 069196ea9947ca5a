#include "app/setup/new_settings.h"

#include <filesystem>

#include "app/options/user_settings.h"
#include "base/text.h"
#include "core/countries.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "signals/choose_source.h"
#include "signals/cloud_regions.h"
#include "signals/feeds/profile_feed.h"

namespace ebb::app {
namespace {

// Of a text without a line break, so that YAML reads it as it is.
std::string InQuotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string NewTokenFile(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "electricity-maps.token").string();
}

Status CheckNewZone(const std::string& zone) {
  if (core::CountryOfZone(zone) || signals::HasProfile(zone)) return {};
  if (signals::NamesCloudRegion(zone)) {
    if (zone == signals::kZoneOfThisMachine) return {};
    auto region = signals::CloudRegionFromText(zone);
    return region ? Status() : Fail(std::move(region.error()));
  }
  std::vector<std::string> known = signals::ProfileZones();
  for (const core::Country& country : core::Countries()) known.emplace_back(country.iso2);
  return Fail(
      {ExitCode::kConfiguration, Quoted(zone) + " is not a grid zone" + SuggestionText(zone, known),
       "zone",
       "ebb zones TEXT finds a zone by its place; a cloud region is written aws/us-west-2"});
}

Status CheckNewSettings(const NewSettings& wanted) {
  EBB_RETURN_IF_ERROR(CheckNewZone(wanted.zone));
  return CheckSettingsText(SettingsText(wanted, "config.yaml"), "config.yaml");
}

std::string SettingsText(const NewSettings& wanted, const std::string& path) {
  std::string text =
      "# Settings that every ebb command reads. Flags, a run's own file and the environment go\n"
      "# before them. `ebb config show` prints all of them; docs/config.md describes them.\n"
      "zone: " +
      InQuotes(wanted.zone) + "\n";
  const std::string file = wanted.token.empty() ? wanted.token_file : NewTokenFile(path);
  if (!file.empty()) text += "electricity_maps:\n  token_file: " + InQuotes(file) + "\n";
  if (!wanted.token_env.empty())
    text += "electricity_maps:\n  token_env: " + InQuotes(wanted.token_env) + "\n";
  text += "metering:\n  scope: " + InQuotes(wanted.scope) + "\n";
  return text;
}

Status WriteSettings(const NewSettings& wanted, const std::string& path) {
  const platform::Path directory = platform::AbsolutePath(path).parent_path();
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory, platform::Readers::kOwner));
  if (!wanted.token.empty())
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(NewTokenFile(path), wanted.token + "\n",
                                                      platform::Readers::kOwner));
  return platform::WriteFileAtomically(path, SettingsText(wanted, path), platform::Readers::kOwner);
}

}  // namespace ebb::app
