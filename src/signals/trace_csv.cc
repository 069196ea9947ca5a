#include "signals/trace_csv.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "platform/file.h"
#include "signals/trace_header.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

// No grid on Earth exceeds this in g/kWh: a value above it is a sentinel or another unit.
constexpr double kHighestPossible = 10'000;
// A year of lignite is at 1,300 g/kWh; all values above this are g/MWh or mg/kWh.
constexpr double kAllAboveIsAnotherUnit = 3'000;
// The cleanest plants are at 5 g/kWh over their life cycle; all values below this are kg/kWh.
constexpr double kAllBelowIsAnotherUnit = 3;

struct Row {
  std::size_t line = 0;
  Time begin{};
  std::optional<Time> end;
  std::optional<double> value;
  core::SampleStatus status = core::SampleStatus::kMeasured;
};

// One forecast value per row, kept apart because most traces have none.
using ForecastValues = std::vector<std::optional<double>>;

Error At(const std::string& path, std::size_t line, std::string what, std::string next = "") {
  return {ExitCode::kConfiguration, std::move(what), path + ":" + std::to_string(line),
          std::move(next)};
}

// Quoted for a message: cut short, and without what a terminal would act upon.
std::string Shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return "\"" + shown + (text.size() > kLongest ? "...\"" : "\"");
}

int TwoDigits(const char* text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

// "2023-05-01T13:45:30Z" at once; any other spelling through ParseTime. Nearly all rows of nearly
// all files are spelt like this, and a four-year trace has 35,000 of them.
Result<Time> ParseTimeFast(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:ddZ";
  bool fits = text.size() == kShape.size();
  for (std::size_t i = 0; fits && i < kShape.size(); ++i)
    fits = kShape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i];
  if (!fits) return ParseTime(text);
  const char* c = text.data();
  const chr::year_month_day date{chr::year{TwoDigits(c) * 100 + TwoDigits(c + 2)},
                                 chr::month{static_cast<unsigned>(TwoDigits(c + 5))},
                                 chr::day{static_cast<unsigned>(TwoDigits(c + 8))}};
  const int hour = TwoDigits(c + 11), minute = TwoDigits(c + 14), second = TwoDigits(c + 17);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return ParseTime(text);
  return Time{chr::sys_days{date}} + chr::hours{hour} + chr::minutes{minute} + chr::seconds{second};
}

// Reads rows one by one into `rows` and `forecasts`; stops at the first that cannot be trusted.
class RowReader {
 public:
  RowReader(const TraceHeader& header, const std::string& path, const TraceOptions& options)
      : header_(header), path_(path), options_(options), forecasts_(header.forecasts.size()) {}

  /// What a row is where no column says it (kModelled for reconstructed series).
  void SetDefaultStatus(core::SampleStatus status) { default_status_ = status; }

