#include "app/period_sources.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "app/jobs/stored_run.h"
#include "app/run/run_files.h"
#include "core/jobs/owner_variables.h"
#include "core/run/accounting.h"
#include "engine/state.h"
#include "platform/user_name.h"
#include "report/run/merged_run.h"
#include "report/run/summary.h"
#include "service/accounting/settlement.h"
#include "store/accounts/first_come_records.h"
#include "store/jobs/job_records.h"
#include "store/jobs/jobs_in_period.h"
#include "store/jobs/sweep_records.h"
#include "store/store_clock.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

// The name that a service gives its own machine.
constexpr const char* kHere = "here";

struct OpenStore {
  store::Database database;
  StoreFacts facts;
  bool replayed = false;
  Pue pue;  ///< of the newest ledger rows; pruned rows do not have theirs
};

// A run that may have used energy in the period.
struct Entry {
  fs::path directory;  // directory of a run; empty for a job
  int store = -1;      // index of its store; -1 for a run directory
  store::JobSpan job;
  std::string run_id;
  Time submitted{};
  Interval wall;
  std::string machine;        // empty if unknown: may be any machine
  bool reads_devices = true;  // reads whole devices, which another run may read as well
  core::SignalIdentity signal;
  std::optional<core::SignalIdentity> other_signal;
};

// Finds run directories at or below a folder; for a merged run, its members.
Status FindRuns(const fs::path& folder, std::vector<fs::path>& found) {
  EBB_ASSIGN_OR_RETURN(const std::vector<fs::path> directories, report::FindRunDirectories(folder));
  for (const fs::path& directory : directories) {
    EBB_ASSIGN_OR_RETURN(const std::vector<fs::path> runs, report::RunsIn(directory));
    found.insert(found.end(), runs.begin(), runs.end());
  }
  return {};
}

Result<Entry> EntryOf(const fs::path& directory) {
  EBB_ASSIGN_OR_RETURN(const core::RunRecord run, report::ReadRunHead(directory));
  Entry entry;
  entry.directory = directory;
  entry.run_id = run.spec.run_id;
  entry.submitted = run.spec.submitted;
  entry.wall = {run.attempts.empty() ? run.spec.created_wall : Time::max(), Time::min()};
  for (const core::Attempt& attempt : run.attempts) {
    entry.wall.begin = std::min(entry.wall.begin, attempt.wall.begin);
    const bool open = attempt.outcome == core::AttemptOutcome::kRunning;
    entry.wall.end = std::max(entry.wall.end, open ? Time::max() : attempt.wall.end);
  }
  entry.machine = run.spec.machine.boot_id.empty() && !run.spec.machine.gpu_models.empty()
                      ? ""
                      : report::MachineOf(run);
  entry.reads_devices =
      run.spec.scope == core::MeterScope::kMachine || !run.spec.machine.gpu_models.empty();
  entry.signal = run.spec.signal;
  entry.other_signal = run.spec.other_signal;
  return entry;
}

bool MayMeet(const Entry& a, const Entry& b) {
  if (a.store >= 0 && a.store == b.store)
    return false;  // the service divides its readings among
                   // its jobs
  if (!a.reads_devices && !b.reads_devices) return false;
  if (!a.machine.empty() && !b.machine.empty() && a.machine != b.machine) return false;
  return a.wall.begin <= b.wall.end && b.wall.begin <= a.wall.end;
}

// Groups of entries that may have read the same device at the same time.
std::vector<std::vector<std::size_t>> Clusters(const std::vector<Entry>& entries) {
  std::vector<std::size_t> parent(entries.size()), order(entries.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(entries[a].wall.begin, a) < std::tuple(entries[b].wall.begin, b);
  });
  std::vector<std::size_t> active;
  for (const std::size_t at : order) {
    std::erase_if(active, [&](std::size_t other) {
      return entries[other].wall.end < entries[at].wall.begin;
    });
    for (const std::size_t other : active)
      if (MayMeet(entries[at], entries[other])) parent[root(at)] = root(other);
    active.push_back(at);
  }
  std::map<std::size_t, std::vector<std::size_t>> by_root;
  for (const std::size_t at : order) by_root[root(at)].push_back(at);
  std::vector<std::vector<std::size_t>> clusters;
  for (auto& [first, members] : by_root) clusters.push_back(std::move(members));
  return clusters;
}

