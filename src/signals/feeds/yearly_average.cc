#include "signals/feeds/yearly_average.h"

#include "base/text.h"
#include "core/signal/countries.h"
#include "signals/feeds/constant_feed.h"

namespace ebb::signals {

Result<std::unique_ptr<runtime::SignalFeed>> MakeYearlyAverageFeed(const std::string& place) {
  const auto fail = [](std::string what, std::string next) {
    return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
  };
  if (place.empty())
    return fail("a yearly average needs a country", "give --zone, e.g. FR, or --country-iso-code");
  const core::Country* country = core::FindCountry(place);
  if (!country) country = core::CountryOfZone(place);
  if (!country)
    return fail("\"" + place + "\" is not a country" + core::CountrySuggestionText(place),
                "give a code of ISO 3166-1, e.g. FR or FRA");
  if (!country->has_mean())
    return fail("no yearly average of " + std::string(country->name) + " is known",
                "give a value in g/kWh with --constant");
  core::SignalIdentity identity;
  identity.zone = core::CountryOfZone(place) ? place : std::string(country->iso2);
  identity.kind = core::SignalKind::kAverage;
  identity.boundary = core::Boundary::kLifecycle;
  identity.source = "yearly average " + std::to_string(country->year) + " of " +
                    std::string(country->name) + ", " + FormatExact(country->mean_g_per_kwh) +
                    " g/kWh, modelled (Ember and Energy Institute by Our World in Data, CC BY 4.0)";
  return MakeConstantFeed({country->mean_g_per_kwh}, std::move(identity));
}

}  // namespace ebb::signals
