#include "store/upkeep/store_check.h"

#include <cmath>
#include <limits>

#include "engine/journal_json.h"
#include "engine/state_json.h"
#include "store/accounts/ledger_records.h"
#include "store/jobs/job_notes.h"
#include "store/jobs/job_records.h"
#include "store/jobs/sweep_records.h"
#include "store/upkeep/snapshots.h"

namespace ebb::store {
namespace {

constexpr std::size_t kMostProblems = 10;
constexpr double kRounding = 1e-9;
constexpr int kAllSweeps = std::numeric_limits<int>::max();

void Note(CheckResult& result, std::string problem) {
  if (result.problems.size() < kMostProblems) result.problems.push_back(std::move(problem));
}

// An engine that only folds decisions in needs no policy.
std::unique_ptr<engine::Engine> MakeFolding() {
  return std::make_unique<engine::Engine>(engine::Options{}, nullptr);
}

std::string SnapshotOf(const engine::Engine& engine) {
  std::string text;
  engine::WriteSnapshot(engine, [&](std::string_view line) { (text += line) += '\n'; });
  return text;
}

// Adds the rows of a query whose first column is a problem.
Status NoteRows(Database& database, CheckResult& result, const char* sql) {
  return database.Query(sql, {}, [&](const Row& row) -> Status {
    if (row.Text(0) != "ok") Note(result, std::string(row.Text(0)));
    return {};
  });
}

Result<CheckResult> CheckFile(Database& database) {
  CheckResult result{"file: integrity and references", {}};
  EBB_RETURN_IF_ERROR(NoteRows(database, result, "PRAGMA integrity_check(10)"));
  EBB_RETURN_IF_ERROR(NoteRows(
      database, result,
      "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' refers to a missing ' || parent"
      " FROM pragma_foreign_key_check"));
  return result;
}

using Take = std::function<Status(std::int64_t seq, const engine::JournalRecord& record)>;

// Passes on the records of (after, upto] in order.
Status Walk(Database& database, std::int64_t after, std::int64_t upto, const Take& take) {
  return database.Query("SELECT seq, line FROM journal WHERE seq > ? AND seq <= ? ORDER BY seq",
                        {after, upto}, [&](const Row& row) -> Status {
                          EBB_ASSIGN_OR_RETURN(const auto record,
                                               engine::FromJsonLine(row.Text(1)));
                          return take(row.Integer(0), record);
                        });
}

Result<CheckResult> CheckReadable(Database& database) {
  CheckResult result;
  std::int64_t last = 0, records = 0;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT seq, line FROM journal ORDER BY seq", {}, [&](const Row& row) -> Status {
        const std::int64_t seq = row.Integer(0);
        if (last != 0 && seq != last + 1)
          Note(result, "record " + std::to_string(last + 1) + " is missing");
        const auto record = engine::FromJsonLine(row.Text(1));
        if (!record) Note(result, "record " + std::to_string(seq) + " " + record.error().what);
        last = seq;
        ++records;
        return {};
      }));
  result.what = "journal: " + std::to_string(records) + " records";
  return result;
}

// A part of the journal, from one snapshot to the next, or to the end.
struct Part {
  SnapshotRecord from;
  std::optional<SnapshotRecord> to;
  std::int64_t upto() const { return to ? to->seq : INT64_MAX; }
};

Result<std::vector<Part>> PartsOf(Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto snapshots, ListSnapshots(database));
  std::vector<Part> parts;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    parts.push_back({snapshots[i], std::nullopt});
    if (i + 1 < snapshots.size()) parts.back().to = snapshots[i + 1];
  }
  return parts;
}

// The engine at the beginning of a part, or the problem of its snapshot.
Result<std::unique_ptr<engine::Engine>> Begin(Database& database, const Part& part,
                                              std::unique_ptr<engine::Engine> engine) {
  EBB_ASSIGN_OR_RETURN(auto memory, ReadSnapshot(database, part.from));
  engine->Restore(std::move(memory));
  return engine;
}

