#include "signals/markets/energy_charts.h"

#include <array>
#include <cmath>

#include "base/json_node.h"
#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/markets/hours_of.h"
#include "signals/traces/entsoe_areas.h"

namespace ebb::signals {
namespace {

constexpr std::uint64_t kLimitBytes = 8 << 20;
constexpr Duration kTimeout{60'000};
constexpr Duration kLongest{std::chrono::days{100}};
constexpr Duration kHour{std::chrono::hours{1}};
constexpr double kHighestPerMwh = 1'000'000;

struct NamedZone {
  std::string_view zone, bidding_zone;
};
// Zones whose bidding zone has another name than the zone, or than the part of it after the
// country.
constexpr std::array<NamedZone, 8> kNames{{{"DE", "DE-LU"},
                                           {"LU", "DE-LU"},
                                           {"IT-NO", "IT-North"},
                                           {"IT-CNO", "IT-Centre-North"},
                                           {"IT-CSO", "IT-Centre-South"},
                                           {"IT-SO", "IT-South"},
                                           {"IT-SAR", "IT-Sardinia"},
                                           {"IT-SIC", "IT-Sicily"}}};

class EnergyCharts final : public MarketSource {
 public:
  EnergyCharts(EnergyChartsOptions options, HttpGetFunction http_get,
               prices::Publication publication)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        publication_(std::move(publication)),
        server_(options_.base_url + " " + options_.bidding_zone) {}

  const std::string& name() const override { return name_; }
  MarketKind kind() const override { return MarketKind::Prices("EUR"); }
  std::string_view terms() const override {
    return "day-ahead prices by Energy-Charts.info (Fraunhofer ISE; Germany and its neighbours: "
           "CC BY 4.0, Bundesnetzagentur, SMARD.de; other zones: for private use, "
           "docs/forecast.md)";
  }
  const std::string& server() const override { return server_; }
  const prices::Publication& publication() const override { return publication_; }
  Duration longest() const override { return kLongest; }

  Result<MarketHours> Ask(Interval interval) override {
    platform::HttpRequest request;
    // The answer includes the hour that begins at the end.
    request.url = options_.base_url + "/price?bzn=" + UrlEscape(options_.bidding_zone) +
                  "&start=" + FormatTime(interval.begin) + "&end=" + FormatTime(interval.end);
    request.headers = {"Accept: application/json"};
    request.limit_bytes = kLimitBytes;
    request.timeout = kTimeout;
    EBB_ASSIGN_OR_RETURN(const std::string body, GetBody(http_get_, request, "check the address"));
    EBB_ASSIGN_OR_RETURN(const core::PriceSeries prices,
                         ParseEnergyCharts(body, ShownUrl(request.url)));
    return HoursOf(prices);
  }

 private:
  const std::string name_ = "energy-charts prices";
  const EnergyChartsOptions options_;
  const HttpGetFunction http_get_;
  const prices::Publication publication_;
  const std::string server_;
};

}  // namespace

std::string EnergyChartsZone(std::string_view zone) {
  for (const NamedZone& named : kNames)
    if (named.zone == zone) return std::string(named.bidding_zone);
  const EntsoeArea* area = AreaOfZone(zone);
  if (!area || area->prices.empty()) return {};
  return std::string(zone.substr(zone.rfind('-') + 1));
}

Result<std::unique_ptr<MarketSource>> MakeEnergyCharts(EnergyChartsOptions options,
                                                       HttpGetFunction http_get) {
  EBB_ASSIGN_OR_RETURN(prices::ZoneClock clock, prices::ZoneClock::Find("Europe/Brussels"));
  return std::make_unique<EnergyCharts>(
      std::move(options), std::move(http_get),
      prices::Publication{std::move(clock), std::chrono::hours{13}});
}

Result<core::PriceSeries> ParseEnergyCharts(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const auto bad = [&](std::string what) { return BadAnswer(std::move(what), body, where); };
  EBB_ASSIGN_OR_RETURN(const std::vector<Time> times, EnergyChartsTimes(root, body, where));
  const JsonNode* prices = EnergyChartsList(root, "price", times.size());
  if (!prices) return Fail(bad("the answer has no list of as many prices as times"));
  std::string unit = root.TextOf("unit");
  std::erase(unit, ' ');
  if (unit != "EUR/MWh") return Fail(bad("the prices are in \"" + unit + "\", not in EUR/MWh"));
  std::vector<core::PriceSample> samples;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Time begin = times[i];
    if (!samples.empty())
      samples.back().interval.end = std::min(samples.back().interval.end, begin);
    samples.push_back({{begin, begin + kHour}, prices->items[i].AsNumber().value_or(NAN) / 1000});
  }
  // The last price holds as long as the one before it.
  if (const std::size_t count = samples.size(); count > 1)
    samples.back().interval.end =
        samples.back().interval.begin + samples[count - 2].interval.length();
  for (const core::PriceSample& sample : samples)
    if (std::abs(sample.per_kwh) > kHighestPerMwh / 1000)
      return Fail(bad("a price of the answer cannot be one"));
  std::erase_if(samples, [](const core::PriceSample& s) { return !std::isfinite(s.per_kwh); });
  return core::PriceSeries::Create({"EUR", "prices of Energy-Charts"}, std::move(samples));
}

}  // namespace ebb::signals
