#include "app/slurm/sacct.h"

#include <algorithm>
#include <map>

#include "app/options/when.h"
#include "base/text.h"
#include "platform/file.h"

namespace ebb::app {
namespace {

constexpr const char* kSacct = "sacct";
// The name of a job is last, because it may contain the separator.
constexpr const char* kColumns =
    "JobIDRaw,JobID,Cluster,User,Account,Partition,State,Start,End,ElapsedRaw,AllocTRES,"
    "ConsumedEnergyRaw,JobName";
constexpr std::uint64_t kLargestFile = 256ULL << 20;

// The value of a resource in "billing=1,cpu=4,gres/gpu=2,gres/gpu:a100=2".
std::optional<long long> ResourceIn(std::string_view resources, std::string_view name) {
  for (const std::string_view part : Split(resources, ',')) {
    const auto equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == name)
      return ParseInteger(part.substr(equals + 1));
  }
  return std::nullopt;
}

// GPUs may be listed by type besides, or only by type.
std::int64_t GpusIn(std::string_view resources) {
  if (const auto all = ResourceIn(resources, "gres/gpu")) return *all;
  std::int64_t gpus = 0;
  for (const std::string_view part : Split(resources, ','))
    if (part.starts_with("gres/gpu:"))
      gpus += ParseInteger(part.substr(part.find('=') + 1)).value_or(0);
  return gpus;
}

// Slurm writes 0 or a value beyond every meter if it does not know.
std::optional<Energy> ToldEnergy(std::string_view raw, std::string_view resources) {
  constexpr double kMostJoules = 1e15;
  auto joules = ParseNumber(raw);
  if (!joules)
    if (const auto in_resources = ResourceIn(resources, "energy"))
      joules = static_cast<double>(*in_resources);
  if (!joules || *joules <= 0 || *joules > kMostJoules) return std::nullopt;
  return Energy::Joules(*joules);
}

class Table {
 public:
  Table(std::string_view header, const std::string& where) : where_(where) {
    for (const std::string_view name : Split(header, '|'))
      columns_.try_emplace(Lowercase(Trim(name)), columns_.size());
  }

  Status Check() const {
    for (const char* name : {"state", "start", "end"})
      if (!columns_.contains(name)) return Missing(name);
    return columns_.contains("jobidraw") || columns_.contains("jobid") ? Status()
                                                                       : Missing("jobidraw");
  }

  /// False: not as many cells as columns.
  bool Take(std::string_view line) {
    cells_ = Split(line, '|');
    if (cells_.size() < columns_.size()) return false;
    if (cells_.size() == columns_.size()) return true;
    const auto name = columns_.find("jobname");
    if (name == columns_.end() || name->second + 1 != columns_.size()) return false;
    const auto begin = static_cast<std::size_t>(cells_[name->second].data() - line.data());
    cells_[name->second] = line.substr(begin);
    return true;
  }

  std::string_view At(const char* name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::string_view() : Trim(cells_[found->second]);
  }

 private:
  Status Missing(const std::string& name) const {
    return Fail({ExitCode::kConfiguration, "has no column " + name, where_,
                 std::string("write it with: sacct -a -X --duplicates -P -o ") + kColumns});
  }

  std::string where_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::string_view> cells_;
};

std::optional<Time> TimeIn(std::string_view text, const prices::ZoneClock& zone) {
  if (const auto seconds = ParseInteger(text)) return Time{std::chrono::seconds{*seconds}};
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto moment = MomentOf("", std::string(text), zone);
  return moment ? std::optional(*moment) : std::nullopt;
}

std::optional<report::SlurmRow> RowIn(const Table& table, const prices::ZoneClock& zone, Time now) {
  report::SlurmRow row;
  row.id = table.At("jobid");
  row.job = table.At("jobidraw");
  if (row.job.empty()) row.job = row.id;
  if (row.id.empty()) row.id = row.job;
  const auto begin = TimeIn(table.At("start"), zone);
  if (!begin || row.job.find('.') != std::string::npos) return std::nullopt;
  row.cluster = table.At("cluster");
  row.user = table.At("user");
  row.account = table.At("account");
  row.partition = table.At("partition");
  row.name = table.At("jobname");
  row.state = table.At("state");
  row.wall = {*begin, std::max(*begin, TimeIn(table.At("end"), zone).value_or(now))};
  const auto elapsed = ParseInteger(table.At("elapsedraw"));
  row.elapsed = elapsed ? Duration{std::chrono::seconds{*elapsed}} : row.wall.length();
  const std::string_view resources = table.At("alloctres");
  row.nodes = ResourceIn(resources, "node").value_or(0);
  row.cores = ResourceIn(resources, "cpu").value_or(0);
  row.gpus = GpusIn(resources);
  row.told = ToldEnergy(table.At("consumedenergyraw"), resources);
  return row;
}

std::string Moment(Time time) {
  return "uts" +
         std::to_string(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

Result<std::string> AskSacct(Interval period, Time now, const slurm::RunCommand& run) {
  EBB_ASSIGN_OR_RETURN(platform::ProgramEnd end,
                       run({kSacct, "-a", "-X", "--duplicates", "-P", "-S", Moment(period.begin),
                            "-E", Moment(std::min(period.end, now)), "-o", kColumns}));
  if (end.exit_code == 0) return std::move(end.output);
  return Fail({ExitCode::kUnavailable, "failed: " + std::string(Trim(end.errors)), kSacct,
               "without accounting there is nothing to compare with"});
}

}  // namespace

Result<std::vector<report::SlurmRow>> ReadSacctTable(std::string_view text,
                                                     const std::string& where,
                                                     const prices::ZoneClock& zone, Time now) {
  const auto lines = Split(text, '\n');
  Table table(lines.front(), where);
  EBB_RETURN_IF_ERROR(table.Check());
  std::vector<report::SlurmRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (Trim(lines[i]).empty()) continue;
    if (!table.Take(lines[i]))
      return Fail({ExitCode::kConfiguration, "has another number of cells than its first line",
                   where + ":" + std::to_string(i + 1),
                   "a name may contain the separator: make JobName the last column"});
    if (auto row = RowIn(table, zone, now)) rows.push_back(*std::move(row));
  }
  return rows;
}

Result<std::vector<report::SlurmRow>> SlurmRowsOf(const std::string& source, Interval period,
                                                  const prices::ZoneClock& zone, Time now,
                                                  const slurm::RunCommand& run) {
  EBB_ASSIGN_OR_RETURN(const std::string text, source == kSacct
                                                   ? AskSacct(period, now, run)
                                                   : platform::ReadFile(source, kLargestFile));
  EBB_ASSIGN_OR_RETURN(std::vector<report::SlurmRow> rows, ReadSacctTable(text, source, zone, now));
  std::erase_if(rows, [&](const report::SlurmRow& row) {
    return row.wall.begin >= period.end || row.wall.end <= period.begin;
  });
  return rows;
}

}  // namespace ebb::app
