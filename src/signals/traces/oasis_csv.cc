#include "signals/traces/oasis_csv.h"

#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {
namespace {

constexpr const char* kPublishedBy = "America/Los_Angeles";
constexpr std::chrono::hours kPublishedAt{13};
constexpr std::string_view kDayAhead = "DAM";
constexpr std::string_view kWholeSystem = "CA ISO-TAC";
constexpr double kHighestPerMwh = 1'000'000;

// A row, read by the names of its columns.
class Row {
 public:
  Row(const CsvReader& csv, const std::map<std::string, std::size_t>& columns,
      const std::string& path)
      : csv_(csv), columns_(columns), path_(path) {}

  std::string_view Of(const char* name) const {
    const auto column = columns_.find(name);
    return column == columns_.end() ? std::string_view() : csv_.fields()[column->second];
  }
  std::size_t line() const { return csv_.line(); }

  Result<Interval> When() const {
    EBB_ASSIGN_OR_RETURN(const Time begin,
                         ReadTimeField(Of("INTERVALSTARTTIME_GMT"), path_, line()));
    EBB_ASSIGN_OR_RETURN(const Time end, ReadTimeField(Of("INTERVALENDTIME_GMT"), path_, line()));
    if (end <= begin) return Fail(AtLine(path_, line(), "the interval ends before it begins"));
    return Interval{begin, end};
  }

 private:
  const CsvReader& csv_;
  const std::map<std::string, std::size_t>& columns_;
  const std::string& path_;
};

template <typename Take>
Status ForEachRow(std::string_view text, const std::string& path,
                  const std::vector<const char*>& needed, Take take) {
  CsvReader csv(text, path, CsvBlanks::kTrimmed);
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < csv.fields().size(); ++i)
    columns.emplace(std::string(csv.fields()[i]), i);
  const std::size_t count = csv.fields().size();
  for (const char* name : needed)
    if (!columns.contains(name))
      return Fail(
          AtLine(path, csv.line(), std::string("has no column ") + name, "download it again"));
  return csv.ForEach([&]() -> Status {
    EBB_RETURN_IF_ERROR(CheckColumns(csv, count, path));
    const Row row(csv, columns, path);
    return row.Of("MARKET_RUN_ID") == kDayAhead ? take(row) : Status{};
  });
}

Status ReadLoad(std::string_view text, const std::string& path,
                const prices::Publication& publication, OperatorParts& parts) {
  const std::vector<const char*> needed{"INTERVALENDTIME_GMT", "MARKET_RUN_ID", "TAC_AREA_NAME",
                                        "MW"};
  return ForEachRow(text, path, needed, [&](const Row& row) -> Status {
    if (row.Of("TAC_AREA_NAME") != kWholeSystem) return {};
    EBB_ASSIGN_OR_RETURN(const Interval interval, row.When());
    EBB_ASSIGN_OR_RETURN(const auto mw, ReadPowerField(row.Of("MW"), path, row.line()));
    parts.Expect(Quantity::kLoad);
    if (!mw) return {};
    return AddAtLine(Quantity::kLoad, {interval, *mw, publication.Of(interval.begin)}, path,
                     row.line(), parts);
  });
}

// The values of one hour and kind of plants, by hub.
struct Hubs {
  std::size_t line = 0;
  Time end{};
  std::map<std::string, double, std::less<>> mw;
};

Status ReadPlants(std::string_view text, const std::string& path,
                  const prices::Publication& publication, OperatorParts& parts) {
  std::map<Quantity, std::map<Time, Hubs>> hours;
  std::map<Quantity, std::set<std::string, std::less<>>> hubs;
  const std::vector<const char*> needed{"INTERVALENDTIME_GMT", "MARKET_RUN_ID", "TRADING_HUB",
                                        "RENEWABLE_TYPE", "MW"};
  EBB_RETURN_IF_ERROR(ForEachRow(text, path, needed, [&](const Row& row) -> Status {
    const std::string plants = Lowercase(row.Of("RENEWABLE_TYPE"));
    if (plants != "solar" && plants != "wind") return {};
    const Quantity quantity = plants == "solar" ? Quantity::kSolar : Quantity::kWind;
    EBB_ASSIGN_OR_RETURN(const Interval interval, row.When());
    EBB_ASSIGN_OR_RETURN(const auto mw, ReadPowerField(row.Of("MW"), path, row.line()));
    const std::string hub(row.Of("TRADING_HUB"));
    hubs[quantity].insert(hub);
    if (!mw) return {};
    Hubs& hour = hours[quantity][interval.begin];
    hour.line = row.line();
    hour.end = interval.end;
    hour.mw[hub] = *mw;
    return {};
  }));
  for (const auto& [quantity, all] : hubs) {
    parts.Expect(quantity);
    for (const auto& [begin, hour] : hours[quantity]) {
      if (hour.mw.size() != all.size()) continue;
      ExpectedPower sum{{begin, hour.end}, 0, publication.Of(begin)};
      for (const auto& [hub, mw] : hour.mw) sum.mw += mw;
      EBB_RETURN_IF_ERROR(AddAtLine(quantity, sum, path, hour.line, parts));
    }
  }
  return {};
}