// Folds a part in, compares with the next snapshot, and returns the engine at the part's end.
Result<std::unique_ptr<engine::Engine>> FoldPart(Database& database, const Part& part,
                                                 CheckResult& result) {
  EBB_ASSIGN_OR_RETURN(auto engine, Begin(database, part, MakeFolding()));
  EBB_RETURN_IF_ERROR(Walk(database, part.from.seq, part.upto(), [&](auto seq, const auto& record) {
    const auto* event = std::get_if<engine::Event>(&record);
    const Status folded =
        event ? engine->Reapply(*event) : engine->Adopt(std::get<engine::Decision>(record));
    if (!folded) Note(result, "record " + std::to_string(seq) + ": " + folded.error().Message());
    return Status{};
  }));
  if (!part.to) return engine;
  EBB_ASSIGN_OR_RETURN(const auto next, Begin(database, {*part.to, {}}, MakeFolding()));
  if (JobsText(next->state()) != JobsText(engine->state()))
    Note(result, "the journal leads to other jobs than snapshot " + std::to_string(part.to->id));
  return engine;
}

Status ReplayPart(Database& database, const Part& part, const CheckOptions& options,
                  CheckResult& result, std::int64_t& decisions) {
  EBB_ASSIGN_OR_RETURN(const auto engine, Begin(database, part, options.make_engine()));
  bool differs = false;
  EBB_RETURN_IF_ERROR(Walk(database, part.from.seq, part.upto(), [&](auto seq, const auto& record) {
    if (differs) return Status{};
    decisions += std::holds_alternative<engine::Decision>(record);
    const auto replayed = engine::Replay({&record, 1}, *engine);
    differs = !replayed;
    if (differs) Note(result, "record " + std::to_string(seq) + " " + replayed.error().what);
    return Status{};
  }));
  if (differs || !part.to || !part.to->continues) return {};
  EBB_ASSIGN_OR_RETURN(const auto next, Begin(database, {*part.to, {}}, options.make_engine()));
  if (SnapshotOf(*next) != SnapshotOf(*engine))
    Note(result, "the journal leads elsewhere than to snapshot " + std::to_string(part.to->id));
  return {};
}

// Checks that each row of a live job has the stage of the job's last explanation.
Status CheckJobRows(Database& database, const engine::State& state, CheckResult& result) {
  return database.Query("SELECT id, stage, ended_ms FROM jobs", {}, [&](const Row& row) -> Status {
    const core::JobId id = row.Integer(0);
    const engine::LiveJob* live = state.FindLive(id);
    if (!live) live = state.FindHeld(id);
    const std::string_view expected = live ? Name(live->explanation.stage) : std::string_view();
    if (live && row.Text(1) != expected)
      Note(result, "job " + std::to_string(id) + " is " + std::string(row.Text(1)) +
                       " in its row, and " + std::string(expected) + " in the journal");
    return {};
  });
}

// Checks that the notes on jobs can be read.
Status CheckNotes(Database& database, CheckResult& result) {
  return database.Query(
      "SELECT id, held, budget_heard FROM jobs WHERE held IS NOT NULL OR budget_heard < 0", {},
      [&](const Row& row) -> Status {
        const std::string job = "job " + std::to_string(row.Integer(0));
        if (!row.IsNull(1) && !PersonHoldFromName(row.Text(1)))
          Note(result, job + " is held in an unknown way: " + std::string(row.Text(1)));
        if (row.Integer(2) < 0) Note(result, job + " has heard less than nothing of its budget");
        return {};
      });
}

Status CheckEngineJobsStored(Database& database, const engine::State& state, CheckResult& result) {
  for (const auto& live : state.live) {
    EBB_ASSIGN_OR_RETURN(const auto stored, FindJob(database, live->job.id));
    if (!stored) Note(result, "job " + std::to_string(live->job.id) + " has no row");
  }
  return {};
}

Status CheckLedger(Database& database, CheckResult& result) {
  return database.Query(
      "SELECT jobs.id, energy_uj, coalesce(sum_uj, 0), energy_without_intensity_uj,"
      " coalesce(without_uj, 0), emissions_g, sum_g FROM jobs LEFT JOIN ("
      "  SELECT job, sum(energy_uj) AS sum_uj,"
      "   sum(energy_uj) FILTER (WHERE intensity_g_per_kwh IS NULL) AS without_uj,"
      "   sum(energy_uj / 3.6e12 * pue * intensity_g_per_kwh) AS sum_g FROM ledger GROUP BY job)"
      " ON job = jobs.id WHERE pruned = 0",
      {}, [&](const Row& row) -> Status {
        const double grams = row.Number(5), rows_grams = row.Number(6);
        const bool same = row.Integer(1) == row.Integer(2) && row.Integer(3) == row.Integer(4) &&
                          row.IsNull(5) == row.IsNull(6) &&
                          std::abs(grams - rows_grams) <= kRounding * std::abs(rows_grams);
        if (!same)
          Note(result, "job " + std::to_string(row.Integer(0)) + ": " +
                           std::to_string(row.Integer(1)) + " uJ in its row, " +
                           std::to_string(row.Integer(2)) + " uJ in its ledger");
        return {};
      });
}

