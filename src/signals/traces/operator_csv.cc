#include "signals/traces/operator_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr double kMostMw = 10'000'000;  // all plants of the world are less

enum class Quantity { kLoad, kWind, kSolar };
constexpr std::size_t kQuantities = 3;

struct Header {
  std::size_t columns = 0;
  std::optional<std::size_t> time, published;
  std::vector<std::pair<std::size_t, Quantity>> values;
};

Error HeaderError(const std::string& path, std::string what) {
  return {ExitCode::kConfiguration, std::move(what), path + ":1",
          "the first line must name the columns: timestamp,load_mw,wind_mw,solar_mw"};
}

std::optional<Quantity> QuantityOf(std::string_view name) {
  if (name == "load_mw") return Quantity::kLoad;
  if (name == "solar_mw") return Quantity::kSolar;
  if (name == "wind_mw" || name == "wind_onshore_mw" || name == "wind_offshore_mw")
    return Quantity::kWind;
  return std::nullopt;
}

// Wind may be in two columns, but not once as their sum and once by itself.
Status CheckValues(const Header& header, const std::vector<std::string>& names,
                   const std::string& path) {
  for (const auto& [quantity, column] : {std::pair(Quantity::kLoad, "load_mw"),
                                         {Quantity::kWind, "wind_mw"},
                                         {Quantity::kSolar, "solar_mw"}}) {
    const auto count =
        std::ranges::count(header.values, quantity, &std::pair<std::size_t, Quantity>::second);
    if (count == 0) return Fail(HeaderError(path, std::string("has no column \"") + column + '"'));
    const bool has_sum = std::ranges::count(names, column) > 0;
    if (count > 1 && (quantity != Quantity::kWind || has_sum || count > 2))
      return Fail(HeaderError(path, std::string("has more than one column for \"") + column + '"'));
  }
  return {};
}

Result<Header> ParseHeader(const std::vector<std::string_view>& fields, const std::string& path) {
  Header header;
  header.columns = fields.size();
  std::vector<std::string> names;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string& name = names.emplace_back(NormalisedName(fields[column]));
    const auto quantity = QuantityOf(name);
    if (quantity)
      header.values.emplace_back(column, *quantity);
    else if (!header.time && IsTimeName(name))
      header.time = column;
    else if (name == "published")
      header.published = column;
    else if (name.starts_with("load") || name.starts_with("wind") || name.starts_with("solar"))
      return Fail(HeaderError(path, Quoted(fields[column]) + " is in a unit that is not known"));
  }
  if (!header.time) return Fail(HeaderError(path, "has no column for the time (\"timestamp\")"));
  EBB_RETURN_IF_ERROR(CheckValues(header, names, path));
  return header;
}

struct Row : TimedRow {
  std::array<double, kQuantities> mw{};
  bool is_whole = true;
  std::optional<Time> published{};
};

Status ReadValue(std::string_view text, Quantity quantity, const std::string& path, Row& row) {
  const std::string word = Lowercase(Trim(text));
  if (word.empty() || word == "-" || word == "n/e" || word == "n/a" || word == "nan") {
    row.is_whole = false;
    return {};
  }
  const auto value = ParseNumber(word);
  if (!value || !(std::abs(*value) <= kMostMw))
    return Fail(AtLine(path, row.line, Quoted(text) + " is no power in MW",
                       "leave it empty where it is not known"));
  row.mw[static_cast<std::size_t>(quantity)] += *value;
  return {};
}

Result<Row> ReadRow(const CsvReader& csv, const Header& header, const std::string& path) {
  EBB_RETURN_IF_ERROR(CheckColumns(csv, header.columns, path));
  Row row;
  row.line = csv.line();
  EBB_ASSIGN_OR_RETURN(row.begin, ReadTimeField(csv.fields()[*header.time], path, row.line));
  for (const auto& [column, quantity] : header.values)
    EBB_RETURN_IF_ERROR(ReadValue(csv.fields()[column], quantity, path, row));
  if (header.published) {
    EBB_ASSIGN_OR_RETURN(row.published,
                         ReadTimeField(csv.fields()[*header.published], path, row.line));
  }
  return row;
}

// The rows of an hour, as far as they are there.
struct PartOfHour {
  Duration covered{};
  std::array<double, kQuantities> mw_hours{};
  std::optional<Time> published{};
};

Status AddTo(const Row& row, Interval interval, const std::string& path,
             std::map<Time, PartOfHour>& hours) {
  const Time hour = std::chrono::floor<std::chrono::hours>(interval.begin);
  if (interval.end > hour + kHour)
    return Fail(AtLine(path, row.line, "the row is of more than one hour",
                       "give a row for each hour, or for equal parts of it"));
  PartOfHour& part = hours[hour];
  if (!row.is_whole) return {};
  part.covered += interval.length();
  for (std::size_t i = 0; i < kQuantities; ++i)
    part.mw_hours[i] += row.mw[i] * Hours(interval.length());
  if (row.published)
    part.published = std::max(part.published.value_or(*row.published), *row.published);
  return {};
}

}  // namespace

Result<OperatorForecast> ParseOperatorCsv(std::string_view text, const std::string& path) {
  CsvReader csv(text, path, CsvBlanks::kTrimmed);
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(const Header header, ParseHeader(csv.fields(), path));
  std::vector<Row> rows;
  const auto take = [&]() -> Status {
    EBB_ASSIGN_OR_RETURN(Row row, ReadRow(csv, header, path));
    if (!rows.empty()) EBB_RETURN_IF_ERROR(CheckRowOrder(rows.back(), row, path));
    rows.push_back(row);
    return {};
  };
  EBB_RETURN_IF_ERROR(csv.ForEach(take));
  const Duration step = InferStep(BeginsOf(rows), kHour).length;
  std::map<Time, PartOfHour> parts;
  for (std::size_t i = 0; i < rows.size(); ++i)
    EBB_RETURN_IF_ERROR(AddTo(rows[i], IntervalOf(rows, i, step), path, parts));
  OperatorForecast hours;
  for (const auto& [begin, part] : parts)
    if (part.covered == kHour)
      hours.push_back(
          {begin, part.mw_hours[0], part.mw_hours[1], part.mw_hours[2], part.published});
  if (!hours.empty()) return hours;
  return Fail({ExitCode::kConfiguration, "has no hour with all of load, wind and sun", path,
               "is it the right file?"});
}

forecast::Driver DriverOf(const OperatorForecast& hours) {
  forecast::Driver driver{"residual load", {}, {}};
  if (hours.empty()) return driver;
  driver.begin = hours.front().begin;
  driver.hours.resize(static_cast<std::size_t>((hours.back().begin - driver.begin) / kHour) + 1);
  for (const ExpectedHour& hour : hours)
    if (hour.published)
      driver.hours[static_cast<std::size_t>((hour.begin - driver.begin) / kHour)] =
          forecast::DriverHour{hour.load_mw - hour.wind_mw - hour.solar_mw, *hour.published};
  return driver;
}

}  // namespace ebb::signals
