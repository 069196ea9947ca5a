#include "store/service_store.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/text.h"
#include "core/jobs/owner_variables.h"
#include "engine/journal_json.h"
#include "platform/random_bytes.h"
#include "store/database/links.h"
#include "store/upkeep/snapshots.h"

namespace ebb::store {
namespace {

constexpr std::string_view kSetMeta =
    "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = "
    "excluded.value";
// Deciding about this many jobs costs as much as folding in one record.
constexpr std::int64_t kJobsPerRecord = 100;
// A snapshot blocks the loop. If nobody took one by the time it is overdue by this factor, Append
// does.
constexpr double kOverdue = 4;
// Parts of a snapshot that are written beside the loop in one transaction: half a megabyte.
constexpr int kPartsAtOnce = 4;
// Pages of 4 KB: 16 MB are kept for new rows, and one megabyte at a time is given back.
constexpr std::int64_t kSparePages = 4096, kPagesAtOnce = 256;

std::string JournalPlace(std::int64_t seq) { return "journal record " + std::to_string(seq); }

Error At(Error error, std::int64_t seq) {
  error.what = JournalPlace(seq) + ": " + error.Message();
  error.where.clear();
  if (error.next.empty()) error.next = "look with ebb store check, or restore a backup";
  return error;
}

Status Fold(engine::Engine& engine, runtime::JournalRecord record) {
  if (auto* event = std::get_if<engine::Event>(&record)) return engine.Reapply(std::move(*event));
  return engine.Adopt(std::get<engine::Decision>(record));
}

// A random identity, never 0.
Result<std::int64_t> RandomIdentity() {
  std::array<unsigned char, sizeof(std::uint64_t)> bytes{};
  EBB_RETURN_IF_ERROR(platform::FillWithRandom(bytes));
  return static_cast<std::int64_t>((std::bit_cast<std::uint64_t>(bytes) >> 1) | 1);
}

}  // namespace

Result<ServiceStore> ServiceStore::Open(const platform::Path& path, StoreOptions options,
                                        Failure* why) {
  EBB_ASSIGN_OR_RETURN(Database database, Database::Open(path, Database::Mode::kWrite, why));
  ServiceStore store(std::move(database), std::move(options));
  EBB_RETURN_IF_ERROR(store.ReadNextIds());
  return store;
}

Status ServiceStore::ReadNextIds() {
  EBB_ASSIGN_OR_RETURN(const auto last_job, database_.Integer("SELECT max(id) FROM jobs"));
  EBB_ASSIGN_OR_RETURN(const auto last_sweep, database_.Integer("SELECT max(id) FROM sweeps"));
  EBB_ASSIGN_OR_RETURN(const auto after_restore,
                       database_.Integer("SELECT CAST(value AS INTEGER) FROM meta"
                                         " WHERE key = 'next_sweep_id'"));
  EBB_ASSIGN_OR_RETURN(const auto last_record, database_.Integer("SELECT max(seq) FROM journal"));
  EBB_ASSIGN_OR_RETURN(const auto snapshots, ListSnapshots(database_));
  last_known_job_ = last_job.value_or(0);
  next_job_id_ = std::max(last_known_job_, numbers_.highest()) + 1;
  next_sweep_id_ = std::max(last_sweep.value_or(0) + 1, after_restore.value_or(1));
  next_seq_ = last_record.value_or(0) + 1;
  EBB_ASSIGN_OR_RETURN(const auto last_snapshot,
                       database_.Integer("SELECT max(id) FROM snapshots"));
  next_snapshot_ = last_snapshot.value_or(0) + 1;
  if (!snapshots.empty()) {
    next_seq_ = std::max(next_seq_, snapshots.back().seq + 1);
  }
  return {};
}

Status ServiceStore::FoldJournal(engine::Engine& engine, std::int64_t after,
                                 std::int64_t& records) {
  return database_.Query("SELECT seq, line FROM journal WHERE seq > ? ORDER BY seq", {after},
                         [&](const Row& row) -> Status {
                           auto record = engine::FromJsonLine(row.Text(1));
                           if (!record) return Fail(At(record.error(), row.Integer(0)));
                           if (auto folded = Fold(engine, *std::move(record)); !folded)
                             return Fail(At(folded.error(), row.Integer(0)));
                           ++records;
                           return {};
                         });
}

Result<Recovered> ServiceStore::Recover(std::unique_ptr<engine::Engine> fresh) {
  Recovered recovered{std::move(fresh), 0};
  EBB_ASSIGN_OR_RETURN(const auto snapshots, ListSnapshots(database_));
  std::int64_t after = 0;
  if (!snapshots.empty()) {
    EBB_ASSIGN_OR_RETURN(auto memory, ReadSnapshot(database_, snapshots.back()));
    recovered.engine->Restore(std::move(memory));
    after = snapshots.back().seq;
  }
  EBB_RETURN_IF_ERROR(FoldJournal(*recovered.engine, after, recovered.records));
  engine_ = recovered.engine.get();
  if (auto followed = FollowRecovered(recovered.records > 0 || snapshots.empty()); !followed) {
    engine_ = nullptr;
    return Fail(followed.error());
  }
  return recovered;
}

// The first snapshot is that of an engine without facts: checks begin there.
Status ServiceStore::FollowRecovered(bool take_snapshot) {
  EBB_RETURN_IF_ERROR(jobs_.Recover(database_, group_, engine_->state()));
  EBB_RETURN_IF_ERROR(Commit());
  if (!take_snapshot) return {};
  return Try([&] { return TakeSnapshot(false); });
}

void ServiceStore::AddToJournal(Values values, bool is_decision) {
  const Value seq = values.front();
  std::string link_text = LinkText(values);
  values.emplace_back(std::move(link_text));
  group_.Add(
      "INSERT INTO journal(seq, at_ms, kind, line, link) VALUES(?1, ?2, ?3, ?4,"
      " ebb_links(coalesce((SELECT link FROM journal WHERE seq = ?1 - 1), 'journal'), ?5))",
      std::move(values));
  // The stored head of the chain shows if records are cut off at the end.
  if (is_decision)
    group_.Add(
        "INSERT INTO meta(key, value) SELECT 'journal_link', link FROM journal WHERE seq = ?"
        " ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        {seq});
}

Status ServiceStore::Append(const runtime::JournalRecord& record) {
  const auto* decision = std::get_if<engine::Decision>(&record);
  const Time at = decision ? decision->at : std::get<engine::Event>(record).at;
  AddToJournal({next_seq_++, Milliseconds(at), std::string(engine::KindOf(record)),
                engine::ToJsonLine(record)},
               decision != nullptr);
  jobs_.Follow(group_, record);
  ++cost_since_snapshot_;
  if (!decision) return {};
  if (engine_) {
    jobs_.FollowStages(group_, *decision, engine_->state());
    cost_since_snapshot_ +=
        static_cast<std::int64_t>(engine_->state().live.size()) / kJobsPerRecord;
  }
  EBB_RETURN_IF_ERROR(Commit());
  // The decision is durable; a snapshot that fails is tried again with the next one. A plan that is
  // being computed is not in a snapshot; the next decisions use it.
  if (engine_ && !engine_->question() && !snapshot_thread_ && Overdue() >= kOverdue)
    std::ignore = Try([&] { return TakeSnapshot(true); });
  return {};
}

Status ServiceStore::Try(const std::function<Status()>& write) {
  Status done = write();
  health_.failure = Failure::kNone;
  if (done) return {};
  health_.failure = database_.failure() == Failure::kNone ? Failure::kOther : database_.failure();
  health_.error = done.error();
  return done;
}

Status ServiceStore::Commit() {
  Status done = Try([&]() -> Status {
    EBB_RETURN_IF_ERROR(numbers_.Keep(next_job_id_ - 1));
    return group_.Commit(database_);
  });
  if (!done) return done;
  waiting_keys_.clear();
  waiting_sweep_keys_.clear();
  return {};
}

const Health& ServiceStore::health() {
  health_.waiting = group_.size();
  return health_;
}

Result<std::optional<core::JobId>> ServiceStore::JobOfKey(const std::string& key,
                                                          const std::string& user) {
  const auto waiting = waiting_keys_.find(StoredKey(key, user));
  if (waiting != waiting_keys_.end()) return waiting->second;
  return FindJobByKey(database_, key, user);
}

Result<std::optional<core::SweepId>> ServiceStore::SweepOfKey(const std::string& key,
                                                              const std::string& user) {
  const auto waiting = waiting_sweep_keys_.find(StoredKey(key, user));
  if (waiting != waiting_sweep_keys_.end()) return waiting->second;
  return FindSweepByKey(database_, key, user);
}

Result<AddedJob> ServiceStore::AddJob(core::Submission submission) {
  const std::string user = core::VariableOf(submission, core::kUserVariable);
  if (!submission.key.empty()) {
    EBB_ASSIGN_OR_RETURN(const auto known, JobOfKey(submission.key, user));
    if (known) return AddedJob{*known, true};
  }
  EBB_ASSIGN_OR_RETURN(submission.identity, RandomIdentity());
  submission.job.id = next_job_id_++;
  if (!submission.key.empty())
    waiting_keys_.emplace(StoredKey(submission.key, user), submission.job.id);
  jobs_.AddSubmission(group_, submission);
  return AddedJob{submission.job.id, false, submission.identity};
}

Result<std::vector<core::Submission>> ServiceStore::UnknownSubmissions() {
  std::vector<core::JobId> unknown;
  const Status listed = database_.Query("SELECT id FROM jobs WHERE stage = 'waiting' ORDER BY id",
                                        {}, [&](const Row& row) -> Status {
                                          if (!engine_->Explain(row.Integer(0)))
                                            unknown.push_back(row.Integer(0));
                                          return {};
                                        });
  if (!listed) return Fail(listed.error());
  std::vector<core::Submission> submissions;
  for (const core::JobId id : unknown) {
    EBB_ASSIGN_OR_RETURN(auto submission, FindSubmission(database_, id));
    if (submission) submissions.push_back(*std::move(submission));
  }
  return submissions;
}

Result<AddedSweep> ServiceStore::AddSweep(SweepRecord sweep) {
  if (!sweep.key.empty()) {
    EBB_ASSIGN_OR_RETURN(const auto known, SweepOfKey(sweep.key, sweep.user));
    if (known) return AddedSweep{*known, true};
  }
  sweep.id = next_sweep_id_++;
  if (!sweep.key.empty()) waiting_sweep_keys_.emplace(StoredKey(sweep.key, sweep.user), sweep.id);
  store::AddSweep(group_, sweep);
  return AddedSweep{sweep.id, false};
}

void ServiceStore::TakeBack(const StoreMark& mark) {
  group_.Truncate(mark.writes);
  std::erase_if(waiting_keys_, [&](const auto& entry) { return entry.second >= mark.next_job; });
  std::erase_if(waiting_sweep_keys_,
                [&](const auto& entry) { return entry.second >= mark.next_sweep; });
  next_job_id_ = mark.next_job;
  next_sweep_id_ = mark.next_sweep;
}

Status ServiceStore::RefuseJob(core::JobId job, Time at, const std::string& why) {
  group_.Add(
      "UPDATE jobs SET stage = 'failed', ended_ms = ?2, detail = ?3, key = NULL"
      " WHERE id = ?1 AND ended_ms IS NULL",
      {job, Milliseconds(at), why});
  return Commit();
}

void ServiceStore::SetDevices(core::JobId job, int attempt,
                              const std::vector<std::string>& devices) {
  group_.Add("UPDATE attempts SET devices = ?3 WHERE job = ?1 AND attempt = ?2",
             {job, std::int64_t{attempt}, Join(devices, ",")});
}

void ServiceStore::SetMeta(const std::string& key, const std::string& value) {
  group_.Add(kSetMeta, {key, value});
}

Result<std::optional<std::string>> ServiceStore::Meta(const std::string& key) {
  return GetMeta(database_, key);
}

// How overdue the next snapshot is; 1 means due.
double ServiceStore::Overdue() const {
  if (!engine_) return 0;
  const auto jobs = engine_->state().live.size() + engine_->state().ended.size();
  return static_cast<double>(cost_since_snapshot_) /
         static_cast<double>(std::max(options_.snapshot_every, static_cast<std::int64_t>(jobs)));
}

Status ServiceStore::Snapshot() {
  EBB_RETURN_IF_ERROR(Commit());
  return Try([&] { return TakeSnapshot(true); });
}

Status ServiceStore::BeginSnapshot(std::function<void()> on_part) {
  EBB_RETURN_IF_ERROR(Commit());
  if (snapshot_thread_) return {};
  const SnapshotRecord record{next_snapshot_, next_seq_ - 1, engine_->state().now, true};
  EBB_RETURN_IF_ERROR(Try([&] {
    return database_.Transaction([&] { return store::BeginSnapshot(database_, record); });
  }));
  ++next_snapshot_;
  being_written_ = {record.id, 0, std::exchange(cost_since_snapshot_, 0), false};
  snapshot_thread_ =
      std::make_unique<SnapshotThread>(engine::SnapshotCopy(*engine_), std::move(on_part));
  return {};
}

// Writes the parts that are ready, at most as many as do not block the loop for long.
Status ServiceStore::AddSnapshotParts() {
  for (int i = 0; i < kPartsAtOnce; ++i) {
    auto part = snapshot_thread_->Take();
    if (!part) break;
    EBB_RETURN_IF_ERROR(
        AddSnapshotLines(database_, being_written_.id, being_written_.parts++, *std::move(part)));
  }
  if (!snapshot_thread_->ended()) return {};
  being_written_.complete = true;
  EBB_RETURN_IF_ERROR(CompleteSnapshot(database_, being_written_.id));
  return PruneJournal();
}

Status ServiceStore::ContinueSnapshot() {
  if (!snapshot_thread_) return {};
  Status added = Try([&] { return database_.Transaction([&] { return AddSnapshotParts(); }); });
  // A failed snapshot is thrown away when the next one begins.
  if (!added) cost_since_snapshot_ += being_written_.cost_before;
  if (!added || being_written_.complete) snapshot_thread_.reset();
  return added;
}

// Removes records from the oldest on while they are too old; the rest is not read.
Status ServiceStore::PruneJournal() {
  const Time now = engine_->state().now;
  if (now == Time::min()) return {};
  EBB_ASSIGN_OR_RETURN(
      const auto last,
      database_.Integer("SELECT max(seq) FROM journal WHERE seq <= (SELECT min(seq) FROM snapshots)"
                        " AND seq < coalesce("
                        " (SELECT seq FROM journal WHERE at_ms >= ? ORDER BY seq LIMIT 1), ?)",
                        {Milliseconds(now - options_.keep_journal), next_seq_}));
  if (!last) return {};
  // Keeps the link that the first remaining record continues.
  EBB_RETURN_IF_ERROR(database_.Run(
      "INSERT INTO meta(key, value) SELECT 'journal_link_before', link FROM journal"
      " WHERE seq = ? AND link IS NOT NULL ON CONFLICT(key) DO UPDATE SET value = excluded.value",
      {*last}));
  return database_.Run("DELETE FROM journal WHERE seq <= ?", {*last});
}

Status ServiceStore::TakeSnapshot(bool continues) {
  EBB_CHECK(engine_ != nullptr && group_.size() == 0);
  snapshot_thread_.reset();
  const Time now = engine_->state().now;
  const SnapshotRecord record{next_snapshot_, next_seq_ - 1, now, continues};
  Status taken = database_.Transaction([&]() -> Status {
    EBB_RETURN_IF_ERROR(WriteSnapshot(database_, *engine_, record));
    return PruneJournal();
  });
  if (!taken) return taken;
  ++next_snapshot_;
  cost_since_snapshot_ = 0;
  return taken;
}

Result<PruneStep> ServiceStore::Prune(Time before, const RemoveFolder& remove_folder) {
  EBB_RETURN_IF_ERROR(Commit());
  PruneStep step;
  const Status pruned = Try([&]() -> Status {
    EBB_ASSIGN_OR_RETURN(step, PruneNext(database_, before, remove_folder));
    return GiveBackPages(database_, kSparePages, kPagesAtOnce);
  });
  if (!pruned) return Fail(pruned.error());
  return step;
}

void ServiceStore::SetCounted(core::JobId job) {
  group_.Add("UPDATE jobs SET counted = 1 WHERE id = ?", {job});
}

void ServiceStore::SetCountedBelow(core::JobId below) {
  group_.Add("UPDATE jobs SET counted = 1 WHERE ended_ms IS NOT NULL AND counted = 0 AND id < ?",
             {below});
}

Result<std::optional<std::string>> GetMeta(Database& database, const std::string& key) {
  std::optional<std::string> value;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT value FROM meta WHERE key = ?", {key}, [&](const Row& row) -> Status {
        value = std::string(row.Text(0));
        return {};
      }));
  return value;
}

}  // namespace ebb::store