std::uintmax_t LedgerSize(const Entry& entry) {
  std::error_code code;
  const auto size = fs::file_size(entry.directory / report::kLedgerFile, code);
  return code ? 0 : size;
}

// Chooses between two copies of a run: the store's, which continues to be settled, else the one
// that knows more.
bool IsBetter(const Entry& a, const Entry& b) {
  if ((a.store >= 0) != (b.store >= 0)) return a.store >= 0;
  return a.store < 0 && LedgerSize(a) > LedgerSize(b);
}

// Removes copies. Jobs of two stores may have the same number, but the identifier of a run is
// unique.
std::vector<Entry> EachOnce(std::vector<Entry> entries) {
  std::map<std::tuple<std::string, Time, int>, std::size_t> known;
  std::vector<Entry> once;
  std::set<std::tuple<std::string, Time>> of_stores;
  for (const Entry& entry : entries)
    if (entry.store >= 0) of_stores.insert({entry.run_id, entry.submitted});
  for (Entry& entry : entries) {
    if (entry.store < 0 && of_stores.contains({entry.run_id, entry.submitted})) continue;
    const auto [found, is_new] =
        known.try_emplace({entry.run_id, entry.submitted, entry.store}, once.size());
    if (is_new)
      once.push_back(std::move(entry));
    else if (IsBetter(entry, once[found->second]))
      once[found->second] = std::move(entry);
  }
  return once;
}

std::string ProjectOf(const core::Submission& submission, const std::string& sweep) {
  std::string project = VariableOf(submission, core::kProjectVariable);
  if (project.empty()) project = sweep;
  if (project.empty()) project = submission.recurring;
  return project.empty() ? submission.job.name : project;
}

}  // namespace

struct PeriodSources::State {
  std::vector<OpenStore> stores;
  std::vector<Entry> entries;
  std::int64_t copies = 0;

  Status AddStore(const fs::path& path, Interval period) {
    EBB_ASSIGN_OR_RETURN(auto database, store::Database::Open(path, store::Database::Mode::kRead));
    EBB_ASSIGN_OR_RETURN(StoreFacts facts, FactsOf(database));
    EBB_ASSIGN_OR_RETURN(const bool replayed, store::IsReplayed(database));
    EBB_ASSIGN_OR_RETURN(const auto pue, store::NewestPue(database));
    // For a replay, only the ledgers tell when the jobs really ran.
    const Interval window =
        replayed ? Interval{Time{}, Time{std::chrono::days{365 * 1000}}} : period;
    EBB_ASSIGN_OR_RETURN(const auto jobs, store::JobsThatRan(database, window));
    stores.push_back({std::move(database), std::move(facts), replayed, pue.value_or(Pue{})});
    const int number = static_cast<int>(stores.size()) - 1;
    for (const store::JobSpan& job : jobs) AddJob(number, job);
    return {};
  }

  void AddJob(int number, const store::JobSpan& job) {
    Entry entry;
    entry.store = number;
    entry.job = job;
    entry.run_id = "job-" + std::to_string(job.job);
    entry.submitted = job.submitted;
    entry.wall = {job.begin, job.end.value_or(Time::max())};
    entry.reads_devices = job.used_gpu;
    entry.signal = stores[static_cast<std::size_t>(number)].facts.signal;
    entries.push_back(std::move(entry));
  }

  Result<report::PeriodOwner> OwnerOfJob(OpenStore& of, const Entry& entry) {
    report::PeriodOwner owner{"job " + std::to_string(entry.job.job),
                              of.database.path().string(),
                              "",
                              "",
                              of.facts.signal.zone,
                              of.facts.site_of_pool.empty() ? kHere : ""};
    EBB_ASSIGN_OR_RETURN(const auto submission, store::FindSubmission(of.database, entry.job.job));
    if (!submission) return owner;
    std::string sweep;
    if (submission->sweep != 0) {
      EBB_ASSIGN_OR_RETURN(const auto found, store::FindSweep(of.database, submission->sweep));
      if (found) sweep = found->name;
    }
    owner.project = ProjectOf(*submission, sweep);
    owner.user = VariableOf(*submission, core::kUserVariable);
    return owner;
  }