// Judges the losses reported at the rungs again.
Status CheckSweep(Database& database, const SweepRecord& sweep, CheckResult& result) {
  EBB_ASSIGN_OR_RETURN(const auto losses, RungLossesOf(database, sweep.id));
  const auto where = [&](const RungLoss& loss) {
    return "sweep " + std::to_string(sweep.id) + ", loss " + std::to_string(loss.number);
  };
  if (!sweep.halving && !losses.empty()) Note(result, where(losses.front()) + ": it has no rungs");
  if (!sweep.halving) return {};
  sweep::SuccessiveHalving halving(*sweep.halving);
  std::int64_t expected = 1;
  for (const RungLoss& loss : losses) {
    if (loss.number != expected) Note(result, where(loss) + ": one before it is missing");
    expected = loss.number + 1;
    const auto again = halving.Report(std::to_string(loss.job), loss.epoch, loss.loss);
    if (again != loss.verdict) Note(result, where(loss) + " is judged differently");
    if (loss.stopped && !loss.verdict.stop)
      Note(result, where(loss) + " stopped a job that should go on");
  }
  return {};
}

Status CheckSweeps(Database& database, CheckResult& result) {
  EBB_ASSIGN_OR_RETURN(const auto sweeps, ListSweeps(database, {"", kAllSweeps}));
  for (const SweepRecord& sweep : sweeps) EBB_RETURN_IF_ERROR(CheckSweep(database, sweep, result));
  return {};
}

// A part that cannot be read at all is a problem of the store and not of the check.
void NoteError(CheckResult& result, const Status& status) {
  if (!status) Note(result, status.error().Message());
}

Status CheckHistory(Database& database, const CheckOptions& options,
                    std::vector<CheckResult>& results) {
  EBB_ASSIGN_OR_RETURN(const auto parts, PartsOf(database));
  CheckResult folded{"journal from the snapshots: " + std::to_string(parts.size()), {}};
  CheckResult jobs{"jobs: rows and journal", {}};
  for (const Part& part : parts) {
    const auto engine = FoldPart(database, part, folded);
    if (!engine) {
      Note(folded, engine.error().Message());
    } else if (!part.to) {
      NoteError(jobs, CheckJobRows(database, (*engine)->state(), jobs));
      NoteError(jobs, CheckEngineJobsStored(database, (*engine)->state(), jobs));
    }
  }
  NoteError(jobs, CheckNotes(database, jobs));
  results.push_back(std::move(folded));
  results.push_back(std::move(jobs));
  if (!options.make_engine) return {};
  CheckResult replayed;
  std::int64_t decisions = 0;
  for (const Part& part : parts)
    NoteError(replayed, ReplayPart(database, part, options, replayed, decisions));
  replayed.what = "decisions made again: " + std::to_string(decisions);
  results.push_back(std::move(replayed));
  return {};
}

Result<std::vector<CheckResult>> CheckAll(Database& database, const CheckOptions& options) {
  std::vector<CheckResult> results;
  EBB_ASSIGN_OR_RETURN(results.emplace_back(), CheckFile(database));
  EBB_ASSIGN_OR_RETURN(results.emplace_back(), CheckReadable(database));
  EBB_RETURN_IF_ERROR(CheckHistory(database, options, results));
  CheckResult ledger{"ledger: sums of jobs", {}};
  NoteError(ledger, CheckLedger(database, ledger));
  results.push_back(std::move(ledger));
  CheckResult sweeps{"sweeps: verdicts of successive halving", {}};
  NoteError(sweeps, CheckSweeps(database, sweeps));
  results.push_back(std::move(sweeps));
  return results;
}

}  // namespace

Result<std::vector<CheckResult>> CheckStore(Database& database, const CheckOptions& options) {
  EBB_RETURN_IF_ERROR(database.Run("BEGIN"));  // reads all as of one moment
  auto results = CheckAll(database, options);
  std::ignore = database.Run("COMMIT");
  return results;
}

}  // namespace ebb::store
