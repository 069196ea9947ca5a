#include "signals/traces/csv_rows.h"

#include "base/text.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

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

}  // namespace

Error AtLine(const std::string& path, std::size_t line, std::string what, std::string next) {
  return {ExitCode::kConfiguration, std::move(what), path + ":" + std::to_string(line),
          std::move(next)};
}

Status TakeByteOrderMark(std::string_view& text, const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!Trim(text).empty()) return {};
  return Fail({ExitCode::kConfiguration, "the file is empty", path, "copy or download it again"});
}

std::string_view TakeLine(std::string_view& text) {
  const auto newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void SplitFields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    std::size_t search = 0;
    if (line.starts_with('"')) {
      const auto closing = line.find('"', 1);
      search = closing == std::string_view::npos ? line.size() : closing;
    }
    const auto comma = line.find(',', search);
    std::string_view field = Trim(line.substr(0, comma));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = Trim(field.substr(1, field.size() - 2));
    fields.push_back(field);
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

Status SplitRow(std::string_view line, std::size_t columns, const std::string& path,
                std::size_t number, std::vector<std::string_view>& fields) {
  SplitFields(line, fields);
  if (fields.size() == columns) return {};
  return Fail(AtLine(path, number,
                     "has " + std::to_string(fields.size()) + " columns, the header has " +
                         std::to_string(columns),
                     "a truncated file ends like this: copy it again"));
}

Result<Time> ReadTimeField(std::string_view text, const std::string& path, std::size_t line) {
  auto time = ParseTimeFast(text);
  if (!time) return Fail(AtLine(path, line, Quoted(text) + " is not a time", time.error().next));
  return *time;
}

Status CheckRowOrder(const TimedRow& before, const TimedRow& row, const std::string& path) {
  if (row.begin == before.begin)
    return Fail(AtLine(
        path, row.line,
        FormatTime(row.begin) + " is there twice, also in line " + std::to_string(before.line)));
  if (row.begin < before.begin)
    return Fail(AtLine(path, row.line,
                       "rows are not in the order of time: " + FormatTime(row.begin) + " after " +
                           FormatTime(before.begin),
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
