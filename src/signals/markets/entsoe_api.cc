#include "signals/markets/entsoe_api.h"

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/markets/hours_of.h"
#include "signals/traces/entsoe_document.h"

namespace ebb::signals {
namespace {

constexpr std::uint64_t kLimitBytes = 32 << 20;
constexpr Duration kTimeout{60'000};
// The API allows a year. A part of it answers sooner, so that forecasts can start with something.
constexpr Duration kLongest{std::chrono::days{100}};

class EntsoeApi : public MarketSource {
 public:
  EntsoeApi(std::string name, EntsoeApiOptions options, HttpGetFunction http_get,
            prices::Publication publication)
      : name_(std::move(name)),
        options_(std::move(options)),
        http_get_(std::move(http_get)),
        publication_(std::move(publication)),
        server_(options_.base_url + " " + options_.area) {}

  const std::string& name() const override { return name_; }
  std::string_view terms() const override {
    return "data of the ENTSO-E transparency platform, under its terms: see "
           "https://transparency.entsoe.eu (docs/forecast.md)";
  }
  const std::string& server() const override { return server_; }
  const prices::Publication& publication() const override { return publication_; }
  Duration longest() const override { return kLongest; }

 protected:
  // `query` says which document of which area.
  Result<EntsoeDocument> Document(const std::string& query, Interval interval) const {
    platform::HttpRequest request;
    request.url =
        options_.base_url + "/api?" + query + "&periodStart=" + EntsoeStamp(interval.begin) +
        "&periodEnd=" + EntsoeStamp(interval.end) + "&securityToken=" + UrlEscape(options_.token);
    request.headers = {"Accept: application/xml"};
    request.limit_bytes = kLimitBytes;
    request.timeout = kTimeout;
    EBB_ASSIGN_OR_RETURN(const std::string body,
                         GetBody(http_get_, request, "check the token of ENTSO-E"));
    auto document = ParseEntsoeDocument(body, ShownUrl(request.url));
    if (!document) document.error().code = ExitCode::kUnavailable;
    return document;
  }
  const std::string& area() const { return options_.area; }
  std::string Where() const { return ShownUrl(options_.base_url + "/api"); }

 private:
  const std::string name_;
  const EntsoeApiOptions options_;
  const HttpGetFunction http_get_;
  const prices::Publication publication_;
  const std::string server_;
};

// Whether the platform reports no data for the period, and nothing else.
bool IsEmpty(const EntsoeDocument& document) {
  return document.refusal && document.refusal->find("No matching data") != std::string::npos;
}

class Operators final : public EntsoeApi {
 public:
  using EntsoeApi::EntsoeApi;
  MarketKind kind() const override { return MarketKind::Operators(); }

  Result<MarketHours> Ask(Interval interval) override {
    OperatorParts parts;
    for (const std::string& query :
         {"documentType=A65&processType=A01&outBiddingZone_Domain=" + area(),
          "documentType=A69&processType=A01&in_Domain=" + area()}) {
      EBB_ASSIGN_OR_RETURN(const EntsoeDocument document, Document(query, interval));
      if (IsEmpty(document)) return MarketHours();
      EBB_RETURN_IF_ERROR(AddEntsoeForecasts(document, Where(), parts));
    }
    return HoursOf(parts);
  }
};

class Prices final : public EntsoeApi {
 public:
  using EntsoeApi::EntsoeApi;
  MarketKind kind() const override { return MarketKind::Prices("EUR"); }

  Result<MarketHours> Ask(Interval interval) override {
    const std::string query = "documentType=A44&in_Domain=" + area() + "&out_Domain=" + area();
    EBB_ASSIGN_OR_RETURN(const EntsoeDocument document, Document(query, interval));
    if (IsEmpty(document)) return MarketHours();
    EBB_ASSIGN_OR_RETURN(const core::PriceSeries prices, EntsoePrices(document, Where()));
    return HoursOf(prices);
  }
};

template <typename Kind>
Result<std::unique_ptr<MarketSource>> Make(const char* name, std::chrono::hours published_at,
                                           EntsoeApiOptions options, HttpGetFunction http_get) {
  EBB_ASSIGN_OR_RETURN(prices::ZoneClock clock, prices::ZoneClock::Find("Europe/Brussels"));
  return std::make_unique<Kind>(name, std::move(options), std::move(http_get),
                                prices::Publication{std::move(clock), published_at});
}

}  // namespace

Result<std::unique_ptr<MarketSource>> MakeEntsoeOperators(EntsoeApiOptions options,
                                                          HttpGetFunction http_get) {
  return Make<Operators>("entso-e operators", std::chrono::hours{18}, std::move(options),
                         std::move(http_get));
}

Result<std::unique_ptr<MarketSource>> MakeEntsoePrices(EntsoeApiOptions options,
                                                       HttpGetFunction http_get) {
  return Make<Prices>("entso-e prices", std::chrono::hours{13}, std::move(options),
                      std::move(http_get));
}

}  // namespace ebb::signals