  Status AddPruned(const Entry& entry, report::PeriodAccount& account) {
    OpenStore& of = stores[static_cast<std::size_t>(entry.store)];
    report::PrunedJob job;
    EBB_ASSIGN_OR_RETURN(job.owner, OwnerOfJob(of, entry));
    EBB_ASSIGN_OR_RETURN(const auto record, store::FindJob(of.database, entry.job.job));
    if (!record || !record->ended) return {};
    EBB_ASSIGN_OR_RETURN(const auto compared, store::FindFirstCome(of.database, entry.job.job));
    job.ended = *record->ended;
    job.energy = record->energy;
    job.energy_without_intensity = record->energy_without_intensity;
    job.pue = of.pue;
    job.emissions = record->emissions;
    job.work = record->work;
    if (compared && compared->settled) job.at_submission = compared->at_submission;
    account.Add(job);
    return {};
  }

  // A part for each site where the job ran. Each is accounted with the values of its site's zone.
  Result<std::vector<report::PeriodRun>> ReadJob(const Entry& entry, Time now) {
    OpenStore& of = stores[static_cast<std::size_t>(entry.store)];
    report::PeriodRun whole;
    EBB_ASSIGN_OR_RETURN(whole.owner, OwnerOfJob(of, entry));
    EBB_ASSIGN_OR_RETURN(auto parts, StoredRunBySite(of.database, entry.job.job, of.facts));
    std::vector<report::PeriodRun> runs;
    for (RunAtSite& part : parts) {
      report::PeriodRun run = whole;
      if (!part.site.name.empty()) run.owner.site = part.site.name;
      if (!part.site.zone.empty()) run.owner.zone = part.site.zone;
      const int zones = std::exchange(part.run.spec.zones, 1);
      run.run = core::Accounted(std::move(part.run));
      run.run.spec.zones = zones;
      run.counts = &part == &parts.back();
      EBB_RETURN_IF_ERROR(DescribeState(of, entry, now, run));
      runs.push_back(std::move(run));
    }
    if (runs.size() > 1 || runs.back().run.spec.zones > 1) {
      EBB_ASSIGN_OR_RETURN(const auto known, store::FindFirstCome(of.database, entry.job.job));
      if (known && known->settled && known->at_submission && known->saving_half_width_g)
        runs.back().settled = report::SettledSaving{*known->settled, *known->at_submission,
                                                    *known->saving_half_width_g};
    }
    return runs;
  }

  Status DescribeState(OpenStore& of, const Entry& entry, Time now, report::PeriodRun& run) {
    run.run.spec.clock.replayed = run.run.spec.clock.replayed || of.replayed;
    EBB_ASSIGN_OR_RETURN(const auto record, store::FindJob(of.database, entry.job.job));
    if (record) run.run.work = record->work;
    run.has_ended = record && engine::HasEnded(record->stage);
    run.is_final =
        record && record->ended && now - *record->ended >= core::kRevisedFor && run.has_ended;
    const Time submitted = run.run.spec.submitted;
    Time first = Time::max();
    for (const core::LedgerRow& row : run.run.ledger) first = std::min(first, row.grid.begin);
    run.at_submission = first - submitted <= service::kStartedAtOnce ? first : submitted;
    return {};
  }

