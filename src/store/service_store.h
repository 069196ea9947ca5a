#pragma once
// The memory of the queue service, and the only writer of its database. Everything is added to a
// group in memory and becomes durable when the group is committed: with the decision of a cycle, or
// by Commit. So thousands of submissions cost one flush of the disk.
//
// When a commit fails (disk full, ...) nothing of the group is in the file and all of it stays in
// memory; the store is unhealthy, and stays usable. The caller then goes on like this: - it carries
// out no command of the decision that could not be stored, and refuses submissions; - it calls
// Commit again, every second or so, until that succeeds; it appends nothing a second time. What
// happens meanwhile (ends of running jobs, ledger rows) is added to the same group; - then it goes
// on: the loop (runtime::Run) begins by comparing the engine with what really runs and gives
// commands again that were not carried out.
//
// Recovery reads the latest snapshot of the engine, folds the journal after it in (facts are
// applied, decisions adopted without making them again: a queue of any length and a new version
// that would decide otherwise cost nothing) and plans anew at the next decision. It ends with a
// snapshot, from which on the journal replays byte for byte again.
//
// Thread contract: one thread, that of the loop. Readers open a Database of their own (kRead).

#include <functional>
#include <memory>
#include <unordered_map>

#include "runtime/journal.h"
#include "store/accounts/first_come_records.h"
#include "store/accounts/ledger_records.h"
#include "store/accounts/machine_records.h"
#include "store/accounts/settlement_records.h"
#include "store/accounts/signal_records.h"
#include "store/database/database.h"
#include "store/database/job_numbers.h"
#include "store/jobs/job_notes.h"
#include "store/jobs/job_records.h"
#include "store/jobs/job_work.h"
#include "store/jobs/job_writer.h"
#include "store/jobs/sweep_records.h"
#include "store/stored_views.h"
#include "store/upkeep/pruning.h"
#include "store/upkeep/snapshot_thread.h"

namespace ebb::store {

struct StoreOptions {
  /// A snapshot is due when folding in the journal after the last one costs more than this many
  /// records, or than there are jobs; a decision about n jobs counts as 1 + n / 100. Append takes
  /// it when the cost is four times that. An idle caller takes it earlier (SnapshotIsDue), so that
  /// no submission waits for it.
  std::int64_t snapshot_every = 2000;
  /// File with the highest job number, beside the store (job_numbers.h); empty: no file.
  platform::Path numbers_file{};
  /// How long records of the journal are kept. Those after the snapshot before last are always
  /// kept.
  Duration keep_journal{std::chrono::hours{30 * 24}};
};

struct Health {
  Failure failure = Failure::kNone;
  Error error;              ///< error of the last commit, if it failed
  std::size_t waiting = 0;  ///< writes that are not durable yet
  bool ok() const { return failure == Failure::kNone; }
};

struct AddedJob {
  core::JobId id = 0;
  bool existing = false;      ///< a job with the same key existed: this is its id
  std::int64_t identity = 0;  ///< identity of a new job, see core::Submission
};

struct AddedSweep {
  core::SweepId id = 0;
  bool existing = false;  ///< a sweep with the same key existed
};

/// The state before submissions are added, for TakeBack: the size of the group and the next
/// numbers.
struct StoreMark {
  std::size_t writes = 0;
  core::JobId next_job = 0;
  core::SweepId next_sweep = 0;
};

struct Recovered {
  std::unique_ptr<engine::Engine> engine;
  std::int64_t records = 0;  ///< number of journal records after the snapshot
};

class ServiceStore final : public runtime::Journal {
 public:
  /// Opens for writing: no other process can until this one ends. `why` is that of Database::Open.
  static Result<ServiceStore> Open(const platform::Path& path, StoreOptions options = {},
                                   Failure* why = nullptr);

  /// Restores the engine as the last life of the service left it. Call it once, before the first
  /// Append; `fresh` must have no facts yet. The store reads the engine from then on (stages of
  /// jobs, snapshots) and must not outlive it.
  Result<Recovered> Recover(std::unique_ptr<engine::Engine> fresh);

  /// Adds a record. An event waits for the next decision; a decision is durable when Append
  /// returns, with everything that was added before. Sometimes takes a snapshot.
  Status Append(const runtime::JournalRecord& record) override;
  /// Makes everything durable that was added.
  Status Commit() override;
  const Health& health();

