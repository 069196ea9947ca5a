#include "signals/traces/entsoe_document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {
namespace {

// An answer of the platform covers a year at most.
constexpr Duration kLongestPeriod{std::chrono::days{400}};
constexpr std::size_t kMostValues = 2'000'000;
constexpr double kHighestPerMwh = 1'000'000;  // thirty times what any market allows

Error Bad(const XmlElement& at, const std::string& path, std::string what) {
  return AtLine(path, at.line, std::move(what), "download it again");
}

Result<Duration> ResolutionOf(const XmlElement& period, const std::string& path) {
  const std::string_view text = period.TextOf("resolution");
  if (text == "PT15M") return Duration{std::chrono::minutes{15}};
  if (text == "PT30M") return Duration{std::chrono::minutes{30}};
  if (text == "PT60M" || text == "PT1H") return Duration{std::chrono::hours{1}};
  return Fail(Bad(period, path,
                  text.empty() ? "the Period has no resolution"
                               : "the resolution " + Quoted(text) + " is not one of hours"));
}

Result<Interval> IntervalOf(const XmlElement& period, const std::string& path) {
  const XmlElement* interval = period.Find("timeInterval");
  if (!interval) return Fail(Bad(period, path, "the Period has no timeInterval"));
  EBB_ASSIGN_OR_RETURN(const Time begin,
                       ReadTimeField(interval->TextOf("start"), path, interval->line));
  EBB_ASSIGN_OR_RETURN(const Time end,
                       ReadTimeField(interval->TextOf("end"), path, interval->line));
  if (end <= begin || end - begin > kLongestPeriod)
    return Fail(Bad(*interval, path, "the interval is not one of up to 400 days"));
  return Interval{begin, end};
}

struct Point {
  long long position = 0;
  double value = 0;
};

Result<Point> ReadPoint(const XmlElement& element, long long positions, const std::string& path) {
  const auto position = ParseInteger(element.TextOf("position"));
  if (!position || *position < 1 || *position > positions)
    return Fail(Bad(element, path,
                    "position " + Quoted(element.TextOf("position")) + " is not one of 1 to " +
                        std::to_string(positions)));
  const XmlElement* value = element.Find("quantity");
  if (!value) value = element.Find("price.amount");
  if (!value) return Fail(Bad(element, path, "the Point has neither quantity nor price.amount"));
  const auto number = ParseNumber(value->text);
  if (!number || !std::isfinite(*number))
    return Fail(Bad(*value, path, Quoted(value->text) + " is not a number"));
  return Point{*position, *number};
}

enum class Curve { kPoints, kBlocks };

Result<Curve> CurveOf(const XmlElement& series, const std::string& path) {
  const std::string_view type = series.TextOf("curveType");
  if (type == "A03") return Curve::kBlocks;
  if (type.empty() || type == "A01") return Curve::kPoints;
  return Fail(Bad(series, path, "the curve type " + Quoted(type) + " is neither A01 nor A03"));
}

Status ReadValues(const XmlElement& period, Curve curve, const std::string& path,
                  EntsoeSeries& series) {
  EBB_ASSIGN_OR_RETURN(series.resolution, ResolutionOf(period, path));
  EBB_ASSIGN_OR_RETURN(const Interval interval, IntervalOf(period, path));
  const long long positions = interval.length() / series.resolution;
  if (positions * series.resolution != interval.length())
    return Fail(Bad(period, path, "the interval does not consist of steps of the resolution"));
  std::optional<Point> before;
  const auto hold = [&](const Point& point, long long until) {
    for (long long i = point.position; i < until; ++i) {
      const Time begin = interval.begin + (i - 1) * series.resolution;
      series.values.push_back({{begin, begin + series.resolution}, point.value});
    }
  };
  for (const XmlElement& child : period.children) {
    if (child.name != "Point") continue;
    EBB_ASSIGN_OR_RETURN(const Point point, ReadPoint(child, positions, path));
    if (before && point.position <= before->position)
      return Fail(Bad(child, path, "the positions are not in order"));
    if (before) hold(*before, curve == Curve::kBlocks ? point.position : before->position + 1);
    before = point;
  }
  if (before) hold(*before, curve == Curve::kBlocks ? positions + 1 : before->position + 1);
  return {};
}

std::string AreaOf(const XmlElement& series) {
  for (const char* domain : {"outBiddingZone_Domain.mRID", "inBiddingZone_Domain.mRID",
                             "in_Domain.mRID", "out_Domain.mRID"})
    if (const auto area = series.TextOf(domain); !area.empty()) return std::string(area);
  return {};
}

// Adds the number of values read to `values`: a few elements can stand for many values.
Status ReadSeries(const XmlElement& element, const std::string& path, std::size_t& values,
                  EntsoeDocument& document) {
  EBB_ASSIGN_OR_RETURN(const Curve curve, CurveOf(element, path));
  EntsoeSeries common;
  common.line = element.line;
  common.area = AreaOf(element);
  common.is_consumption = !element.TextOf("outBiddingZone_Domain.mRID").empty();
  if (const XmlElement* plants = element.Find("MktPSRType"))
    common.plants = plants->TextOf("psrType");
  common.unit = element.TextOf("quantity_Measure_Unit.name");
  if (common.unit.empty()) common.unit = element.TextOf("price_Measure_Unit.name");
  common.currency = element.TextOf("currency_Unit.name");
  common.agreement = element.TextOf("contract_MarketAgreement.type");
  common.auction = element.TextOf("classificationSequence_AttributeInstanceComponent.position");
  for (const XmlElement& child : element.children) {
    if (child.name != "Period") continue;
    EntsoeSeries& series = document.series.emplace_back(common);
    EBB_RETURN_IF_ERROR(ReadValues(child, curve, path, series));
    values += series.values.size();
    if (values > kMostValues)
      return Fail(Bad(child, path, "has more than " + std::to_string(kMostValues) + " values"));
  }
  return {};
}

std::string RefusalOf(const XmlElement& root) {
  const XmlElement* reason = root.Find("Reason");
  if (!reason) return "for no reason that it gives";
  const std::string_view text = reason->TextOf("text");
  return std::string(text.empty() ? reason->TextOf("code") : text);
}

Status CheckNotRefused(const EntsoeDocument& document, const std::string& path) {
  if (!document.refusal) return {};
  return Fail({ExitCode::kUnavailable, "the platform refused: " + *document.refusal, path,
               "ask for another period or area"});
}

Status CheckOneArea(const EntsoeDocument& document, const std::string& path) {
  for (const EntsoeSeries& series : document.series)
    if (series.area != document.series.front().area)
      return Fail(AtLine(path, series.line,
                         "holds area " + series.area + " beside " + document.series.front().area,
                         "give a document of one area"));
  return {};
}

Result<Quantity> QuantityOf(const EntsoeDocument& document, const EntsoeSeries& series,
                            const std::string& path) {
  if (document.type == "A65") return Quantity::kLoad;
  if (series.plants == "B16") return Quantity::kSolar;
  if (series.plants == "B18") return Quantity::kWindOffshore;
  if (series.plants == "B19") return Quantity::kWindOnshore;
  return Fail(AtLine(
      path, series.line,
      "plants of type " + Quoted(series.plants) + " are neither sun (B16) nor wind (B18, B19)",
      "ask for documentType A69"));
}

Result<double> PerKwh(double per_mwh, const EntsoeSeries& series, const std::string& path) {
  if (std::abs(per_mwh) <= kHighestPerMwh) return per_mwh / 1000;
  return Fail(AtLine(path, series.line, "price " + FormatExact(per_mwh) + " cannot be a price",
                     "download it again"));
}

// The series of the day-ahead auction, the finest resolution first.
Result<std::vector<const EntsoeSeries*>> DayAheadSeries(const EntsoeDocument& document,
                                                        const std::string& path) {
  std::vector<const EntsoeSeries*> chosen;
  for (const EntsoeSeries& series : document.series) {
    if (!series.agreement.empty() && series.agreement != "A01") continue;
    if (!series.auction.empty() && series.auction != "1") continue;
    if (series.unit != "MWH" || series.currency.empty())
      return Fail(AtLine(path, series.line,
                         "prices in " + Quoted(series.currency) + " by " + Quoted(series.unit) +
                             " are not prices of a currency by MWH",
                         "download it again"));
    if (!chosen.empty() && series.currency != chosen.front()->currency)
      return Fail(AtLine(path, series.line, "the currency changes within the document", ""));
    chosen.push_back(&series);
  }
  std::ranges::stable_sort(chosen, {}, &EntsoeSeries::resolution);
  return chosen;
}

}  // namespace

