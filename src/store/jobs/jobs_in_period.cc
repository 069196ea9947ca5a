#include "store/jobs/jobs_in_period.h"

namespace ebb::store {

Result<std::vector<JobSpan>> JobsThatRan(Database& database, Interval window) {
  // The last readings of an attempt may end after the recorded end of the job.
  constexpr Duration kMargin{std::chrono::hours{1}};
  std::vector<JobSpan> jobs;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT id, coalesce(first_start_ms, submitted_ms), ended_ms, pruned, submitted_ms,"
      " gpu_energy_uj FROM jobs WHERE energy_uj > 0"
      " AND coalesce(first_start_ms, submitted_ms) < ? AND (ended_ms IS NULL OR ended_ms > ?)"
      " ORDER BY id",
      {Milliseconds(window.end + kMargin), Milliseconds(window.begin - kMargin)},
      [&](const Row& row) -> Status {
        JobSpan& job = jobs.emplace_back();
        job.job = row.Integer(0);
        job.begin = Time{Duration{row.Integer(1)}} - kMargin;
        if (!row.IsNull(2)) job.end = Time{Duration{row.Integer(2)}} + kMargin;
        job.pruned = row.Integer(3) != 0;
        job.submitted = Time{Duration{row.Integer(4)}};
        job.used_gpu = !row.IsNull(5);
        return {};
      }));
  return jobs;
}

Result<std::optional<Pue>> NewestPue(Database& database) {
  std::optional<Pue> pue;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT pue FROM ledger ORDER BY job DESC, number DESC LIMIT 1", {},
                     [&](const Row& row) -> Status {
                       pue = Pue{row.Number(0)};
                       return {};
                     }));
  return pue;
}

}  // namespace ebb::store
