#include "signals/make_markets.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/enum_names.h"
#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/markets/energy_charts.h"
#include "signals/markets/entsoe_api.h"
#include "signals/markets/oasis_server.h"
#include "signals/secret.h"
#include "signals/traces/entsoe_areas.h"
#include "signals/traces/expat.h"

namespace ebb::signals {
namespace {

using MakeSource = std::function<Result<std::unique_ptr<MarketSource>>(HttpGetFunction)>;

constexpr std::array<std::string_view, 4> kServiceNames{"", "entso-e", "energy-charts", "oasis"};
constexpr std::array<std::string_view, 2> kOasisZones{"US-CAL-CISO", "CAISO_NORTH"};

// The address of the server, without a final slash.
Result<std::string> ServerOf(const MarketOptions& market, const char* usual, bool has_secret) {
  std::string url = market.url.empty() ? usual : market.url;
  while (url.ends_with('/')) url.pop_back();
  EBB_RETURN_IF_ERROR(CheckAddress(url, has_secret));
  return url;
}

Error NoArea(const SignalOptions& options, MarketService service, const std::string& known) {
  const std::string name(Name(service));
  if (options.zone.empty())
    return {ExitCode::kConfiguration, name + " needs to be told which zone to ask for", "",
            "give --zone"};
  return {ExitCode::kConfiguration, name + " tells nothing of zone " + options.zone, "",
          "known are " + known};
}

Result<MakeSource> EntsoeSource(const SignalOptions& options, const MarketOptions& market,
                                bool is_prices) {
  const EntsoeArea* area = AreaOfZone(options.zone);
  const std::string_view code = !area ? "" : is_prices ? area->prices : area->balance;
  if (code.empty()) return Fail(NoArea(options, market.service, Join(ZonesWithAreas(), ", ")));
  EBB_RETURN_IF_ERROR(LibExpat());
  EntsoeApiOptions made;
  made.area = code;
  EBB_ASSIGN_OR_RETURN(made.base_url, ServerOf(market, kEntsoeUrl, true));
  const SecretPlace place = market.url.empty() ? options.entsoe_secret : SecretPlace{};
  EBB_ASSIGN_OR_RETURN(made.token,
                       SecretAt(place, kEntsoeKeyVariable, ShownUrl(made.base_url),
                                "get one at https://transparency.entsoe.eu, set the variable, or "
                                "name a file: entsoe.token_file in the settings"));
  return MakeSource([=](HttpGetFunction http_get) {
    return is_prices ? MakeEntsoePrices(made, std::move(http_get))
                     : MakeEntsoeOperators(made, std::move(http_get));
  });
}

Result<MakeSource> EnergyChartsSource(const SignalOptions& options, const MarketOptions& market) {
  EnergyChartsOptions made;
  made.bidding_zone = EnergyChartsZone(options.zone);
  if (made.bidding_zone.empty())
    return Fail(
        NoArea(options, market.service, "zones of Europe with one price (docs/forecast.md)"));
  EBB_ASSIGN_OR_RETURN(made.base_url, ServerOf(market, kEnergyChartsUrl, false));
  return MakeSource(
      [=](HttpGetFunction http_get) { return MakeEnergyCharts(made, std::move(http_get)); });
}

Result<MakeSource> OasisSource(const SignalOptions& options, const MarketOptions& market,
                               bool is_prices) {
  if (std::ranges::find(kOasisZones, options.zone) == kOasisZones.end())
    return Fail(NoArea(options, market.service, "US-CAL-CISO, and CAISO_NORTH of WattTime"));
  EBB_ASSIGN_OR_RETURN(const std::string url, ServerOf(market, kOasisUrl, false));
  return MakeSource([=](HttpGetFunction http_get) {
    return is_prices ? MakeOasisPrices(url, std::move(http_get))
                     : MakeOasisOperators(url, std::move(http_get));
  });
}

Result<MakeSource> SourceOf(const SignalOptions& options, const MarketOptions& market,
                            bool is_prices) {
  switch (market.service) {
    case MarketService::kEntsoe:
      return EntsoeSource(options, market, is_prices);
    case MarketService::kOasis:
      return OasisSource(options, market, is_prices);
    case MarketService::kEnergyCharts:
      if (is_prices) return EnergyChartsSource(options, market);
      break;
    case MarketService::kNone:
      break;
  }
  return Fail({ExitCode::kConfiguration,
               std::string(Name(market.service)) + " does not tell what operators expect", "",
               "choose of " + Join(OperatorServiceNames(), ", ")});
}

}  // namespace

std::string_view Name(MarketService service) {
  return kServiceNames[static_cast<std::size_t>(service)];
}

std::optional<MarketService> MarketServiceFromName(std::string_view name) {
  return name.empty() ? std::nullopt : EnumFromName<MarketService>(kServiceNames, name);
}

std::vector<std::string> OperatorServiceNames() { return {"entso-e", "oasis"}; }

std::vector<std::string> PriceServiceNames() { return {"entso-e", "energy-charts", "oasis"}; }

Status CheckMarketUse(const SignalOptions& options) {
  for (const auto& [market, flag] : {std::pair(&options.live_operators, "operators"),
                                     {&options.live_prices, "forecast-prices"}}) {
    const std::string name(Name(market->service));
    if (market->service == MarketService::kNone && market->url.empty()) continue;
    if (market->service == MarketService::kNone)
      return Fail({ExitCode::kConfiguration,
                   std::string("a server is given, but no ") + flag + " that is asked there", "",
                   std::string("add --") + flag + " entso-e"});
    if (std::ranges::none_of(SourcesOf(options), IsLive))
      return Fail({ExitCode::kConfiguration,
                   name + " tells of the days ahead of today, for live sources: signal " +
                       NamesOfSources(options) + " is none",
                   "", "choose a live source, or give a trace files: ebb forecast --trace"});
  }
  return {};
}

Result<std::vector<LiveMarketParts>> MarketsOf(const SignalOptions& options,
                                               const std::string& cache_directory) {
  std::vector<LiveMarketParts> markets;
  for (const bool is_prices : {false, true}) {
    const MarketOptions& market = is_prices ? options.live_prices : options.live_operators;
    if (market.service == MarketService::kNone) continue;
    EBB_ASSIGN_OR_RETURN(const MakeSource make_source, SourceOf(options, market, is_prices));
    // Makes the source once already here, so that anything it lacks is reported now.
    EBB_RETURN_IF_ERROR(make_source({}));
    LiveMarketParts parts;
    if (market.service == MarketService::kOasis) parts.patience.rate = kOasisRate;
    LiveMarketOptions live;
    live.cache_directory = cache_directory;
    parts.make = [=](HttpGetFunction http_get) {
      auto source = make_source(std::move(http_get));
      EBB_CHECK(source.has_value());
      return std::make_unique<LiveMarket>(*std::move(source), live);
    };
    markets.push_back(std::move(parts));
  }
  return markets;
}

}  // namespace ebb::signals
