#include "signals/choose_source.h"

#include <cstdlib>

#include "core/countries.h"
#include "signals/feeds/profile_worth.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/make_provider.h"
#include "signals/providers/electricity_maps.h"

namespace ebb::signals {
namespace {

bool HasElectricityMapsKey(const SignalOptions& options) {
  const char* key = std::getenv(kElectricityMapsKeyVariable);
  return (key && *key) || !options.auth_env.empty() || !options.auth_file.empty() ||
         !options.auth_token.empty() || !options.electricity_maps_secret.empty();
}

bool HasYearlyMean(std::string_view zone) {
  const core::Country* country = core::CountryOfZone(zone);
  return country && country->has_mean();
}

std::string Text(const SourceLink& link) {
  return std::string(Name(link.source)) + " (" + (link.usable ? "" : "not used: ") + link.why + ")";
}

}  // namespace

bool HasProfile(std::string_view zone) { return zone == kNeoProfile || FindZoneProfile(zone); }

Status SettleZone(SignalOptions& options,
                  const std::function<Result<const CloudRegion*>()>& region_of_this_machine) {
  if (!NamesCloudRegion(options.zone)) return {};
  const bool own_regions =
      options.source == SignalSource::kWattTime || options.source == SignalSource::kCarbonAwareSdk;
  if (own_regions)
    return Fail({ExitCode::kConfiguration,
                 std::string(Name(options.source)) + " has regions of its own, and \"" +
                     options.zone + "\" stands for a zone of Electricity Maps",
                 "", "give the source's own region with --zone"});
  const bool this_machine = options.zone == kZoneOfThisMachine;
  EBB_ASSIGN_OR_RETURN(const CloudRegion* region,
                       this_machine ? region_of_this_machine() : CloudRegionFromText(options.zone));
  options.zone = region->zone;
  options.zone_origin = std::string(region->provider) + "/" + std::string(region->region) + " (" +
                        std::string(region->location) + ")" +
                        (this_machine ? ", by this machine's cloud" : "");
  return {};
}

std::vector<SourceLink> SourceChain(std::string_view zone, bool has_key) {
  std::vector<SourceLink> chain;
  bool served = false;
  const auto add = [&](SignalSource source, bool usable, std::string why) {
    chain.push_back({source, usable, std::move(why)});
    served |= usable;
  };
  const bool has_zone = !zone.empty() && zone != kNeoProfile;
  if (has_zone)
    add(SignalSource::kElectricityMaps, has_key,
        has_key ? "a key is set" : std::string(kElectricityMapsKeyVariable) + " is not set");
  for (const SignalSource source : KeylessSources(zone)) {
    const std::string missing = MissingLibraryOf(source);
    add(source, !served && missing.empty(),
        !missing.empty() ? missing + " is not installed"
        : served         ? "only when named"
                         : "needs no key");
  }
  if (HasProfile(zone))
    add(SignalSource::kProfile, !served,
        served                ? "modelled, only when named"
        : zone == kNeoProfile ? "modelled"
                              : "modelled: " + WorthText(zone));
  if (HasYearlyMean(zone) && !HasProfile(zone))
    add(SignalSource::kYearlyAverage, !served,
        served ? "modelled, only when named" : "modelled, one value for all hours");
  if (chain.empty() || (!served && !HasProfile(zone)))
    add(SignalSource::kProfile, false, "no typical days of this zone");
  return chain;
}

std::optional<SignalSource> LiveWithoutKey(std::string_view zone) {
  for (const SignalSource source : KeylessSources(zone))
    if (MissingLibraryOf(source).empty()) return source;
  return std::nullopt;
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
