#include "sim/job_csv.h"

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/text.h"

namespace ebb::sim {
namespace {

constexpr int kMostNamed = 5;
// A limit longer than any job, which keeps sums of milliseconds far from overflow.
constexpr double kLongestSeconds = 100.0 * 366 * 86400;
constexpr long long kMostDevices = 1'000'000;

enum class Format { kGaia, kTrace };

struct Columns {
  Format format = Format::kTrace;
  std::size_t count = 0, submitted = 0, length = 0, devices = 0;
  std::optional<std::size_t> name;
};

struct Row {
  Duration submitted{0};  ///< time since the epoch of the row's format
  Duration length{0};
  int devices = 1;
  std::string name;
};

using Cause = std::optional<std::string>;  ///< the reason why a row is bad

std::optional<std::size_t> Find(const std::vector<std::string_view>& names, std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<std::size_t>(it - names.begin());
}

Result<Columns> ParseHeader(const CsvReader& csv, const std::string& path) {
  const std::vector<std::string_view>& names = csv.fields();
  const auto columns = [&](Format format, const char* a, const char* b,
                           const char* c) -> std::optional<Columns> {
    const auto submitted = Find(names, a), length = Find(names, b), devices = Find(names, c);
    if (!submitted || !length || !devices) return std::nullopt;
    return Columns{format, names.size(), *submitted, *length, *devices, Find(names, "job_id")};
  };
  if (const auto gaia = columns(Format::kGaia, "arrival_time", "length", "cpus")) return *gaia;
  if (const auto trace = columns(Format::kTrace, "submit_time", "duration_s", "gpus"))
    return *trace;
  return Fail(
      {ExitCode::kConfiguration,
       "the header \"" + std::string(csv.text().substr(0, 80)) + "\" is not one of a job trace",
       path + ":" + std::to_string(csv.line()),
       "expected arrival_time,length,cpus or submit_time,duration_s,gpus,job_id"});
}

Cause BadField(std::string_view what, std::string_view field, std::string_view wanted) {
  return std::string(what) + " \"" + std::string(field.substr(0, 40)) + "\" is not " +
         std::string(wanted);
}

Cause ReadSubmission(std::string_view field, Format format, Row& row) {
  if (format == Format::kTrace) {
    const auto time = ParseTime(field);
    if (!time) return BadField("submit_time", field, "a time like 2020-07-06T10:00:00Z");
    row.submitted = time->time_since_epoch();
    return std::nullopt;
  }
  const auto hours = ParseNumber(field);
  if (!hours || *hours < 0 || *hours * 3600 > kLongestSeconds)
    return BadField("arrival_time", field, "a number of hours from 0 on");
  row.submitted = DurationFromSeconds(*hours * 3600);
  return std::nullopt;
}

Cause ReadLength(std::string_view field, Format format, Row& row) {
  const bool gaia = format == Format::kGaia;
  const auto number = ParseNumber(field);
  const double seconds = number.value_or(0) * (gaia ? 3600 : 1);
  if (number) row.length = DurationFromSeconds(std::clamp(seconds, 0.0, kLongestSeconds));
  if (!number || row.length <= Duration::zero() || seconds > kLongestSeconds)
    return BadField(gaia ? "length" : "duration_s", field,
                    gaia ? "a number of hours above 0" : "a number of seconds above 0");
  return std::nullopt;
}

Cause ReadRow(const std::vector<std::string_view>& fields, const Columns& columns, Row& row) {
  if (fields.size() != columns.count)
    return "has " + std::to_string(fields.size()) + " fields, and the header has " +
           std::to_string(columns.count);
  if (auto cause = ReadSubmission(fields[columns.submitted], columns.format, row)) return cause;
  if (auto cause = ReadLength(fields[columns.length], columns.format, row)) return cause;
  const auto devices = ParseNumber(fields[columns.devices]);
  if (!devices || *devices < 1 || *devices > kMostDevices || *devices != std::floor(*devices))
    return BadField(columns.format == Format::kGaia ? "cpus" : "gpus", fields[columns.devices],
                    "a whole number of devices from 1 on");
  row.devices = static_cast<int>(*devices);
  if (columns.name) row.name = fields[*columns.name];
  return std::nullopt;
}

// The bad lines by number and cause: the first few, and the number of all.
class BadLines {
 public:
  void Add(std::size_t line, const std::string& cause) {
    if (++count_ <= kMostNamed) named_.push_back({line, cause});
  }
  bool empty() const { return count_ == 0; }
  Error ToError(const std::string& path) const {
    const std::string next = "nothing of the file was taken: correct or remove the line";
    if (count_ == 1)
      return {ExitCode::kConfiguration, named_[0].cause,
              path + ":" + std::to_string(named_[0].line), next};
    std::string what = std::to_string(count_) + " bad lines";
    for (const Named& bad : named_)
      what += "\n  " + path + ":" + std::to_string(bad.line) + ": " + bad.cause;
    if (count_ > kMostNamed) what += "\n  ...";
    return {ExitCode::kConfiguration, what, path, "nothing of the file was taken"};
  }

