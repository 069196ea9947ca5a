#include "signals/choose_source.h"

#include <cstdlib>

#include "signals/electricity_maps.h"
#include "signals/uk_carbon_intensity.h"
#include "signals/zone_profiles.h"

namespace ebb::signals {
namespace {

bool HasElectricityMapsKey(const SignalOptions& options) {
  const char* key = std::getenv(kElectricityMapsKeyVariable);
  return (key && *key) || !options.auth_env.empty() || !options.auth_file.empty() ||
         !options.auth_token.empty();
}

bool HasProfile(std::string_view zone) {
  if (zone.empty() || zone == kNeoProfile) return true;
  for (const ZoneProfile& profile : ZoneProfiles())
    if (profile.zone == zone) return true;
  return false;
}

std::string Text(const SourceLink& link) {
  return std::string(Name(link.source)) + " (" + (link.usable ? "" : "not used: ") + link.why + ")";
}

}  // namespace

std::vector<SourceLink> SourceChain(std::string_view zone, bool has_key) {
  std::vector<SourceLink> chain;
  const bool uk = UkAreaFromZone(zone).has_value();
  if (uk) chain.push_back({SignalSource::kUkCarbonIntensity, true, "needs no key"});
  const bool has_zone = !zone.empty() && zone != kNeoProfile;
  const bool maps = has_zone && has_key;
  if (has_zone)
    chain.push_back(
        {SignalSource::kElectricityMaps, maps,
         maps ? "a key is set" : std::string(kElectricityMapsKeyVariable) + " is not set"});
  const bool profile = HasProfile(zone);
  chain.push_back({SignalSource::kProfile, profile && !uk && !maps,
                   !profile     ? "no profile of this zone"
                   : uk || maps ? "modelled, only when named"
                                : "modelled"});
  return chain;
}

Result<SignalSource> ChooseSource(const SignalOptions& options, ChoiceOf choice) {
  for (const SourceLink& link : SourceChain(options.zone, HasElectricityMapsKey(options)))
    if (link.usable && (choice == ChoiceOf::kAnySource || IsLive(link.source))) return link.source;
  if (choice == ChoiceOf::kAnySource) return SignalSource::kProfile;
  return Fail({ExitCode::kConfiguration,
               "no live source for zone " + options.zone + ": " + DescribeChain(options), "",
               "set the key, or name a source with --signal"});
}

std::string DescribeChain(const SignalOptions& options) {
  std::string text;
  for (const SourceLink& link : SourceChain(options.zone, HasElectricityMapsKey(options)))
    text += (text.empty() ? "" : ", ") + Text(link);
  return text;
}

}  // namespace ebb::signals
