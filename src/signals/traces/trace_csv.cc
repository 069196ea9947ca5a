#include "signals/traces/trace_csv.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "platform/file.h"
#include "platform/shipped_files.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

// No grid on Earth exceeds this in g/kWh: a value above it is a sentinel or another unit.
constexpr double kHighestPossible = 10'000;
// A year of lignite is at 1,300 g/kWh; all values above this are g/MWh or mg/kWh.
constexpr double kAllAboveIsAnotherUnit = 3'000;
// The cleanest plants are at 5 g/kWh over their life cycle; all values below this are kg/kWh.
constexpr double kAllBelowIsAnotherUnit = 3;

struct Row : TimedRow {
  core::SampleStatus status = core::SampleStatus::kMeasured;
};

// Reads "369,5" as well as "369.5"; points that group thousands ("1.369,5") are refused.
std::optional<double> ParseWithDecimalComma(std::string_view text) {
  std::string number(text);
  if (const auto comma = number.find(','); comma != std::string::npos) {
    if (number.find('.') != std::string::npos) return std::nullopt;
    number[comma] = '.';
  }
  return ParseNumber(number);
}

// One forecast value per row, kept apart because most traces have none.
using ForecastValues = std::vector<std::optional<double>>;

// Reads rows one by one into `rows` and `forecasts`; stops at the first that cannot be trusted.
class RowReader {
 public:
  RowReader(const CsvReader& csv, const TraceHeader& header, const std::string& path,
            const TraceOptions& options)
      : csv_(csv),
        header_(header),
        path_(path),
        zone_(options.zone, "name the zone to use"),
        zone_columns_(header.zone ? std::vector{*header.zone} : std::vector<std::size_t>()),
        forecasts_(header.forecasts.size()) {}

  /// Allows a decimal comma in numbers, because the separator is another character.
  void ReadDecimalCommas() { decimal_commas_ = true; }

  /// Sets the status of rows that state none (kModelled for reconstructed series).
  void SetDefaultStatus(core::SampleStatus status) { default_status_ = status; }

  Status Read() {
    EBB_RETURN_IF_ERROR(CheckColumns(csv_, header_.columns, path_));
    const std::size_t number = csv_.line();
    EBB_ASSIGN_OR_RETURN(const bool wanted, zone_.Takes(csv_, zone_columns_, path_));
    if (!wanted) return {};
    Row row{{number, {}, {}, {}}, default_status_};
    EBB_ASSIGN_OR_RETURN(row.begin, ReadTime(header_.time, number));
    if (!rows_.empty()) EBB_RETURN_IF_ERROR(CheckRowOrder(rows_.back(), row, path_));
    if (header_.end) {
      EBB_ASSIGN_OR_RETURN(row.end, ReadTime(*header_.end, number));
      EBB_RETURN_IF_ERROR(CheckEnd(row, path_));
    }
    EBB_ASSIGN_OR_RETURN(row.value, ReadValue(header_.value, number));
    EBB_RETURN_IF_ERROR(ReadStatus(row));
    for (std::size_t i = 0; i < forecasts_.size(); ++i) {
      EBB_ASSIGN_OR_RETURN(std::optional<double> value,
                           ReadValue(header_.forecasts[i].column, number));
      forecasts_[i].push_back(value);
    }
    rows_.push_back(row);
    return {};
  }

  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<ForecastValues>& forecasts() const { return forecasts_; }
  const std::string& zone() const { return zone_.found(); }

 private:
  Result<Time> ReadTime(std::size_t column, std::size_t number) {
    return ReadTimeField(Field(column), path_, number);
  }

  Result<std::optional<double>> ReadValue(std::size_t column, std::size_t number) {
    const std::string_view text = Field(column);
    if (text.empty()) return std::optional<double>{};
    const auto value = decimal_commas_ ? ParseWithDecimalComma(text) : ParseNumber(text);
    if (!value)
      return Fail(AtLine(path_, number, Quoted(text) + " is not a number",
                         "leave the value empty where it is not known"));
    if (*value < 0)
      return Fail(AtLine(path_, number, "intensity " + Quoted(text) + " is negative",
                         "leave the value empty where it is not known"));
    if (*value > kHighestPossible)
      return Fail(AtLine(path_, number, "intensity " + Quoted(text) + " cannot be gCO2eq/kWh",
                         "leave the value empty where it is not known"));
    return value;
  }

