#include "store/upkeep/pruning.h"

#include <algorithm>

#include "store/database/write_group.h"

namespace ebb::store {
namespace {

constexpr std::int64_t kRowsAtOnce = 2000;
constexpr std::int64_t kIncremental = 2;  // PRAGMA auto_vacuum
// A query in this form uses the index of jobs to prune.
constexpr std::string_view kNext =
    "SELECT id FROM jobs WHERE ended_ms IS NOT NULL AND pruned < 2 AND ended_ms < ?"
    " ORDER BY ended_ms LIMIT 1";

// Removes the rest of a job; its row and those of its attempts stay.
Status FinishJob(Database& database, core::JobId job) {
  for (const std::string_view sql :
       {"DELETE FROM ledger_devices WHERE job = ?", "DELETE FROM settlements WHERE job = ?",
        "UPDATE jobs SET pruned = 2 WHERE id = ?"})
    EBB_RETURN_IF_ERROR(database.Run(sql, {job}));
  return {};
}

}  // namespace

Result<PruneStep> PruneNext(Database& database, Time before, const RemoveFolder& remove_folder) {
  EBB_ASSIGN_OR_RETURN(const auto job, database.Integer(kNext, {Milliseconds(before)}));
  if (!job) return PruneStep{};
  EBB_ASSIGN_OR_RETURN(const auto first,
                       database.Integer("SELECT min(number) FROM ledger WHERE job = ?", {*job}));
  EBB_ASSIGN_OR_RETURN(const auto last,
                       database.Integer("SELECT max(number) FROM ledger WHERE job = ?", {*job}));
  const std::int64_t end = first.value_or(0) + kRowsAtOnce;
  PruneStep step{*job, 0, !last || *last < end};
  if (step.job_is_done) remove_folder(*job);
  const Status removed = database.Transaction([&]() -> Status {
    EBB_RETURN_IF_ERROR(
        database.Run("UPDATE jobs SET pruned = 1 WHERE id = ? AND pruned = 0", {*job}));
    EBB_RETURN_IF_ERROR(
        database.Run("DELETE FROM ledger WHERE job = ? AND number < ?", {*job, end}));
    EBB_ASSIGN_OR_RETURN(const auto rows, database.Integer("SELECT changes()"));
    step.rows = rows.value_or(0);
    return step.job_is_done ? FinishJob(database, *job) : Status{};
  });
  if (!removed) return Fail(removed.error());
  return step;
}

Result<PruneEstimate> EstimatePruning(Database& database, Time before) {
  PruneEstimate estimate;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT count(*), sum((SELECT coalesce(max(number) - min(number) + 1, 0) FROM ledger"
      " WHERE job = id)) FROM jobs WHERE ended_ms IS NOT NULL AND pruned < 2 AND ended_ms < ?",
      {Milliseconds(before)}, [&](const Row& row) -> Status {
        estimate = {row.Integer(0), row.Integer(1)};
        return {};
      }));
  return estimate;
}

Status GiveBackPages(Database& database, std::int64_t keep, std::int64_t pages) {
  EBB_ASSIGN_OR_RETURN(const auto mode, database.Integer("PRAGMA auto_vacuum"));
  EBB_ASSIGN_OR_RETURN(const auto free, database.Integer("PRAGMA freelist_count"));
  const std::int64_t spare = std::min(free.value_or(0) - keep, pages);
  if (mode != kIncremental || spare <= 0) return {};
  return database.RunScript("PRAGMA incremental_vacuum(" + std::to_string(spare) + ")");
}

Status EmptyWriteAheadLog(Database& database) {
  return database.RunScript("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status Compact(Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto mode, database.Integer("PRAGMA auto_vacuum"));
  if (mode == kIncremental) return database.RunScript("PRAGMA incremental_vacuum");
  return database.RunScript("PRAGMA auto_vacuum=INCREMENTAL; VACUUM");
}

}  // namespace ebb::store
