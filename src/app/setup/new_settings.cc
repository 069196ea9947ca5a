#include "app/setup/new_settings.h"

#include <algorithm>
#include <filesystem>

#include "app/options/user_settings.h"
#include "base/text.h"
#include "core/signal/countries.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "signals/choose_source.h"
#include "signals/cloud_regions.h"
#include "signals/feeds/profile_feed.h"
#include "signals/key_services.h"

namespace ebb::app {
namespace {

// Quotes a text without line breaks so that YAML reads it unchanged.
std::string InQuotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string NewTokenFile(const std::string& path, const std::string& token_of) {
  std::string name = token_of + ".token";
  std::ranges::replace(name, '_', '-');
  return (std::filesystem::path(path).parent_path() / name).string();
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
  if (!signals::FindKeyService(wanted.token_of)) {
    std::vector<std::string> known;
    for (const signals::KeyService& service : signals::KeyServices())
      known.emplace_back(service.settings);
    return Fail(
        {ExitCode::kUsage,
         "no service is called " + Quoted(wanted.token_of) + SuggestionText(wanted.token_of, known),
         "", "choose electricity_maps, entsoe or eia"});
  }
  EBB_RETURN_IF_ERROR(CheckNewZone(wanted.zone));
  return CheckSettingsText(SettingsText(wanted, "config.yaml"), "config.yaml");
}

std::string SettingsText(const NewSettings& wanted, const std::string& path) {
  std::string text =
      "# Settings that every ebb command reads. Flags, a run's own file and the environment go\n"
      "# before them. `ebb config show` prints all of them; docs/config.md describes them.\n"
      "zone: " +
      InQuotes(wanted.zone) + "\n";
  const std::string file =
      wanted.token.empty() ? wanted.token_file : NewTokenFile(path, wanted.token_of);
  if (!file.empty()) text += wanted.token_of + ":\n  token_file: " + InQuotes(file) + "\n";
  if (!wanted.token_env.empty())
    text += wanted.token_of + ":\n  token_env: " + InQuotes(wanted.token_env) + "\n";
  text += "metering:\n  scope: " + InQuotes(wanted.scope) + "\n";
  return text;
}

Status WriteSettings(const NewSettings& wanted, const std::string& path) {
  const platform::Path directory = platform::AbsolutePath(path).parent_path();
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory, platform::Readers::kOwner));
  if (!wanted.token.empty())
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
        NewTokenFile(path, wanted.token_of), wanted.token + "\n", platform::Readers::kOwner));
  return platform::WriteFileAtomically(path, SettingsText(wanted, path), platform::Readers::kOwner);
}

}  // namespace ebb::app
