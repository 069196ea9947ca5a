#include "signals/traces/csv_rows.h"

#include "base/text.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

int TwoDigits(const char* text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

// Reads "2023-05-01T13:45:30Z" directly and any other spelling through ParseTime. Nearly all rows
// of nearly all files have that form, and a four-year trace has 35,000 of them.
Result<Time> ParseTimeFast(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:ddZ";
  bool fits = text.size() == kShape.size();
  for (std::size_t i = 0; fits && i < kShape.size(); ++i)
    fits = kShape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i];
  if (!fits) {
    const auto since_1970 = TimeSince1970(text);
    return since_1970 ? Result<Time>(*since_1970) : ParseTime(text);
  }
  const char* c = text.data();
  const chr::year_month_day date{chr::year{TwoDigits(c) * 100 + TwoDigits(c + 2)},
                                 chr::month{static_cast<unsigned>(TwoDigits(c + 5))},
                                 chr::day{static_cast<unsigned>(TwoDigits(c + 8))}};
  const int hour = TwoDigits(c + 11), minute = TwoDigits(c + 14), second = TwoDigits(c + 17);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return ParseTime(text);
  return Time{chr::sys_days{date}} + chr::hours{hour} + chr::minutes{minute} + chr::seconds{second};
}

}  // namespace

std::optional<Time> TimeSince1970(std::string_view text) {
  const auto number = ParseInteger(text);
  // Years 1985 to 2603: a number with fewer digits is not a time of a measurement.
  constexpr long long kFirst = 500'000'000, kLast = 20'000'000'000;
  if (!number) return std::nullopt;
  if (*number >= kFirst && *number < kLast) return Time{chr::seconds{*number}};
  if (*number >= kFirst * 1000 && *number < kLast * 1000) return Time{chr::milliseconds{*number}};
  return std::nullopt;
}

Error AtLine(const std::string& path, std::size_t line, std::string what, std::string next) {
  return {ExitCode::kConfiguration, std::move(what), path + ":" + std::to_string(line),
          std::move(next)};
}

Status ReadHeader(CsvReader& csv, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const bool any, csv.Next());
  if (any) return {};
  return Fail({ExitCode::kConfiguration, "the file is empty", path, "copy or download it again"});
}

Status CheckColumns(const CsvReader& csv, std::size_t columns, const std::string& path) {
  if (csv.fields().size() == columns) return {};
  return Fail(AtLine(path, csv.line(),
                     "has " + std::to_string(csv.fields().size()) + " columns, the header has " +
                         std::to_string(columns),
                     "a truncated file ends like this: copy it again"));
}

Result<Time> ReadTimeField(std::string_view text, const std::string& path, std::size_t line) {
  auto time = ParseTimeFast(text);
  if (!time) return Fail(AtLine(path, line, Quoted(text) + " is not a time", time.error().next));
  return *time;
}

Status CheckEnd(const TimedRow& row, const std::string& path) {
  if (!row.end || *row.end > row.begin) return {};
  return Fail(AtLine(path, row.line, "the interval ends before it begins"));
}

Result<bool> ZoneOfRows::Takes(const CsvReader& csv, const std::vector<std::size_t>& columns,
                               const std::string& path) {
  if (columns.empty()) return true;
  const auto field = [&](std::size_t column) {
    return column < csv.fields().size() ? csv.fields()[column] : std::string_view();
  };
  if (wanted_)
    return std::ranges::any_of(columns, [&](std::size_t at) { return field(at) == *wanted_; });
  const std::string_view zone = field(columns.front());
  if (found_.empty()) found_ = zone;
  if (zone == found_) return true;
  return Fail(
      AtLine(path, csv.line(), "holds zone " + Quoted(zone) + " beside " + Quoted(found_), next_));
}

Error NoRows(const std::string& path, const std::optional<std::string>& wanted_zone) {
  return {ExitCode::kConfiguration,
          wanted_zone ? "has no row for zone " + Quoted(*wanted_zone) : "has a header but no rows",
          path, "is it the right file?"};
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Status CheckRowOrder(const TimedRow& before, const TimedRow& row, const std::string& path) {
  if (row.begin == before.begin)
    return Fail(AtLine(path, row.line,
                       Quoted(FormatTime(row.begin)) + " is given twice, also in line " +
                           std::to_string(before.line)));
  if (row.begin < before.begin)
    return Fail(AtLine(path, row.line,
                       "rows are not in the order of time: " + Quoted(FormatTime(row.begin)) +
                           " after " + Quoted(FormatTime(before.begin)),
                       "sort the file by its first column"));
  if (before.end && row.begin < *before.end)
    return Fail(
        AtLine(path, row.line,
               "begins before the interval of line " + std::to_string(before.line) + " ends"));
  return {};
}

RowStep InferStep(const std::vector<Time>& begins, Duration hold_limit) {
  std::vector<Duration> distances;
  for (std::size_t i = 1; i < begins.size(); ++i) distances.push_back(begins[i] - begins[i - 1]);
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

}  // namespace ebb::signals
