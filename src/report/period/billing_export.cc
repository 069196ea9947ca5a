#include "report/period/billing_export.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/csv.h"
#include "base/text.h"

namespace ebb::report {
namespace {

constexpr double kGramsPerKg = 1e3, kGramsPerTonne = 1e6;

// "project.id" and "project_id" are one column: a table with nested columns is flattened by hand.
std::string ColumnName(std::string_view text) {
  std::string name = Lowercase(Trim(text));
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// One record, with its fields by column.
class Fields {
 public:
  Fields(const std::map<std::string, std::size_t>& columns, const CsvRecord& record,
         std::string where)
      : columns_(columns), record_(record), where_(std::move(where)) {}

  std::string Text(const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : std::string(Trim(record_.fields.at(found->second)));
  }
  /// The number in a column; nothing for an empty field and for NULL.
  Result<std::optional<double>> Number(const std::string& column, double grams) const {
    const std::string text = Text(column);
    if (text.empty() || Lowercase(text) == "null") return std::optional<double>();
    const auto number = ParseNumber(text);
    if (!number) return Fail(Bad(column, text, "a number"));
    return std::optional(*number * grams);
  }
  Error Bad(const std::string& column, const std::string& text, const std::string& wanted) const {
    return {ExitCode::kConfiguration, column + ": " + Quoted(text) + " is not " + wanted, where_,
            "use the file as the provider wrote it"};
  }

 private:
  const std::map<std::string, std::size_t>& columns_;
  const CsvRecord& record_;
  std::string where_;
};

bool IsMonth(std::string_view text) {
  const auto number = [&](std::size_t at, std::size_t length) {
    return ParseInteger(text.substr(at, length)).value_or(-1);
  };
  return text.size() == 7 && text[4] == '-' && number(0, 4) >= 1990 && number(5, 2) >= 1 &&
         number(5, 2) <= 12;
}

// The month of a date: "2026-10" for "2026-10-01", "2026-10-01 00:00:00Z" and "20261001".
Result<std::string> MonthOf(const Fields& fields, const std::string& column) {
  const std::string text = fields.Text(column);
  std::string month = text.substr(0, 7);
  if (text.size() == 8 && ParseInteger(text)) month = text.substr(0, 4) + "-" + text.substr(4, 2);
  if (IsMonth(month)) return month;
  return Fail(fields.Bad(column, text, "a date"));
}

// The month with its name as a number: "2026-10" for "Oct 2026".
Result<std::string> NamedMonthOf(const Fields& fields, const std::string& column) {
  static constexpr std::array<std::string_view, 12> kNames{
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
  const std::string text = Lowercase(fields.Text(column));
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!text.starts_with(kNames[i]) || text.size() < 8) continue;
    const std::string month =
        text.substr(text.size() - 4) + (i < 9 ? "-0" : "-") + std::to_string(i + 1);
    if (IsMonth(month)) return month;
  }
  return Fail(fields.Bad(column, text, "a month such as \"Oct 2026\""));
}

// Takes the number in a column into a member, in grams.
Status Take(const Fields& fields, const std::string& column, double grams,
            std::optional<double>& member) {
  EBB_ASSIGN_OR_RETURN(member, fields.Number(column, grams));
  return {};
}

Status RequireTonnes(const Fields& fields, const std::string& column) {
  const std::string unit = fields.Text(column);
  if (unit.empty() || Lowercase(unit) == "mtco2e") return {};
  return Fail(fields.Bad(column, unit, "MTCO2e"));
}

struct ReadLine {
  BillingLine line;
  std::string version;  ///< version of the provider's method; empty if not stated
};

Result<ReadLine> ReadAws(const Fields& fields) {
  ReadLine read;
  BillingLine& line = read.line;
  EBB_ASSIGN_OR_RETURN(line.month, MonthOf(fields, "usage_period_start"));
  EBB_RETURN_IF_ERROR(RequireTonnes(fields, "total_lbm_emissions_unit"));
  EBB_RETURN_IF_ERROR(RequireTonnes(fields, "total_mbm_emissions_unit"));
  line.project = fields.Text("usage_account_id");
  line.region = fields.Text("region_code");
  line.service = fields.Text("product_code");
  EBB_RETURN_IF_ERROR(
      Take(fields, "total_lbm_emissions_value", kGramsPerTonne, line.total_location_g));
  EBB_RETURN_IF_ERROR(
      Take(fields, "total_mbm_emissions_value", kGramsPerTonne, line.total_market_g));
  read.version = fields.Text("model_version");
  return read;
}

Result<ReadLine> ReadGoogle(const Fields& fields) {
  ReadLine read;
  BillingLine& line = read.line;
  EBB_ASSIGN_OR_RETURN(line.month, MonthOf(fields, "usage_month"));
  line.project = fields.Text("project_id");
  line.region = fields.Text("location_region");
  line.service = fields.Text("service_description");
  const std::string scopes = "carbon_footprint_kgco2e_", totals = "carbon_footprint_total_kgco2e_";
  for (const auto& [column, member] :
       {std::pair(totals + "location_based", &line.total_location_g),
        std::pair(totals + "market_based", &line.total_market_g),
        std::pair(scopes + "scope1", &line.scope1_g),
        std::pair(scopes + "scope2_location_based", &line.scope2_location_g),
        std::pair(scopes + "scope2_market_based", &line.scope2_market_g),
        std::pair(scopes + "scope3", &line.scope3_g)})
    EBB_RETURN_IF_ERROR(Take(fields, column, kGramsPerKg, *member));
  read.version = fields.Text("carbon_model_version");
  return read;
}

// Makes one record for each scope.
Result<ReadLine> ReadAzureEnrollment(const Fields& fields) {
  ReadLine read;
  BillingLine& line = read.line;
  EBB_ASSIGN_OR_RETURN(line.month, MonthOf(fields, "datekey"));
  line.project = fields.Text("subscriptionname");
  if (line.project.empty()) line.project = fields.Text("subscriptionid");
  line.region = fields.Text("azureregionname");
  line.service = fields.Text("azureservicename");
  EBB_RETURN_IF_ERROR(Take(fields, "totalemissions", kGramsPerTonne, line.total_g));
  const std::string scope = fields.Text("scope");
  if (scope.ends_with('1'))
    line.scope1_g = line.total_g;
  else if (scope.ends_with('2'))
    line.scope2_g = line.total_g;
  else if (scope.ends_with('3'))
    line.scope3_g = line.total_g;
  else
    return Fail(fields.Bad("scope", scope, "a scope from 1 to 3"));
  return read;
}

Result<ReadLine> ReadAzureTrend(const Fields& fields) {
  ReadLine read;
  BillingLine& line = read.line;
  EBB_ASSIGN_OR_RETURN(line.month, NamedMonthOf(fields, "month"));
  EBB_RETURN_IF_ERROR(Take(fields, "totalemissions", kGramsPerKg, line.total_g));
  EBB_RETURN_IF_ERROR(Take(fields, "scope1", kGramsPerKg, line.scope1_g));
  EBB_RETURN_IF_ERROR(Take(fields, "scope2", kGramsPerKg, line.scope2_g));
  EBB_RETURN_IF_ERROR(Take(fields, "scope3", kGramsPerKg, line.scope3_g));
  return read;
}

struct Format {
  std::string_view provider, name;
  std::vector<std::string> columns;  ///< columns that identify the format; all are needed
  std::function<Result<ReadLine>(const Fields&)> read;
};

const std::vector<Format>& Formats() {
  static const std::vector<Format> formats{
      {"aws",
       "AWS Data Exports, carbon emissions",
       {"usage_period_start", "usage_account_id", "region_code", "total_mbm_emissions_value"},
       ReadAws},
      {"gcp",
       "Google Cloud Carbon Footprint, BigQuery export",
       {"usage_month", "billing_account_id", "carbon_footprint_kgco2e_scope2_location_based"},
       ReadGoogle},
      {"azure",
       "Microsoft Cloud for Sustainability, enrollment emissions",
       {"datekey", "azureregionname", "scope", "totalemissions"},
       ReadAzureEnrollment},
      {"azure",
       "Azure carbon optimization, emission trends",
       {"month", "totalemissions", "scope1", "scope2", "scope3"},
       ReadAzureTrend}};
  return formats;
}

Result<const Format*> FormatOf(const std::map<std::string, std::size_t>& columns,
                               const std::string& file) {
  for (const Format& format : Formats())
    if (std::all_of(format.columns.begin(), format.columns.end(),
                    [&](const std::string& column) { return columns.contains(column); }))
      return &format;
  return Fail({ExitCode::kConfiguration, "has the columns of no carbon export that is known", file,
               "docs/report-period.md lists the files of AWS, Google Cloud and Azure"});
}

// The numbers of a version: 2, 10, 0 for "v2.10.0".
std::vector<long long> NumbersOf(const std::string& version) {
  std::vector<long long> numbers;
  for (const std::string_view part :
       Split(std::string_view(version).substr(version.starts_with('v') ? 1 : 0), '.'))
    numbers.push_back(ParseInteger(part).value_or(0));
  return numbers;
}

// Keeps the newest version of each month. For some months after a change of method a provider
// delivers each month by both methods.
void KeepNewest(std::vector<ReadLine>& lines, BillingExport& result) {
  std::map<std::string, std::string> newest;  // by month
  for (const ReadLine& read : lines) {
    const auto [known, is_new] = newest.try_emplace(read.line.month, read.version);
    if (!is_new && NumbersOf(known->second) < NumbersOf(read.version)) known->second = read.version;
  }
  std::set<std::string> dropped, kept;
  for (ReadLine& read : lines) {
    if (NumbersOf(read.version) < NumbersOf(newest[read.line.month])) {
      dropped.insert(read.version);
      continue;
    }
    if (!read.version.empty()) kept.insert(read.version);
    result.lines.push_back(std::move(read.line));
  }
  const auto joined = [](const std::set<std::string>& texts) {
    return Join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
  };
  if (!kept.empty())
    result.notices.push_back(result.file + ": version " + joined(kept) +
                             " of the provider's method");
  if (!dropped.empty())
    result.notices.push_back(result.file +
                             ": months that are there by several versions of the "
                             "method count by the newest; left out: " +
                             joined(dropped));
}

}  // namespace

Result<BillingExport> ParseBilling(std::string_view text, const std::string& file) {
  EBB_ASSIGN_OR_RETURN(const std::vector<CsvRecord> records, ParseCsv(text, file));
  if (records.empty())
    return Fail({ExitCode::kConfiguration, "is empty", file, "export the file again"});
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < records.front().fields.size(); ++i)
    columns.emplace(ColumnName(records.front().fields[i]), i);
  EBB_ASSIGN_OR_RETURN(const Format* format, FormatOf(columns, file));
  std::vector<ReadLine> lines;
  for (auto record = records.begin() + 1; record != records.end(); ++record) {
    const std::string where = file + ":" + std::to_string(record->line);
    if (record->fields.size() != records.front().fields.size())
      return Fail({ExitCode::kConfiguration,
                   "has " + std::to_string(record->fields.size()) +
                       " fields where its header has " +
                       std::to_string(records.front().fields.size()),
                   where, "use the file as the provider wrote it"});
    EBB_ASSIGN_OR_RETURN(ReadLine read, format->read(Fields(columns, *record, where)));
    lines.push_back(std::move(read));
  }
  BillingExport result{file, std::string(format->provider), std::string(format->name), {}, {}};
  KeepNewest(lines, result);
  return result;
}

}  // namespace ebb::report
