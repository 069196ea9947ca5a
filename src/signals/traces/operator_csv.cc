#include "signals/traces/operator_csv.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

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
  if (name == "wind_mw") return Quantity::kWind;
  if (name == "wind_onshore_mw") return Quantity::kWindOnshore;
  if (name == "wind_offshore_mw") return Quantity::kWindOffshore;
  return std::nullopt;
}

// Wind may be in two columns, but not in its sum and in one part as well.
Status CheckValues(const Header& header, const std::string& path) {
  const auto count = [&](Quantity quantity) {
    return std::ranges::count(header.values, quantity, &std::pair<std::size_t, Quantity>::second);
  };
  const auto onshore = count(Quantity::kWindOnshore), offshore = count(Quantity::kWindOffshore);
  const auto by_itself = std::min<std::ptrdiff_t>(1, onshore + offshore);
  const bool twice = onshore > 1 || offshore > 1;
  for (const auto& [columns, column] : {std::pair(count(Quantity::kLoad), "load_mw"),
                                        {twice ? 2 : count(Quantity::kWind) + by_itself, "wind_mw"},
                                        {count(Quantity::kSolar), "solar_mw"}}) {
    if (columns == 0)
      return Fail(HeaderError(path, std::string("has no column \"") + column + '"'));
    if (columns > 1)
      return Fail(HeaderError(path, std::string("has more than one column for \"") + column + '"'));
  }
  return {};
}

Result<Header> ParseHeader(const std::vector<std::string_view>& fields, const std::string& path) {
  Header header;
  header.columns = fields.size();
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string name = NormalisedName(fields[column]);
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
  EBB_RETURN_IF_ERROR(CheckValues(header, path));
  return header;
}

struct Row : TimedRow {
  std::vector<std::optional<double>> mw;  ///< one value for each of Header::values
  std::optional<Time> published{};
};

Result<Row> ReadRow(const CsvReader& csv, const Header& header, const std::string& path) {
  EBB_RETURN_IF_ERROR(CheckColumns(csv, header.columns, path));
  Row row;
  row.line = csv.line();
  EBB_ASSIGN_OR_RETURN(row.begin, ReadTimeField(csv.fields()[*header.time], path, row.line));
  for (const auto& [column, quantity] : header.values) {
    EBB_ASSIGN_OR_RETURN(row.mw.emplace_back(),
                         ReadPowerField(csv.fields()[column], path, row.line));
  }
  if (header.published) {
    EBB_ASSIGN_OR_RETURN(row.published,
                         ReadTimeField(csv.fields()[*header.published], path, row.line));
  }
  return row;
}

}  // namespace

Status ReadOperatorCsv(std::string_view text, const std::string& path, OperatorParts& parts) {
  CsvReader csv(text, path, CsvBlanks::kTrimmed, CsvSeparatorOf(text));
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(const Header header, ParseHeader(csv.fields(), path));
  std::vector<Row> rows;
  const auto take = [&]() -> Status {
    EBB_ASSIGN_OR_RETURN(Row row, ReadRow(csv, header, path));
    if (!rows.empty()) EBB_RETURN_IF_ERROR(CheckRowOrder(rows.back(), row, path));
    rows.push_back(std::move(row));
    return {};
  };
  EBB_RETURN_IF_ERROR(csv.ForEach(take));
  for (const auto& [column, quantity] : header.values) parts.Expect(quantity);
  const Duration step = InferStep(BeginsOf(rows), kHour).length;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t value = 0; value < header.values.size(); ++value) {
      if (!rows[i].mw[value]) continue;
      const ExpectedPower power{IntervalOf(rows, i, step), *rows[i].mw[value], rows[i].published};
      EBB_RETURN_IF_ERROR(AddAtLine(header.values[value].second, power, path, rows[i].line, parts));
    }
  return {};
}

}  // namespace ebb::signals
