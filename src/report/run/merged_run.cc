#include "report/run/merged_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/text.h"
#include "base/units_text.h"
#include "core/run/ledger_union.h"
#include "platform/digest.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "report/run/seal.h"
#include "report/run/training_files.h"

namespace ebb::report {
namespace {

using core::RunRecord;
using core::UnionRow;

std::vector<UnionRow> RowsOf(const RunRecord& run) {
  std::vector<UnionRow> rows;
  for (const core::LedgerRow& row : run.ledger)
    rows.push_back({run.spec.run_id, MachineOf(run), run.spec.scope, row});
  return rows;
}

// Completes a run from an earlier copy of it: the rows and attempts of both, each once.
void Complete(RunRecord& run, const RunRecord& copy) {
  std::vector<core::LedgerRow> rows;
  for (UnionRow& item : core::United(RowsOf(run), RowsOf(copy))) rows.push_back(item.row);
  const bool copy_is_longer = copy.ledger.size() > run.ledger.size();
  if (copy_is_longer || copy.attempts.size() > run.attempts.size()) run = copy;
  for (const core::Attempt& attempt : copy.attempts)
    for (core::Attempt& known : run.attempts)
      if (known.number == attempt.number && known.outcome == core::AttemptOutcome::kRunning)
        known = attempt;
  run.ledger = std::move(rows);
}

Result<std::vector<RunRecord>> ReadMembers(const std::vector<Path>& directories,
                                           std::vector<std::string>& notices) {
  std::map<std::string, RunRecord> by_id;
  for (const Path& directory : directories) {
    EBB_ASSIGN_OR_RETURN(const std::vector<Path> paths, RunsIn(directory));
    for (const Path& path : paths) {
      EBB_ASSIGN_OR_RETURN(RunRecord run, ReadRun(path, &notices));
      const auto [known, is_new] = by_id.try_emplace(run.spec.run_id, run);
      if (!is_new) Complete(known->second, run);
    }
  }
  std::vector<RunRecord> members;
  for (auto& [id, run] : by_id) members.push_back(std::move(run));
  return members;
}

Status CheckAlike(const RunRecord& a, const RunRecord& b) {
  const auto refuse = [&](const std::string& what, const std::string& next) {
    return Fail(Error{ExitCode::kConfiguration,
                      a.spec.run_id + " and " + b.spec.run_id + " " + what, "", next});
  };
  if (a.spec.signal.kind != b.spec.signal.kind)
    return refuse("are accounted on different kinds of intensity, average and marginal",
                  "these are never summed: merge runs of one kind");
  if (a.spec.signal.boundary != b.spec.signal.boundary)
    return refuse("are accounted within different boundaries (" +
                      std::string(core::Name(a.spec.signal.boundary)) + ", " +
                      std::string(core::Name(b.spec.signal.boundary)) + ")",
                  "merge runs of one boundary");
  if (a.spec.clock.replayed != b.spec.clock.replayed)
    return refuse("ran on a replayed and on a real grid clock", "merge runs of one clock");
  return {};
}

// The members' value: "a", or "a, b" if they differ.
template <typename Get>
std::string Joined(const std::vector<RunRecord>& members, Get get) {
  std::set<std::string> texts;
  for (const RunRecord& run : members) texts.insert(get(run));
  return Join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
}

core::Machine MachinesOf(const std::vector<RunRecord>& members) {
  core::Machine all = members.front().spec.machine;
  std::map<std::string, core::Machine> machines;
  for (const RunRecord& run : members) machines.try_emplace(MachineOf(run), run.spec.machine);
  all.host = Joined(members, [](const RunRecord& run) { return run.spec.machine.host; });
  all.cpu_model = Joined(members, [](const RunRecord& run) { return run.spec.machine.cpu_model; });
  if (machines.size() > 1) all.boot_id.clear();
  all.cpu_count = 0;
  all.ram_total_gb = 0;
  all.gpu_models.clear();
  for (const auto& [key, machine] : machines) {
    all.cpu_count += machine.cpu_count;
    all.ram_total_gb += machine.ram_total_gb;
    all.gpu_models.insert(all.gpu_models.end(), machine.gpu_models.begin(),
                          machine.gpu_models.end());
  }
  return all;
}

core::RunSpec SpecOf(const std::vector<RunRecord>& members, const std::string& name,
                     std::vector<std::string>& notices) {
  const auto first =
      std::min_element(members.begin(), members.end(), [](const RunRecord& a, const RunRecord& b) {
        return std::tie(a.spec.submitted, a.spec.run_id) <
               std::tie(b.spec.submitted, b.spec.run_id);
      });
  core::RunSpec spec = first->spec;
  std::string ids;
  for (const RunRecord& run : members) {
    ids += run.spec.run_id + "\n";
    spec.created_wall = std::min(spec.created_wall, run.spec.created_wall);
    if (run.spec.scope == core::MeterScope::kProcessTree) spec.scope = run.spec.scope;
  }
  spec.run_id = "merged-" + platform::Sha256Hex(ids).substr(0, 12);
  if (!name.empty()) spec.name = spec.group = name;
  std::set<std::string> zones;
  for (const RunRecord& run : members) zones.insert(run.spec.signal.zone);
  spec.zones = static_cast<int>(zones.size());
  spec.signal.zone = Join(std::vector<std::string>(zones.begin(), zones.end()), ", ");
  spec.signal.source = Joined(members, [](const RunRecord& run) { return run.spec.signal.source; });
  spec.machine = MachinesOf(members);
  std::set<std::string> meters;
  for (const RunRecord& run : members)
    for (const std::string& meter : run.spec.meters)
      meters.insert(run.spec.machine.host + ": " + meter);
  spec.meters.assign(meters.begin(), meters.end());
  const bool same_wue = std::all_of(members.begin(), members.end(), [&](const RunRecord& run) {
    return run.spec.wue_l_per_kwh == spec.wue_l_per_kwh;
  });
  if (!same_wue) {
    spec.wue_l_per_kwh.reset();
    notices.push_back("the members have different WUE: water is left out");
  }
  if (spec.prices && members.size() > 1) {
    spec.prices.reset();
    notices.push_back("costs are left out: each member states its own prices");
  }
  if (spec.embodied && members.size() > 1) {
    spec.embodied.reset();
    notices.push_back("embodied emissions are left out: each member states its own hardware");
  }
  return spec;
}

std::optional<core::SignalVersion> NewestVersion(const RunRecord& run) {
  return run.signal_versions.empty() ? std::nullopt : std::optional(run.signal_versions.back());
}

// The known values of all members on the signal of one zone. If two members have a value for one
// interval, the one that was asked for last is taken.
core::IntensitySeries SignalOf(const std::vector<RunRecord>& members, const core::RunSpec& spec) {
  std::vector<const RunRecord*> newest_first;
  if (spec.zones == 1)
    for (const RunRecord& run : members) newest_first.push_back(&run);
  const auto asked_at = [](const RunRecord* run) {
    const auto version = NewestVersion(*run);
    return version ? version->asked_at : Time::min();
  };
  std::stable_sort(
      newest_first.begin(), newest_first.end(),
      [&](const RunRecord* a, const RunRecord* b) { return asked_at(a) > asked_at(b); });
  std::vector<core::Sample> samples;
  for (const RunRecord* run : newest_first) samples = core::Filled(samples, run->signal.samples());
  auto series = core::IntensitySeries::Create(spec.signal, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

// The versions of the merged signal: as old as the oldest among the members' newest ones, and final
// if all of those are final. None if a member has no version.
std::vector<core::SignalVersion> VersionOf(const std::vector<RunRecord>& members) {
  std::optional<core::SignalVersion> oldest;
  bool is_final = true;
  for (const RunRecord& run : members) {
    const auto version = NewestVersion(run);
    if (!version) return {};
    is_final = is_final && version->is_final;
    if (!oldest || version->asked_at < oldest->asked_at) oldest = version;
  }
  oldest->is_final = is_final;
  return {*oldest};
}

// The first rank of a training reports for all. If several members report, they may report the same
// work or parts of it.
core::Work WorkOf(const std::vector<RunRecord>& members, std::vector<std::string>& notices) {
  const auto reports = [](const RunRecord& run) { return !run.work.empty(); };
  const auto count = std::ranges::count_if(members, reports);
  if (count > 1)
    notices.push_back(
        "energy per unit of work is left out: several members report work, and it "
        "is not known whether it is the same");
  return count == 1 ? std::ranges::find_if(members, reports)->work : core::Work();
}

// Writes the work as the only line of a progress file: the steps on the way are not kept.
Status WriteWork(const Path& directory, const RunRecord& run) {
  if (run.work.empty()) return {};
  ProgressEvent event;
  event.time = run.attempts.empty() ? run.spec.created_wall : run.attempts.back().wall.end;
  event.event = "end";
  event.step = run.work.steps;
  event.samples_seen = run.work.samples;
  event.tokens_seen = run.work.tokens;
  return platform::WriteFileAtomically(directory / kProgressFile, ProgressLine(event) + "\n");
}

// Adds the attempts of all members in the order in which they began, with new numbers. The rows
// refer to the new numbers.
void AddAttemptsAndRows(const std::vector<RunRecord>& members, const std::vector<UnionRow>& counted,
                        RunRecord& record) {
  struct Begun {
    std::string run_id;
    core::Attempt attempt;
  };
  std::vector<Begun> begun;
  for (const RunRecord& run : members)
    for (const core::Attempt& attempt : run.attempts) begun.push_back({run.spec.run_id, attempt});
  std::sort(begun.begin(), begun.end(), [](const Begun& a, const Begun& b) {
    return std::tie(a.attempt.wall.begin, a.run_id, a.attempt.number) <
           std::tie(b.attempt.wall.begin, b.run_id, b.attempt.number);
  });
  std::map<std::pair<std::string, int>, int> number;
  for (const Begun& item : begun) {
    record.attempts.push_back(item.attempt);
    record.attempts.back().number = number[{item.run_id, item.attempt.number}] =
        static_cast<int>(record.attempts.size());
  }
  for (const UnionRow& item : counted) {
    record.ledger.push_back(item.row);
    const auto found = number.find({item.run_id, item.row.attempt});
    record.ledger.back().attempt = found == number.end() ? 1 : found->second;
  }
}

Status WriteRun(const Path& directory, const RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(RunDirectory writer, RunDirectory::Create(directory, run.spec));
  for (const core::GateDecision& decision : run.decisions)
    EBB_RETURN_IF_ERROR(writer.AppendDecision(decision));
  for (const core::SkippedWait& wait : run.skipped_waits)
    EBB_RETURN_IF_ERROR(writer.AppendSkippedWait(wait));
  for (const core::Attempt& attempt : run.attempts) {
    EBB_RETURN_IF_ERROR(writer.BeginAttempt(attempt));
    if (attempt.outcome != core::AttemptOutcome::kRunning)
      EBB_RETURN_IF_ERROR(writer.EndAttempt(attempt));
  }
  EBB_RETURN_IF_ERROR(writer.AppendRows(run.ledger));
  EBB_RETURN_IF_ERROR(WriteWork(directory, run));
  if (run.budget.budget) {
    EBB_RETURN_IF_ERROR(writer.AppendBudget(*run.budget.budget, 1));
    for (const core::BudgetEvent& event : run.budget.events)
      EBB_RETURN_IF_ERROR(writer.AppendBudgetEvent(event));
  }
  if (run.spec.prices) EBB_RETURN_IF_ERROR(writer.WritePrices(run.prices));
  const auto version = NewestVersion(run);
  return version ? writer.WriteSignal(run.signal, version->asked_at, version->is_final)
                 : writer.WriteSignal(run.signal, run.spec.created_wall, false);
}

}  // namespace

std::string MachineOf(const RunRecord& run) {
  const core::Machine& machine = run.spec.machine;
  return machine.boot_id.empty() ? machine.host : machine.boot_id;
}

Result<std::vector<Path>> RunsIn(const Path& directory) {
  std::error_code code;
  const Path folder = directory / kMembersFolder;
  if (!std::filesystem::is_directory(folder, code)) return std::vector<Path>{directory};
  std::vector<Path> members;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (HoldsRun(entry.path())) members.push_back(entry.path());
  if (members.empty())
    return Fail({ExitCode::kConfiguration, "is a merged run without members", folder.string(),
                 "merge the original directories again"});
  std::sort(members.begin(), members.end());
  return members;
}

Result<MergedRun> MergeRuns(const std::vector<Path>& directories, const std::string& name) {
  MergedRun merged;
  EBB_ASSIGN_OR_RETURN(merged.members, ReadMembers(directories, merged.notices));
  std::vector<UnionRow> set;
  Energy all;
  for (const RunRecord& run : merged.members) {
    EBB_RETURN_IF_ERROR(CheckAlike(merged.members.front(), run));
    set = core::United(std::move(set), RowsOf(run));
  }
  for (const UnionRow& item : set) all += item.row.energy;
  const std::vector<UnionRow> counted = core::Counted(set);
  RunRecord& record = merged.record;
  record.spec = SpecOf(merged.members, name, merged.notices);
  for (const RunRecord& run : merged.members)
    if (run.spec.submitted == record.spec.submitted && record.decisions.empty())
      record.decisions = run.decisions;
  AddAttemptsAndRows(merged.members, counted, record);
  record.signal = SignalOf(merged.members, record.spec);
  record.signal_versions = VersionOf(merged.members);
  record.work = WorkOf(merged.members, merged.notices);
  if (record.spec.zones > 1)
    merged.notices.push_back(
        "the members ran in several zones: what other starts would have emitted is left out");
  merged.not_counted = all - core::Total(record.ledger).energy;
  return merged;
}

Status WriteMergedRun(const Path& directory, const MergedRun& merged) {
  EBB_RETURN_IF_ERROR(WriteRun(directory, merged.record));
  for (const RunRecord& run : merged.members) {
    const Path member = directory / kMembersFolder / run.spec.run_id;
    EBB_RETURN_IF_ERROR(WriteRun(member, run));
    EBB_RETURN_IF_ERROR(SealRun(member, platform::WallNow()));
  }
  return {};
}

}  // namespace ebb::report