 private:
  struct Named {
    std::size_t line;
    std::string cause;
  };
  int count_ = 0;
  std::vector<Named> named_;
};

bool Wanted(const Row& row, const JobCsvOptions& options) {
  return row.length >= options.shortest && (!options.longest || row.length <= *options.longest) &&
         (!options.widest || row.devices <= *options.widest);
}

core::Job MakeJob(const Row& row, Duration origin, const JobCsvOptions& options) {
  core::Job job = options.job;
  job.name = row.name;
  job.submitted = Time{row.submitted - origin};
  job.duration = row.length;
  job.devices = row.devices;
  std::optional<Duration> max_delay = options.max_delay;
  for (const JobRule& rule : options.rules) {
    if (rule.duration_up_to && row.length > *rule.duration_up_to) continue;
    if (rule.max_delay) max_delay = rule.max_delay;
    if (rule.power) job.power = *rule.power;
    job.tier = rule.tier;
    break;
  }
  if (max_delay) job.start_by = job.submitted + *max_delay;
  return job;
}

Result<std::vector<Row>> ReadRows(CsvReader& csv, const Columns& columns, const std::string& path) {
  std::vector<Row> rows;
  BadLines bad;
  EBB_RETURN_IF_ERROR(csv.ForEach([&]() -> Status {
    Row row;
    if (const Cause cause = ReadRow(csv.fields(), columns, row))
      bad.Add(csv.line(), *cause);
    else
      rows.push_back(std::move(row));
    return {};
  }));
  if (!bad.empty()) return Fail(bad.ToError(path));
  if (rows.empty())
    return Fail(
        {ExitCode::kConfiguration, "has a header but no rows", path, "is it the right file?"});
  return rows;
}

}  // namespace

Result<JobCsv> ParseJobCsv(std::string_view text, const std::string& path,
                           const JobCsvOptions& options) {
  CsvReader csv(text, path, CsvBlanks::kTrimmed);
  EBB_RETURN_IF_ERROR(csv.Next());
  EBB_ASSIGN_OR_RETURN(const Columns columns, ParseHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(std::vector<Row> rows, ReadRows(csv, columns, path));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.submitted < b.submitted; });
  const Duration origin =
      columns.format == Format::kTrace ? rows.front().submitted : Duration::zero();
  JobCsv result;
  result.first = Time{origin};
  for (const Row& row : rows) {
    if (options.most_jobs && std::ssize(result.jobs) >= *options.most_jobs) break;
    if (!Wanted(row, options)) {
      ++result.left_out;
      continue;
    }
    result.jobs.push_back(MakeJob(row, origin, options));
    core::Job& job = result.jobs.back();
    job.id = std::ssize(result.jobs);
    if (job.name.empty()) job.name = "job-" + std::to_string(job.id);
  }
  if (result.jobs.empty())
    return Fail({ExitCode::kConfiguration, "no job is left: all are too short, long or wide", path,
                 "change shortest, longest or widest"});
  return result;
}

}  // namespace ebb::sim
