#include "store/jobs/job_notes.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::store {
namespace {

constexpr std::array<std::string_view, 3> kHoldNames{"", "held", "held and waits"};

}  // namespace

std::string_view Name(PersonHold hold) { return kHoldNames[static_cast<std::size_t>(hold)]; }
std::optional<PersonHold> PersonHoldFromName(std::string_view name) {
  return EnumFromName<PersonHold>(kHoldNames, name);
}

void SetHold(WriteGroup& group, core::JobId job, PersonHold hold) {
  group.Add("UPDATE jobs SET held = ?2 WHERE id = ?1", {job, TextOrNull(std::string(Name(hold)))});
}

void SetWhyHeld(WriteGroup& group, core::JobId job, const std::string& why) {
  group.Add("UPDATE jobs SET why_held = ?2 WHERE id = ?1", {job, TextOrNull(why)});
}

void SetBudgetHeard(WriteGroup& group, core::JobId job, std::size_t events) {
  group.Add("UPDATE jobs SET budget_heard = ?2 WHERE id = ?1",
            {job, static_cast<std::int64_t>(events)});
}

Result<JobNotes> NotesOf(Database& database, core::JobId job) {
  JobNotes notes;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT held, why_held, budget_heard FROM jobs WHERE id = ?", {job},
      [&](const Row& row) -> Status {
        const auto hold = PersonHoldFromName(row.Text(0));
        if (!hold)
          return Fail(
              {ExitCode::kConfiguration, "is held in an unknown way: " + std::string(row.Text(0)),
               "stored job " + std::to_string(job), "use the version of ebb that wrote it"});
        notes = {*hold, std::string(row.Text(1)), static_cast<std::size_t>(row.Integer(2))};
        return {};
      }));
  return notes;
}

}  // namespace ebb::store