const XmlElement* FindBelow(const XmlElement& element, std::string_view name) {
  if (element.name == name) return &element;
  for (const XmlElement& child : element.children)
    if (const XmlElement* found = FindBelow(child, name)) return found;
  return nullptr;
}

}  // namespace

bool IsOasisCsv(std::string_view text) {
  return text.substr(0, text.find('\n')).find("INTERVALSTARTTIME_GMT") != std::string_view::npos;
}

Result<prices::Publication> OasisPublication() {
  EBB_ASSIGN_OR_RETURN(prices::ZoneClock clock, prices::ZoneClock::Find(kPublishedBy));
  return prices::Publication{std::move(clock), kPublishedAt};
}

Status ReadOasisForecasts(std::string_view text, const std::string& path, OperatorParts& parts) {
  EBB_ASSIGN_OR_RETURN(const prices::Publication publication, OasisPublication());
  const std::string_view header = text.substr(0, text.find('\n'));
  if (header.find("RENEWABLE_TYPE") != std::string_view::npos)
    return ReadPlants(text, path, publication, parts);
  return ReadLoad(text, path, publication, parts);
}

Result<core::PriceSeries> ReadOasisPrices(std::string_view text, const std::string& path,
                                          const std::string& node) {
  std::map<Time, core::PriceSample> by_begin;
  std::string only = node;
  const std::vector<const char*> needed{"INTERVALENDTIME_GMT", "MARKET_RUN_ID", "NODE", "LMP_TYPE",
                                        "MW"};
  EBB_RETURN_IF_ERROR(ForEachRow(text, path, needed, [&](const Row& row) -> Status {
    if (row.Of("LMP_TYPE") != "LMP") return {};
    if (only.empty()) only = row.Of("NODE");
    if (row.Of("NODE") != only)
      return node.empty() ? Status(Fail(AtLine(
                                path, row.line(),
                                "holds node " + Quoted(row.Of("NODE")) + " beside " + Quoted(only),
                                "name the one to use: day_ahead: {file: ..., zone: ...}")))
                          : Status{};
    EBB_ASSIGN_OR_RETURN(const Interval interval, row.When());
    const auto price = ParseNumber(row.Of("MW"));
    if (!price || !(std::abs(*price) <= kHighestPerMwh))
      return Fail(AtLine(path, row.line(), Quoted(row.Of("MW")) + " cannot be a price"));
    by_begin[interval.begin] = {interval, *price / 1000};
    return {};
  }));
  if (by_begin.empty())
    return Fail({ExitCode::kConfiguration,
                 "has no day-ahead price" + (node.empty() ? "" : " of node " + Quoted(node)), path,
                 "is it PRC_LMP of market DAM?"});
  std::vector<core::PriceSample> samples;
  for (const auto& [begin, sample] : by_begin) samples.push_back(sample);
  return core::PriceSeries::Create({"USD", "prices of CAISO, " + only}, std::move(samples));
}

Error OasisRefusal(std::string_view xml, const std::string& path) {
  const auto root = ParseXml(xml, path);
  if (!root) return root.error();
  const XmlElement* why = FindBelow(*root, "ERR_DESC");
  if (!why)
    return {ExitCode::kConfiguration, "holds XML, not CSV", path, "ask OASIS for resultformat=6"};
  return {ExitCode::kUnavailable, "OASIS refused: " + why->text, path, "ask for another period"};
}

}  // namespace ebb::signals