  Result<report::PeriodRun> ReadDirectory(const Entry& entry, Time now,
                                          std::vector<std::string>& notices) {
    report::PeriodRun run;
    EBB_ASSIGN_OR_RETURN(core::RunRecord stored, report::ReadRun(entry.directory, &notices));
    run.is_final = !stored.signal_versions.empty() && stored.signal_versions.back().is_final;
    run.has_ended = !StillRuns(stored, now) && !stored.attempts.empty() &&
                    stored.outcome() != core::AttemptOutcome::kPaused;
    run.run = core::Accounted(std::move(stored));
    const core::RunSpec& spec = run.run.spec;
    run.owner = {spec.run_id,      entry.directory.parent_path().string(),
                 spec.group,       platform::OwnerOf(entry.directory / report::kRunFile),
                 spec.signal.zone, spec.machine.host};
    if (!run.run.ledger.empty()) run.at_submission = report::StartAtSubmission(run.run);
    return run;
  }
};

PeriodSources::PeriodSources(std::unique_ptr<State> state) : state_(std::move(state)) {}
PeriodSources::PeriodSources(PeriodSources&&) noexcept = default;
PeriodSources& PeriodSources::operator=(PeriodSources&&) noexcept = default;
PeriodSources::~PeriodSources() = default;

Result<PeriodSources> PeriodSources::Open(const std::vector<fs::path>& paths, Interval period) {
  auto state = std::make_unique<State>();
  std::vector<fs::path> directories;
  for (const fs::path& path : paths) {
    std::error_code code;
    if (fs::is_directory(path, code)) {
      EBB_RETURN_IF_ERROR(FindRuns(path, directories));
    } else if (fs::exists(path, code)) {
      EBB_RETURN_IF_ERROR(state->AddStore(path, period));
    } else {
      return Fail({ExitCode::kUnavailable, "is not there", path.string(),
                   "name run directories, folders of them, or stores (ebb.db)"});
    }
  }
  for (const fs::path& directory : directories) {
    EBB_ASSIGN_OR_RETURN(Entry entry, EntryOf(directory));
    if (entry.wall.begin < period.end && entry.wall.end >= period.begin)
      state->entries.push_back(std::move(entry));
  }
  const std::size_t all = state->entries.size();
  state->entries = EachOnce(std::move(state->entries));
  state->copies = static_cast<std::int64_t>(all - state->entries.size());
  return PeriodSources(std::move(state));
}

std::map<core::Boundary, std::int64_t> PeriodSources::Boundaries() const {
  std::map<core::Boundary, std::int64_t> boundaries;
  for (const Entry& entry : state_->entries) {
    if (entry.signal.kind == core::SignalKind::kAverage)
      ++boundaries[entry.signal.boundary];
    else if (entry.other_signal)
      ++boundaries[entry.other_signal->boundary];
  }
  return boundaries;
}

std::optional<Interval> PeriodSources::Span(Time now) const {
  std::optional<Interval> span;
  for (const Entry& entry : state_->entries) {
    if (entry.store >= 0 && state_->stores[static_cast<std::size_t>(entry.store)].replayed)
      continue;
    const Interval wall{entry.wall.begin, std::min(entry.wall.end, now)};
    if (wall.end < wall.begin) continue;  // it never started
    span = span ? Interval{std::min(span->begin, wall.begin), std::max(span->end, wall.end)} : wall;
  }
  return span;
}

std::int64_t PeriodSources::copies() const { return state_->copies; }

Status PeriodSources::ReadInto(report::PeriodAccount& account, Time now, const Progress& progress,
                               std::vector<std::string>& notices) {
  std::size_t number = 0;
  for (const std::vector<std::size_t>& cluster : Clusters(state_->entries)) {
    std::vector<report::PeriodRun> runs;
    for (const std::size_t at : cluster) {
      const Entry& entry = state_->entries[at];
      progress(++number, state_->entries.size());
      if (entry.store >= 0 && entry.job.pruned) {
        EBB_RETURN_IF_ERROR(state_->AddPruned(entry, account));
        continue;
      }
      if (entry.store >= 0) {
        EBB_ASSIGN_OR_RETURN(auto parts, state_->ReadJob(entry, now));
        std::move(parts.begin(), parts.end(), std::back_inserter(runs));
      } else {
        EBB_ASSIGN_OR_RETURN(auto run, state_->ReadDirectory(entry, now, notices));
        runs.push_back(std::move(run));
      }
    }
    account.Add(runs);
  }
  return {};
}

}  // namespace ebb::app
