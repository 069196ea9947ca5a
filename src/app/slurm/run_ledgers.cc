#include "app/slurm/run_ledgers.h"

#include <algorithm>

#include "app/slurm/job_runs.h"
#include "base/text.h"
#include "core/run/ledger_union.h"
#include "report/run/merged_run.h"

namespace ebb::app {
namespace {

constexpr const char *kDue = "due", *kCounted = "counted";

core::EnergyReading ReadingOf(const core::UnionRow& counted, const std::string& node) {
  const core::LedgerRow& row = counted.row;
  core::EnergyReading reading;
  reading.device = node + '/' + row.device;
  reading.component = row.component;
  reading.source = row.source;
  reading.wall = row.wall;
  reading.energy = row.energy;
  reading.shared = row.shared;
  return reading;
}

}  // namespace

RunLedgers::RunLedgers(service::OutsideMetering& metering, Duration files_late_by)
    : metering_(metering), files_late_by_(files_late_by) {
  // A line for each attempt: "12 1 counted /path" or "12 2 due /path".
  for (const std::string_view line : Split(metering.Remembered(), '\n')) {
    const auto words = Split(line, ' ');
    constexpr std::size_t kWords = 4;
    if (words.size() < kWords) continue;
    const auto job = ParseInteger(std::string(words[0])),
               attempt = ParseInteger(std::string(words[1]));
    if (!job || !attempt) continue;
    // A path may have blanks.
    folders_[*job] =
        std::string(line.substr(static_cast<std::size_t>(words[3].data() - line.data())));
    const Attempt one{*job, static_cast<int>(*attempt)};
    if (words[2] == kDue)
      due_[one] = Duration::zero();
    else
      counted_.insert(one);
    // A job that goes on is followed again; the others have ended.
    ended_.insert(*job);
  }
}

void RunLedgers::Follow(core::JobId job, std::filesystem::path folder) {
  folders_[job] = std::move(folder);
  ended_.erase(job);
}

void RunLedgers::AttemptEnded(core::JobId job, int attempt, Duration now) {
  if (!folders_.contains(job) || counted_.contains({job, attempt})) return;
  due_.try_emplace({job, attempt}, now + files_late_by_);
  Remember();
}

void RunLedgers::JobEnded(core::JobId job) {
  if (!folders_.contains(job)) return;
  ended_.insert(job);
  if (std::ranges::none_of(due_, [&](const auto& each) { return each.first.first == job; }))
    Complete(job);
}

std::optional<Duration> RunLedgers::NextDue() const {
  std::optional<Duration> next;
  for (const auto& [attempt, due] : due_)
    if (!next || due < *next) next = due;
  return next;
}

bool RunLedgers::Tick(Duration now) {
  bool has_counted = false;
  for (auto at = due_.begin(); at != due_.end();) {
    if (at->second > now) {
      ++at;
      continue;
    }
    const auto [job, attempt] = at->first;
    at = due_.erase(at);
    Count(job, attempt);
    has_counted = true;
    const bool has_more = std::ranges::any_of(
        due_, [&, job = job](const auto& each) { return each.first.first == job; });
    if (ended_.contains(job) && !has_more) Complete(job);
  }
  if (!has_counted) return false;
  Remember();
  metering_.Publish();
  return true;
}

// A job without files was not measured: its script does not run under ebb slurm run.
void RunLedgers::Count(core::JobId job, int attempt) {
  counted_.insert({job, attempt});
  std::vector<std::string> notices;
  const auto runs = ReadJobRuns(folders_.at(job), notices);
  if (!runs) return;
  std::vector<core::UnionRow> set;
  std::map<std::string, std::string> nodes;  // by run
  for (const report::JobRun& part : *runs) {
    if (part.attempt != attempt) continue;
    nodes[part.run.spec.run_id] = part.node;
    for (const core::LedgerRow& row : part.run.ledger)
      set.push_back({part.run.spec.run_id, report::MachineOf(part.run), part.run.spec.scope, row});
  }
  std::vector<core::EnergyReading> readings;
  for (const core::UnionRow& counted : core::Counted(set))
    readings.push_back(ReadingOf(counted, nodes[counted.run_id]));
  std::ranges::stable_sort(readings, {}, [](const auto& reading) { return reading.wall.begin; });
  metering_.Add(job, attempt, readings);
}

// Jobs that are complete are not counted again, so only the others are remembered.
void RunLedgers::Remember() {
  std::string text;
  const auto add = [&](const Attempt& one, const char* state) {
    const auto folder = folders_.find(one.first);
    if (folder == folders_.end()) return;
    text += std::to_string(one.first) + ' ' + std::to_string(one.second) + ' ' + state + ' ' +
            folder->second.string() + '\n';
  };
  for (const Attempt& one : counted_) add(one, kCounted);
  for (const auto& [one, due] : due_) add(one, kDue);
  metering_.Remember(text);
}

void RunLedgers::Complete(core::JobId job) {
  folders_.erase(job);
  ended_.erase(job);
  std::erase_if(counted_, [&](const auto& each) { return each.first == job; });
  metering_.Complete(job);
}

}  // namespace ebb::app