std::string EntsoeStamp(Time time) {
  const std::string iso = FormatTime(time);
  return iso.substr(0, 4) + iso.substr(5, 2) + iso.substr(8, 2) + iso.substr(11, 2) +
         iso.substr(14, 2);
}

Result<EntsoeDocument> ParseEntsoeDocument(std::string_view text, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const XmlElement root, ParseXml(text, path));
  EntsoeDocument document;
  if (root.name == "Acknowledgement_MarketDocument") {
    document.refusal = RefusalOf(root);
    return document;
  }
  if (root.name != "GL_MarketDocument" && root.name != "Publication_MarketDocument")
    return Fail(AtLine(path, root.line,
                       "is " + Quoted(root.name) +
                           ", neither GL_MarketDocument nor "
                           "Publication_MarketDocument of ENTSO-E",
                       "is it the right file?"));
  document.type = root.TextOf("type");
  document.process = root.TextOf("process.processType");
  std::size_t values = 0;
  for (const XmlElement& child : root.children) {
    if (child.name != "TimeSeries") continue;
    EBB_RETURN_IF_ERROR(ReadSeries(child, path, values, document));
  }
  return document;
}

Status AddEntsoeForecasts(const EntsoeDocument& document, const std::string& path,
                          OperatorParts& parts) {
  EBB_RETURN_IF_ERROR(CheckNotRefused(document, path));
  const bool is_forecast = document.type == "A65" || document.type == "A69";
  if (!is_forecast || (!document.process.empty() && document.process != "A01"))
    return Fail({ExitCode::kConfiguration,
                 "is a document of type " + Quoted(document.type) + ", process " +
                     Quoted(document.process) + ", not a forecast of the day ahead",
                 path, "ask for documentType A65 or A69 with processType A01"});
  EBB_RETURN_IF_ERROR(CheckOneArea(document, path));
  for (const EntsoeSeries& series : document.series) {
    EBB_ASSIGN_OR_RETURN(const Quantity quantity, QuantityOf(document, series, path));
    if (series.unit != "MAW")
      return Fail(AtLine(path, series.line, "power in " + Quoted(series.unit) + " is not in MAW",
                         "download it again"));
    for (const EntsoeValue& value : series.values)
      EBB_RETURN_IF_ERROR(
          AddAtLine(quantity, {value.interval, value.value, {}}, path, series.line, parts));
  }
  return {};
}