  Status Read(std::string_view line, std::size_t number) {
    SplitFields(line, fields_);
    if (fields_.size() != header_.columns)
      return Fail(At(path_, number,
                     "has " + std::to_string(fields_.size()) + " columns, the header has " +
                         std::to_string(header_.columns),
                     "a truncated file ends like this: copy it again"));
    EBB_ASSIGN_OR_RETURN(const bool wanted, ReadZone(number));
    if (!wanted) return {};
    Row row{number, {}, {}, {}, default_status_};
    EBB_ASSIGN_OR_RETURN(row.begin, ReadTime(header_.time, number));
    EBB_RETURN_IF_ERROR(CheckOrder(row));
    if (header_.end) {
      EBB_ASSIGN_OR_RETURN(row.end, ReadTime(*header_.end, number));
      if (*row.end <= row.begin)
        return Fail(At(path_, number, "the interval ends before it begins"));
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
  const std::string& zone() const { return zone_; }

 private:
  // Whether the row belongs to the wanted zone; a file of several zones needs one to be named.
  Result<bool> ReadZone(std::size_t number) {
    if (!header_.zone) return true;
    const std::string_view zone = fields_[*header_.zone];
    if (options_.zone) return zone == *options_.zone;
    if (zone_.empty()) zone_ = zone;
    if (zone == zone_) return true;
    return Fail(At(path_, number, "holds zone " + Shown(zone) + " beside " + Shown(zone_),
                   "name the zone to use"));
  }

  Result<Time> ReadTime(std::size_t column, std::size_t number) {
    auto time = ParseTimeFast(fields_[column]);
    if (!time)
      return Fail(At(path_, number, Shown(fields_[column]) + " is not a time", time.error().next));
    return *time;
  }

  Status CheckOrder(const Row& row) {
    if (rows_.empty()) return {};
    const Row& before = rows_.back();
    if (row.begin == before.begin)
      return Fail(At(
          path_, row.line,
          FormatTime(row.begin) + " is there twice, also in line " + std::to_string(before.line)));
    if (row.begin < before.begin)
      return Fail(At(path_, row.line,
                     "rows are not in the order of time: " + FormatTime(row.begin) + " after " +
                         FormatTime(before.begin),
                     "sort the file by its first column"));
    if (before.end && row.begin < *before.end)
      return Fail(
          At(path_, row.line,
             "begins before the interval of line " + std::to_string(before.line) + " ends"));
    return {};
  }

  Result<std::optional<double>> ReadValue(std::size_t column, std::size_t number) {
    const std::string_view text = fields_[column];
    if (text.empty()) return std::optional<double>{};
    const auto value = ParseNumber(text);
    if (!value)
      return Fail(At(path_, number, Shown(text) + " is not a number",
                     "leave the value empty where it is not known"));
    if (*value < 0)
      return Fail(At(path_, number, "intensity " + Shown(text) + " is negative",
                     "leave the value empty where it is not known"));
    if (*value > kHighestPossible)
      return Fail(At(path_, number, "intensity " + Shown(text) + " cannot be gCO2eq/kWh",
                     "leave the value empty where it is not known"));
    return value;
  }

  Status ReadStatus(Row& row) {
    if (header_.estimated) {
      const std::string flag = Lowercase(fields_[*header_.estimated]);
      if (flag == "true" || flag == "1" || flag == "yes")
        row.status = core::SampleStatus::kEstimated;
    }
    if (!header_.status || fields_[*header_.status].empty()) return {};
    const auto status = core::SampleStatusFromName(fields_[*header_.status]);
    if (!status)
      return Fail(At(path_, row.line, "status " + Shown(fields_[*header_.status]) + " is unknown",
                     "measured, estimated, forecast and modelled are known"));
    row.status = *status;
    return {};
  }

  const TraceHeader& header_;
  const std::string& path_;
  const TraceOptions& options_;
  core::SampleStatus default_status_ = core::SampleStatus::kMeasured;
  std::vector<std::string_view> fields_;
  std::vector<Row> rows_;
  std::vector<ForecastValues> forecasts_;
  std::string zone_;
};

struct Step {
  Duration length{0};
  bool irregular = false;
};

// The most frequent distance of neighbouring rows (the shorter among equals). Where fewer than half
// of the rows keep it, the series is one of readings at no fixed distance.
Step InferStep(const std::vector<Row>& rows, Duration hold_limit) {
  std::vector<Duration> distances;
  for (std::size_t i = 1; i < rows.size(); ++i)
    distances.push_back(rows[i].begin - rows[i - 1].begin);
  std::sort(distances.begin(), distances.end());
  Duration best{0};
  std::ptrdiff_t best_count = 0;
  for (auto it = distances.begin(); it != distances.end();) {
    const auto next = std::upper_bound(it, distances.end(), *it);
    if (next - it > best_count) {
      best = *it;
      best_count = next - it;
    }
    it = next;
  }
  if (best_count * 2 >= static_cast<std::ptrdiff_t>(distances.size()) && best_count > 0)
    return {best, false};
  return {std::min<Duration>(chr::hours{1}, hold_limit), true};
}

// A row holds for a step (regular) or up to the limit (irregular), never beyond the next row.
Interval IntervalOf(const std::vector<Row>& rows, std::size_t index, Duration longest) {
  const Row& row = rows[index];
  Time end = row.end.value_or(row.begin + longest);
  if (index + 1 < rows.size()) end = std::min(end, rows[index + 1].begin);
  return {row.begin, end};
}

Status CheckMagnitude(const std::vector<Row>& rows, const core::SignalIdentity& identity,
                      const std::string& path, std::string_view column) {
  double low = kHighestPossible, high = -1;
  for (const Row& row : rows) {
    if (!row.value) continue;
    low = std::min(low, *row.value);
    high = std::max(high, *row.value);
  }
  if (high < 0)
    return Fail({ExitCode::kConfiguration, "column " + Shown(column) + " has no value at all", path,
                 "is it the right file?"});
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
  const Step step = InferStep(rows, hold_limit);
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

std::string_view FileName(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
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

// Takes the next line off `text`, without its line end.
std::string_view TakeLine(std::string_view& text) {
  const auto newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
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
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (Trim(text).empty())
    return Fail({ExitCode::kConfiguration, "the file is empty", path, "copy or download it again"});
  EBB_ASSIGN_OR_RETURN(const TraceHeader header,
                       ParseTraceHeader(TakeLine(text), path + ":1", options.boundary));
  RowReader reader(header, path, options);
  reader.SetDefaultStatus(DefaultStatus(path));
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::string_view line = TakeLine(text);
    if (Trim(line).empty()) continue;
    EBB_RETURN_IF_ERROR(reader.Read(line, number));
  }
  if (reader.rows().empty())
    return Fail({ExitCode::kConfiguration,
                 header.zone && options.zone ? "has no row for zone " + Shown(*options.zone)
                                             : "has a header but no rows",
                 path, "is it the right file?"});
  const core::SignalIdentity identity = IdentityOf(header, path, options, reader.zone());
  EBB_RETURN_IF_ERROR(CheckMagnitude(reader.rows(), identity, path, header.value_name));
  return BuildTrace(header, reader, identity, options.hold_limit);
}

Result<Trace> LoadTrace(const std::string& path, const TraceOptions& options) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFileMaybeGzip(path));
  return ParseTrace(text, path, options);
}

}  // namespace ebb::signals
