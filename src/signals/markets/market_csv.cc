#include "signals/markets/market_csv.h"

#include <cmath>

#include "base/csv.h"
#include "base/text.h"
#include "signals/traces/csv_rows.h"

namespace ebb::signals {
namespace {

constexpr Duration kLongest{std::chrono::days{3660}};

std::string Header(const MarketKind& kind) {
  std::string header = "timestamp";
  for (const MarketColumn& column : kind.columns) header += "," + std::string(column.name);
  return header + ",published";
}

Result<MarketHour> ReadHour(const CsvReader& csv, const MarketKind& kind, const std::string& path) {
  const auto& fields = csv.fields();
  EBB_RETURN_IF_ERROR(CheckColumns(csv, kind.columns.size() + 2, path));
  MarketHour hour;
  EBB_ASSIGN_OR_RETURN(hour.begin, ReadTimeField(fields.front(), path, csv.line()));
  EBB_ASSIGN_OR_RETURN(hour.published, ReadTimeField(fields.back(), path, csv.line()));
  for (std::size_t i = 1; i <= kind.columns.size(); ++i) {
    const auto value = ParseNumber(fields[i]);
    if (!value || !std::isfinite(*value))
      return Fail(AtLine(path, csv.line(), Quoted(fields[i]) + " is not a number"));
    hour.values.push_back(*value);
  }
  if (hour.begin != std::chrono::floor<std::chrono::hours>(hour.begin))
    return Fail(AtLine(path, csv.line(), "does not begin at a whole hour"));
  return hour;
}

}  // namespace

std::string MarketText(const MarketKind& kind, const MarketHours& hours) {
  std::string text = Header(kind) + "\n";
  for (const MarketHour& hour : hours) {
    text += FormatTime(hour.begin);
    for (const double value : hour.values) text += "," + FormatExact(value);
    text += "," + FormatTime(hour.published) + "\n";
  }
  return text;
}

Result<MarketHours> ParseMarketText(const MarketKind& kind, std::string_view text,
                                    const std::string& path) {
  CsvReader csv(text, path);
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  if (csv.text() != Header(kind))
    return Fail(AtLine(path, 1, "does not begin with " + Header(kind)));
  MarketHours hours;
  EBB_RETURN_IF_ERROR(csv.ForEach([&]() -> Status {
    EBB_ASSIGN_OR_RETURN(MarketHour hour, ReadHour(csv, kind, path));
    if (!hours.empty() && hour.begin <= hours.back().begin)
      return Fail(AtLine(path, csv.line(), "rows are not in the order of time"));
    hours.push_back(std::move(hour));
    return {};
  }));
  if (!hours.empty() && hours.back().begin - hours.front().begin > kLongest)
    return Fail(AtLine(path, csv.line(), "is of more than ten years"));
  return hours;
}

}  // namespace ebb::signals