  Status ReadStatus(Row& row) {
    if (header_.estimated) {
      const std::string flag = Lowercase(Field(*header_.estimated));
      if (flag == "true" || flag == "1" || flag == "yes")
        row.status = core::SampleStatus::kEstimated;
    }
    if (!header_.status || Field(*header_.status).empty()) return {};
    const auto status = core::SampleStatusFromName(Field(*header_.status));
    if (!status)
      return Fail(AtLine(path_, row.line,
                         "status " + Quoted(Field(*header_.status)) + " is unknown",
                         "measured, estimated, forecast and modelled are known"));
    row.status = *status;
    return {};
  }

  std::string_view Field(std::size_t column) const { return csv_.fields()[column]; }

  const CsvReader& csv_;
  const TraceHeader& header_;
  const std::string& path_;
  ZoneOfRows zone_;
  const std::vector<std::size_t> zone_columns_;
  bool decimal_commas_ = false;
  core::SampleStatus default_status_ = core::SampleStatus::kMeasured;
  std::vector<Row> rows_;
  std::vector<ForecastValues> forecasts_;
};

Status CheckMagnitude(const std::vector<Row>& rows, const core::SignalIdentity& identity,
                      const std::string& path, std::string_view column) {
  double low = kHighestPossible, high = -1;
  for (const Row& row : rows) {
    if (!row.value) continue;
    low = std::min(low, *row.value);
    high = std::max(high, *row.value);
  }
  if (high < 0)
    return Fail({ExitCode::kConfiguration, "column " + Quoted(column) + " has no value at all",
                 path, "is it the right file?"});
  if (low > kAllAboveIsAnotherUnit)
    return Fail({ExitCode::kConfiguration,
                 "every value is above " + FormatExact(kAllAboveIsAnotherUnit) +
                     ": this cannot be gCO2eq/kWh",
                 path, "g/MWh and mg/kWh must be divided by 1000"});
  // Direct emissions of a hydropower grid and marginal emissions may be nearly nothing.
  const bool may_be_tiny =
      identity.boundary == core::Boundary::kDirect || identity.kind == core::SignalKind::kMarginal;
  if (high < kAllBelowIsAnotherUnit && !may_be_tiny)
    return Fail({ExitCode::kConfiguration,
                 "every value is below " + FormatExact(kAllBelowIsAnotherUnit) +
                     ": this looks like kg/kWh, not gCO2eq/kWh",
                 path,
                 "multiply by 1000; if these are direct emissions of a very clean grid, end the "
                 "file's name in _direct.csv"});
  return {};
}

Result<std::vector<ForecastColumn>> BuildForecasts(const TraceHeader& header,
                                                   const RowReader& reader, Duration longest,
                                                   const core::SignalIdentity& identity) {
  std::vector<ForecastColumn> columns;
  for (std::size_t i = 0; i < header.forecasts.size(); ++i) {
    const ForecastHeader& names = header.forecasts[i];
    std::vector<core::Sample> samples;
    for (std::size_t row = 0; row < reader.rows().size(); ++row) {
      if (const auto value = reader.forecasts()[i][row])
        samples.push_back(
            {IntervalOf(reader.rows(), row, longest), {*value}, core::SampleStatus::kForecast});
    }
    EBB_ASSIGN_OR_RETURN(auto series, core::IntensitySeries::Create(identity, std::move(samples)));
    columns.push_back({names.name, names.issue, names.days_ahead, names.lead, std::move(series)});
  }
  return columns;
}