Result<core::PriceSeries> EntsoePrices(const EntsoeDocument& document, const std::string& path) {
  EBB_RETURN_IF_ERROR(CheckNotRefused(document, path));
  if (document.type != "A44")
    return Fail({ExitCode::kConfiguration,
                 "is a document of type " + Quoted(document.type) + ", not of prices (A44)", path,
                 "is it the right file?"});
  EBB_RETURN_IF_ERROR(CheckOneArea(document, path));
  EBB_ASSIGN_OR_RETURN(const auto chosen, DayAheadSeries(document, path));
  std::map<Time, core::PriceSample> by_begin;
  for (const EntsoeSeries* series : chosen)
    for (const EntsoeValue& value : series->values) {
      EBB_ASSIGN_OR_RETURN(const double per_kwh, PerKwh(value.value, *series, path));
      const auto end = by_begin.lower_bound(value.interval.end);
      by_begin.erase(by_begin.lower_bound(value.interval.begin), end);
      by_begin.insert({value.interval.begin, {value.interval, per_kwh}});
    }
  if (by_begin.empty())
    return Fail(
        {ExitCode::kConfiguration, "has no day-ahead price", path, "is it the right file?"});
  std::vector<core::PriceSample> samples;
  for (const auto& [begin, sample] : by_begin) {
    if (!samples.empty())
      samples.back().interval.end = std::min(samples.back().interval.end, begin);
    samples.push_back(sample);
  }
  return core::PriceSeries::Create(
      {chosen.front()->currency, "prices of ENTSO-E, " + chosen.front()->area}, std::move(samples));
}

}  // namespace ebb::signals
