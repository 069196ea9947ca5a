#include "signals/choose_source.h"

#include <algorithm>

#include "core/signal/countries.h"
#include "signals/feeds/profile_worth.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/key_services.h"
#include "signals/make_provider.h"

namespace ebb::signals {
namespace {

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

std::vector<SourceLink> SourceChain(std::string_view zone, const std::vector<SignalSource>& keys) {
  std::vector<SourceLink> chain;
  bool served = false;
  const auto add = [&](SignalSource source, bool usable, std::string why) {
    chain.push_back({source, usable, std::move(why)});
    served |= usable;
  };
  const auto add_live = [&](SignalSource source, std::string obstacle, std::string why) {
    if (const std::string missing = MissingLibraryOf(source); !missing.empty())
      obstacle = missing + " is not installed";
    else if (served)
      obstacle = "only when named";
    const bool usable = obstacle.empty();
    add(source, usable, usable ? std::move(why) : std::move(obstacle));
  };
  const auto add_with_key = [&](bool late) {
    for (const KeyService* service : KeyServicesOf(zone)) {
      if (service->is_late != late) continue;
      const bool has_key = std::ranges::find(keys, service->source) != keys.end();
      add_live(service->source, has_key ? "" : std::string(service->variable) + " is not set",
               std::string("a key is set: ") + service->worth);
    }
  };
  add_with_key(false);
  for (const SignalSource source : KeylessSources(zone)) add_live(source, "", "needs no key");
  add_with_key(true);
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
  for (const SourceLink& link : SourceChain(options.zone, OwnKeys(options)))
    if (link.usable && (choice == ChoiceOf::kAnySource || IsLive(link.source))) return link.source;
  if (choice == ChoiceOf::kAnySource) return SignalSource::kProfile;
  return Fail({ExitCode::kConfiguration,
               "no live source for zone " + options.zone + ": " + DescribeChain(options), "",
               "set the key, or name a source with --signal"});
}

std::string DescribeChain(const SignalOptions& options) {
  std::string text;
  for (const SourceLink& link : SourceChain(options.zone, OwnKeys(options)))
    text += (text.empty() ? "" : ", ") + Text(link);
  return text;
}

}  // namespace ebb::signals