Result<Trace> BuildTrace(const TraceHeader& header, const RowReader& reader,
                         const core::SignalIdentity& identity, Duration hold_limit) {
  const std::vector<Row>& rows = reader.rows();
  const RowStep step = InferStep(BeginsOf(rows), hold_limit);
  const Duration longest = step.irregular ? hold_limit : step.length;
  std::vector<core::Sample> samples;
  samples.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value)
      samples.push_back({IntervalOf(rows, i, longest), {*rows[i].value}, rows[i].status});
  }
  Trace trace;
  trace.step = step.length;
  trace.irregular = step.irregular;
  EBB_ASSIGN_OR_RETURN(trace.series, core::IntensitySeries::Create(identity, std::move(samples)));
  EBB_ASSIGN_OR_RETURN(trace.forecasts, BuildForecasts(header, reader, longest, identity));
  return trace;
}

std::vector<std::string_view> NameTokens(std::string_view path) {
  std::string_view stem = FileName(path);
  if (stem.ends_with(".gz")) stem.remove_suffix(3);
  if (stem.ends_with(".csv")) stem.remove_suffix(4);
  return Split(stem, '_');
}

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsZoneContinuation(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), IsUpper);
}

core::SampleStatus DefaultStatus(std::string_view path) {
  for (const std::string_view token : NameTokens(path)) {
    if (token.starts_with("reconstructed") || token.starts_with("modelled"))
      return core::SampleStatus::kModelled;
  }
  return core::SampleStatus::kMeasured;
}

core::SignalIdentity IdentityOf(const TraceHeader& header, const std::string& path,
                                const TraceOptions& options, const std::string& zone_column) {
  core::SignalIdentity identity = IdentityFromFileName(path);
  if (header.boundary) identity.boundary = *header.boundary;
  if (!zone_column.empty()) identity.zone = zone_column;
  identity.zone = options.zone.value_or(identity.zone);
  identity.kind = options.kind.value_or(identity.kind);
  identity.boundary = options.boundary.value_or(identity.boundary);
  return identity;
}

}  // namespace

Time ForecastColumn::IssuedAt(Time target) const {
  if (issue == ForecastIssue::kFixedLead) return target - lead;
  return chr::floor<chr::days>(target) - chr::days{days_ahead};
}

core::SignalIdentity IdentityFromFileName(std::string_view path) {
  core::SignalIdentity identity;
  identity.source = "replay of " + std::string(FileName(path));
  const auto tokens = NameTokens(path);
  if (tokens.size() < 2) return identity;
  if (!tokens[0].empty() && IsUpper(tokens[0].front())) {
    identity.zone = tokens[0];
    for (std::size_t i = 1; i < tokens.size() && IsZoneContinuation(tokens[i]); ++i)
      identity.zone += "_" + std::string(tokens[i]);
  }
  if (tokens.back() == "marginal") identity.kind = core::SignalKind::kMarginal;
  if (const auto boundary = core::BoundaryFromName(tokens.back())) identity.boundary = *boundary;
  return identity;
}

Result<Trace> ParseTrace(std::string_view text, const std::string& path,
                         const TraceOptions& options) {
  const char separator = CsvSeparatorOf(text);
  CsvReader csv(text, path, CsvBlanks::kTrimmed, separator);
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(
      const TraceHeader header,
      ParseTraceHeader(csv.fields(), path + ":" + std::to_string(csv.line()), options));
  RowReader reader(csv, header, path, options);
  reader.SetDefaultStatus(DefaultStatus(path));
  if (separator != ',') reader.ReadDecimalCommas();
  EBB_RETURN_IF_ERROR(csv.ForEach([&] { return reader.Read(); }));
  if (reader.rows().empty()) return Fail(NoRows(path, header.zone ? options.zone : std::nullopt));
  const core::SignalIdentity identity = IdentityOf(header, path, options, reader.zone());
  EBB_RETURN_IF_ERROR(CheckMagnitude(reader.rows(), identity, path, header.value_name));
  return BuildTrace(header, reader, identity, options.hold_limit);
}

Result<Trace> LoadTrace(const std::string& path, const TraceOptions& options) {
  const std::string file = platform::ShippedSeries(path);
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFileMaybeGzip(file));
  return ParseTrace(text, file, options);
}

}  // namespace ebb::signals
