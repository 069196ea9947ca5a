#pragma once
// Tables of reports, described once. A column has its name in files (its key, which ends in the
// unit), its name for people (its heading), and the figure of a row in both forms. The functions
// below make a table for a terminal or a page, CSV and JSON of the same columns, so that no format
// has a list of figures of its own.
//
// An unknown figure is an empty field of CSV, null in JSON, and empty or a word for people.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/csv.h"
#include "report/described_json.h"
#include "report/text_table.h"

namespace ebb::report {

/// A key that JSON leaves out of this row; CSV has an empty field.
struct Omitted {};
/// An object of figures, for example a value and its interval. A field of CSV is its JSON.
struct Nested {
  std::function<void(DescribedJson&)> describe;
  void Describe(DescribedJson& json) const { describe(json); }
};
/// A figure for programs, in the unit of its key; std::monostate if it is unknown.
using Plain =
    std::variant<std::monostate, Omitted, std::string, std::int64_t, double, bool, Nested>;

/// The value as `plain` makes it; unknown without a value.
template <typename T, typename ToPlain = std::identity>
Plain PlainOf(const std::optional<T>& value, ToPlain plain = {}) {
  return value ? Plain(std::invoke(plain, *value)) : Plain();
}
/// The text, or no key in JSON if it is empty.
Plain OrOmitted(const std::string& text);
/// The field of a CSV file. Numbers have all their digits.
std::string PlainText(const Plain& plain);

enum class Readers { kAll, kTerminal, kPage };

template <typename Row>
struct Column {
  using ToPlain = std::function<Plain(const Row&)>;
  using ToText = std::function<std::string(const Row&)>;

  /// Without `for_people` only files have the column. Without `to_text` people see the field of the
  /// file.
  Column(std::string file_key, ToPlain to_plain, std::string for_people = {}, ToText to_text = {},
         std::string line_break = {})
      : key(std::move(file_key)),
        heading(std::move(for_people)),
        plain(std::move(to_plain)),
        shown(std::move(to_text)),
        page_break(std::move(line_break)) {}
  /// The same; its values are text, not figures.
  static Column Text(std::string file_key, ToPlain to_plain, std::string for_people,
                     ToText to_text = {}) {
    Column column(std::move(file_key), std::move(to_plain), std::move(for_people),
                  std::move(to_text));
    column.is_text = true;
    return column;
  }
  /// A column that no file has.
  static Column Shown(std::string for_people, ToText to_text, Readers some = Readers::kAll,
                      std::string line_break = {}) {
    Column column({}, {}, std::move(for_people), std::move(to_text), std::move(line_break));
    column.readers = some;
    return column;
  }

  std::string key, heading;  ///< empty: not in files; not for people
  ToPlain plain;
  ToText shown;
  std::string page_break;  ///< TextTable::page_breaks
  bool is_text = false;
  Readers readers = Readers::kAll;
};

/// The columns that have these names, in this order. `name`: &Column<Row>::key or ::heading.
template <typename Row>
std::vector<Column<Row>> Chosen(const std::vector<Column<Row>>& columns,
                                std::string Column<Row>::*name,
                                const std::vector<std::string>& names) {
  std::vector<Column<Row>> chosen;
  for (const std::string& wanted : names) {
    const auto found = std::ranges::find(columns, wanted, name);
    EBB_CHECK(found != columns.end());
    chosen.push_back(*found);
  }
  return chosen;
}

/// The columns with a heading, for a terminal or a page.
template <typename Row>
TextTable TableFor(Readers readers, const std::vector<Column<Row>>& columns,
                   const std::vector<Row>& rows) {
  TextTable table;
  table.rows.resize(rows.size());
  for (const Column<Row>& column : columns) {
    if (column.heading.empty()) continue;
    if (column.readers != Readers::kAll && column.readers != readers) continue;
    if (column.is_text) table.texts.push_back(table.headers.size());
    table.headers.push_back(column.heading);
    table.page_breaks.push_back(column.page_break);
    for (std::size_t i = 0; i < rows.size(); ++i)
      table.rows[i].push_back(column.shown ? column.shown(rows[i])
                                           : PlainText(column.plain(rows[i])));
  }
  return table;
}

/// The columns with a key: a line with the keys, then a line for each row.
template <typename Row>
std::string CsvOf(const std::vector<Column<Row>>& columns, const std::vector<Row>& rows) {
  std::vector<std::string> fields;
  for (const Column<Row>& column : columns)
    if (!column.key.empty()) fields.push_back(column.key);
  std::string text = CsvLine(fields) + "\n";
  for (const Row& row : rows) {
    fields.clear();
    for (const Column<Row>& column : columns)
      if (!column.key.empty()) fields.push_back(PlainText(column.plain(row)));
    text += CsvLine(fields) + "\n";
  }
  return text;
}

/// A row as a JSON object of the columns with a key, for DescribedJson.
template <typename Row>
struct JsonRow {
  std::span<const Column<Row>> columns = {};
  const Row* row = nullptr;
  void Describe(DescribedJson& json) const {
    for (const Column<Row>& column : columns)
      if (!column.key.empty())
        std::visit([&](const auto& value) { Add(json, column.key, value); }, column.plain(*row));
  }

 private:
  template <typename Value>
  static void Add(DescribedJson& json, const std::string& key, const Value& value) {
    if constexpr (std::same_as<Value, std::monostate>)
      json(key, "", OrNull<bool>{});
    else if constexpr (!std::same_as<Value, Omitted>)
      json(key, "", value);
  }
};
/// `columns` and `rows` must outlive the answer.
template <typename Row>
std::vector<JsonRow<Row>> JsonRowsOf(const std::vector<Column<Row>>& columns,
                                     const std::vector<Row>& rows) {
  std::vector<JsonRow<Row>> json;
  for (const Row& row : rows) json.push_back({columns, &row});
  return json;
}

}  // namespace ebb::report
