#include "signals/markets/oasis_server.h"

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/markets/hours_of.h"
#include "signals/traces/oasis_csv.h"
#include "signals/traces/operator_text.h"

namespace ebb::signals {
namespace {

constexpr std::uint64_t kLimitBytes = 32 << 20;
constexpr Duration kTimeout{120'000};
constexpr Duration kLongest{std::chrono::days{30}};
// The hub of the south, where most of the sun and most of the load are.
constexpr const char* kNode = "TH_SP15_GEN-APND";

// "20260501T07:00-0000"
std::string Stamp(Time time) {
  const std::string iso = FormatTime(time);
  return iso.substr(0, 4) + iso.substr(5, 2) + iso.substr(8, 2) + "T" + iso.substr(11, 5) + "-0000";
}

class Oasis : public MarketSource {
 public:
  Oasis(std::string name, std::string base_url, HttpGetFunction http_get,
        prices::Publication publication)
      : name_(std::move(name)),
        base_url_(std::move(base_url)),
        http_get_(std::move(http_get)),
        publication_(std::move(publication)) {}

  const std::string& name() const override { return name_; }
  std::string_view terms() const override {
    return "data of OASIS, under the terms of California ISO: see https://www.caiso.com "
           "(docs/forecast.md)";
  }
  const std::string& server() const override { return base_url_; }
  const prices::Publication& publication() const override { return publication_; }
  Duration longest() const override { return kLongest; }

 protected:
  // The files of its answer; empty if it has nothing for the period.
  Result<std::vector<platform::ZipEntry>> Files(const std::string& query, Interval interval) const {
    platform::HttpRequest request;
    request.url = base_url_ + "/SingleZip?resultformat=6&version=1&market_run_id=DAM&" + query +
                  "&startdatetime=" + Stamp(interval.begin) + "&enddatetime=" + Stamp(interval.end);
    request.limit_bytes = kLimitBytes;
    request.timeout = kTimeout;
    EBB_ASSIGN_OR_RETURN(std::string body, GetBody(http_get_, request, "check the address"));
    auto files = FilesIn(std::move(body), ShownUrl(request.url));
    if (files || files.error().what.find("No data returned") == std::string::npos) return files;
    return std::vector<platform::ZipEntry>();
  }

 private:
  const std::string name_;
  const std::string base_url_;
  const HttpGetFunction http_get_;
  const prices::Publication publication_;
};

class Operators final : public Oasis {
 public:
  using Oasis::Oasis;
  MarketKind kind() const override { return MarketKind::Operators(); }

  Result<MarketHours> Ask(Interval interval) override {
    OperatorParts parts;
    for (const char* query : {"queryname=SLD_FCST", "queryname=SLD_REN_FCST"}) {
      EBB_ASSIGN_OR_RETURN(const auto files, Files(query, interval));
      for (const platform::ZipEntry& file : files)
        EBB_RETURN_IF_ERROR(ReadOasisForecasts(file.data, file.name, parts));
    }
    return HoursOf(parts);
  }
};

class Prices final : public Oasis {
 public:
  using Oasis::Oasis;
  MarketKind kind() const override { return MarketKind::Prices("USD"); }

  Result<MarketHours> Ask(Interval interval) override {
    EBB_ASSIGN_OR_RETURN(const auto files,
                         Files(std::string("queryname=PRC_LMP&node=") + kNode, interval));
    MarketHours hours;
    for (const platform::ZipEntry& file : files) {
      EBB_ASSIGN_OR_RETURN(const auto prices, ReadOasisPrices(file.data, file.name, kNode));
      const MarketHours told = HoursOf(prices);
      hours.insert(hours.end(), told.begin(), told.end());
    }
    return hours;
  }
};

}  // namespace

Result<std::unique_ptr<MarketSource>> MakeOasisOperators(std::string base_url,
                                                         HttpGetFunction http_get) {
  EBB_ASSIGN_OR_RETURN(prices::Publication publication, OasisPublication());
  return std::make_unique<Operators>("oasis operators", std::move(base_url), std::move(http_get),
                                     std::move(publication));
}

Result<std::unique_ptr<MarketSource>> MakeOasisPrices(std::string base_url,
                                                      HttpGetFunction http_get) {
  EBB_ASSIGN_OR_RETURN(prices::Publication publication, OasisPublication());
  return std::make_unique<Prices>("oasis prices", std::move(base_url), std::move(http_get),
                                  std::move(publication));
}

}  // namespace ebb::signals