  /// Gives the job the next id and adds it, unless its key is known. Not durable before a commit.
  Result<AddedJob> AddJob(core::Submission submission);
  /// The job with this key of this user (job_records.h), whether or not it is on the disk yet.
  Result<std::optional<core::JobId>> JobOfKey(const std::string& key, const std::string& user = "");
  /// The sweep with this key of this user, as JobOfKey.
  Result<std::optional<core::SweepId>> SweepOfKey(const std::string& key, const std::string& user);
  /// After Recover: jobs that were added and acknowledged but never reached the engine. The caller
  /// must submit them to it.
  Result<std::vector<core::Submission>> UnknownSubmissions();
  StoreMark mark() const { return {group_.size(), next_job_id_, next_sweep_id_}; }
  /// Removes what was added since the mark: the engine refused it, and nothing was committed. Its
  /// numbers and keys are free again, because no client was told of them.
  void TakeBack(const StoreMark& mark);
  /// Refuses one of the unknown submissions: the job ends as failed with this reason, is never
  /// started, and its key is free. Commits.
  Status RefuseJob(core::JobId job, Time at, const std::string& why);
  /// Gives the sweep the next id and adds it, unless its key is known. Not durable before a commit.
  Result<AddedSweep> AddSweep(SweepRecord sweep);
  void AddRungLoss(const RungLoss& loss) { store::AddRungLoss(group_, loss); }
  void SetSweepBudget(core::SweepId sweep, const core::Budget& budget) {
    store::SetSweepBudget(group_, sweep, budget);
  }
  void AddSweepBudgetEvent(core::SweepId sweep, std::int64_t number,
                           const core::BudgetEvent& event) {
    store::AddSweepBudgetEvent(group_, sweep, number, event);
  }
  /// Replaces the submission of an existing job.
  void ReplaceSubmission(const core::Submission& submission) {
    jobs_.ReplaceSubmission(group_, submission);
  }
  void AddLedger(const LedgerBatch& batch) { store::AddLedger(group_, batch); }
  void AddMachineShares(const core::MachineShares& shares) {
    store::AddMachineShares(group_, shares);
  }
  void AddFirstCome(const FirstComeRecord& record) { store::AddFirstCome(group_, record); }
  void AddSettlement(core::JobId job, Time asked_at, const core::IntensitySeries& published,
                     const SettledSites* sites = nullptr) {
    store::AddSettlement(group_, job, asked_at, published, sites);
  }
  /// See job_notes.h.
  void SetHold(core::JobId job, PersonHold hold) { store::SetHold(group_, job, hold); }
  void SetWhyHeld(core::JobId job, const std::string& why) { store::SetWhyHeld(group_, job, why); }
  void SetWork(core::JobId job, const core::Work& work) { store::SetWork(group_, job, work); }
  void SetBudgetHeard(core::JobId job, std::size_t events) {
    store::SetBudgetHeard(group_, job, events);
  }
  /// Stores the names of the devices that the attempt has in its pool.
  void SetDevices(core::JobId job, int attempt, const std::vector<std::string>& devices);
  void AddSignal(const core::IntensitySeries& series) { store::AddSignal(group_, series); }
  void SetMeta(const std::string& key, const std::string& value);
  /// The durable value of the key; nothing: it was never set.
  Result<std::optional<std::string>> Meta(const std::string& key);

  /// Commits and takes a snapshot now: at an orderly end, so that the next start goes on exactly.
  Status Snapshot();
  bool SnapshotIsDue() const { return !snapshot_thread_ && Overdue() >= 1; }
  /// Takes a snapshot while the engine goes on: commits, gives a thread a copy of the engine's
  /// memory, and calls `on_part` from that thread whenever ContinueSnapshot has something to write.
  /// A snapshot that is cut off by a failure or an end has no effect.
  Status BeginSnapshot(std::function<void()> on_part);
  /// Writes a part of the begun snapshot if one is ready: half a megabyte at most.
  Status ContinueSnapshot();
  /// Drops the begun snapshot; `on_part` is not called after this returns.
  void AbandonSnapshot() { snapshot_thread_.reset(); }
  /// Commits and takes one step of pruning; gives some space back.
  Result<PruneStep> Prune(Time before, const RemoveFolder& remove_folder);
  /// See pruning.h.
  Result<PruneEstimate> EstimatePruning(Time before) {
    return store::EstimatePruning(database_, before);
  }
  Status Compact() { return store::Compact(database_); }
  Status EmptyWriteAheadLog() { return store::EmptyWriteAheadLog(database_); }
  /// See ended_sums.h.
  void SetCounted(core::JobId job);
  void SetCountedBelow(core::JobId below);

  /// The stored rows, by subject; uncommitted writes are not visible.
  StoredJobs jobs() { return StoredJobs(database_); }
  StoredLedgers ledgers() { return StoredLedgers(database_); }
  StoredSweeps sweeps() { return StoredSweeps(database_); }
  /// For the queries of this room, and for tests.
  Database& database() { return database_; }
  core::JobId next_job_id() const { return next_job_id_; }
  /// The last job number when the store was opened. Numbers between it and the next were given out
  /// by a store that this one, from a backup, has replaced.
  core::JobId last_known_job() const { return last_known_job_; }

 private:
  ServiceStore(Database database, StoreOptions options)
      : database_(std::move(database)),
        options_(std::move(options)),
        numbers_(JobNumbers::Open(options_.numbers_file)) {}
  Status ReadNextIds();
  void AddToJournal(Values values, bool is_decision);
  Status FoldJournal(engine::Engine& engine, std::int64_t after, std::int64_t& records);
  Status FollowRecovered(bool take_snapshot);
  Status TakeSnapshot(bool continues);
  Status AddSnapshotParts();
  Status PruneJournal();
  Status Try(const std::function<Status()>& write);
  double Overdue() const;

  Database database_;
  StoreOptions options_;
  JobNumbers numbers_;
  WriteGroup group_;
  JobWriter jobs_;
  Health health_;
  const engine::Engine* engine_ = nullptr;
  std::unordered_map<std::string, core::JobId> waiting_keys_;
  std::unordered_map<std::string, core::SweepId> waiting_sweep_keys_;
  core::JobId next_job_id_ = 1, last_known_job_ = 0;
  core::SweepId next_sweep_id_ = 1;
  std::int64_t next_seq_ = 1;
  std::int64_t next_snapshot_ = 1;
  std::int64_t cost_since_snapshot_ = 0;
  struct {
    std::int64_t id = 0, parts = 0, cost_before = 0;
    bool complete = false;
  } being_written_;
  std::unique_ptr<SnapshotThread> snapshot_thread_;
};

/// The value of the key; nothing if it was never set.
Result<std::optional<std::string>> GetMeta(Database& database, const std::string& key);

}  // namespace ebb::store
