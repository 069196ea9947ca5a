#include "config/scenario/scenario_prices.h"

#include <algorithm>

#include "config/prices/price_file.h"

namespace ebb::config {
namespace {

constexpr Interval kAllTime{Time::min(), Time::max()};
// Prices of the day before fill gaps, and a plan looks at most this far beyond the last deadline.
constexpr Duration kBefore = std::chrono::hours{48}, kBehind = std::chrono::hours{24 * 40};

Interval SpanOf(const sim::Scenario& scenario) {
  const Duration longest = sim::LatestEnd(scenario, std::chrono::hours{24 * 7});
  return {scenario.start_dates.front() - kBefore, scenario.start_dates.back() + longest + kBehind};
}

bool Weighs(const sim::PolicyChoice& choice) {
  return choice.options.planner.prices.tariff_weight > 0;
}

Status CheckCurrencies(const plan::SitePrices& prices) {
  const core::PriceSeries* first = nullptr;
  for (const auto& series : prices) {
    if (!series) continue;
    if (!first) first = series.get();
    if (series->identity().currency == first->identity().currency) continue;
    return Fail({ExitCode::kConfiguration,
                 "prices of one site are in \"" + first->identity().currency +
                     "\" and of another in \"" + series->identity().currency + "\"",
                 series->identity().source, "give all prices in one currency"});
  }
  return {};
}

}  // namespace

Status LoadSitePrices(ScenarioFile& file) {
  sim::Scenario& scenario = file.scenario;
  scenario.prices.clear();
  const bool any = std::any_of(file.price_files.begin(), file.price_files.end(),
                               [](const std::string& path) { return !path.empty(); });
  const bool weighs = std::any_of(scenario.policies.begin(), scenario.policies.end(), Weighs);
  if (weighs && !any)
    return Fail({ExitCode::kConfiguration,
                 "a policy has a price_weight, and no site says what electricity costs",
                 scenario.name, "add prices: FILE to the sites, or --prices FILE"});
  // A queue file is read a second time once its moment is known.
  if (!any || scenario.start_dates.empty()) return {};
  for (std::size_t site = 0; site < file.price_files.size(); ++site) {
    const std::string& path = file.price_files[site];
    scenario.prices.push_back(nullptr);
    file.signals[site].prices = nullptr;
    if (path.empty()) continue;
    EBB_ASSIGN_OR_RETURN(const prices::PriceSource source, LoadPrices(path));
    scenario.prices.back() =
        std::make_shared<const core::PriceSeries>(source.Over(SpanOf(scenario)));
    // Only market prices help a forecast, which learns from years of them. A tariff tells no more
    // about the grid than its clock does.
    if (!source.tariff())
      file.signals[site].prices = std::make_shared<const core::PriceSeries>(source.Over(kAllTime));
  }
  return CheckCurrencies(scenario.prices);
}

Status OverridePrices(const std::string& path, std::optional<double> weight, ScenarioFile& file) {
  if (weight)
    for (sim::PolicyChoice& choice : file.scenario.policies)
      if (choice.policy == "planner") choice.options.planner.prices.tariff_weight = *weight;
  if (!path.empty()) file.price_files.assign(file.scenario.cluster.sites.size(), path);
  return LoadSitePrices(file);
}

}  // namespace ebb::config
