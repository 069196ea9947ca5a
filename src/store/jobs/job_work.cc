#include "store/jobs/job_work.h"

namespace ebb::store {
namespace {

Value CountOrNull(const std::optional<std::int64_t>& count) {
  return count ? Value{*count} : Value{};
}

}  // namespace

void SetWork(WriteGroup& group, core::JobId job, const core::Work& work) {
  group.Add("UPDATE jobs SET tokens_done = ?2, samples_done = ?3, steps_done = ?4 WHERE id = ?1",
            {job, CountOrNull(work.tokens), CountOrNull(work.samples), CountOrNull(work.steps)});
}

Result<core::Work> WorkOf(Database& database, core::JobId job) {
  core::Work work;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT tokens_done, samples_done, steps_done FROM jobs WHERE id = ?", {job},
                     [&](const Row& row) -> Status {
                       work = WorkFrom(row, 0);
                       return {};
                     }));
  return work;
}

core::Work WorkFrom(const Row& row, int first) {
  core::Work work;
  int column = first;
  for (const core::WorkUnit unit : core::kWorkUnits) {
    if (!row.IsNull(column)) work.*core::CountOf(unit) = row.Integer(column);
    ++column;
  }
  return work;
}

}  // namespace ebb::store
