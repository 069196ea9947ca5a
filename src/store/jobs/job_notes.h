#pragma once
// Notes of the service on a job that the engine does not have: that a person holds it, and which
// budget events were announced. They are columns of the job's row and are removed with it.

#include <optional>
#include <string>
#include <string_view>

#include "core/jobs/job.h"
#include "store/database/write_group.h"

namespace ebb::store {

/// Hold of a person on a job that may also wait for other jobs.
enum class PersonHold {
  kNone,
  kHeld,         ///< by a person only; the job waits for no other job any more
  kHeldAndWaits  ///< by a person, and by jobs that have not ended
};
std::string_view Name(PersonHold hold);
std::optional<PersonHold> PersonHoldFromName(std::string_view name);

struct JobNotes {
  PersonHold hold = PersonHold::kNone;
  std::string why_held;          ///< for people
  std::size_t budget_heard = 0;  ///< number of events of its budget that were announced
};

void SetHold(WriteGroup& group, core::JobId job, PersonHold hold);
void SetWhyHeld(WriteGroup& group, core::JobId job, const std::string& why);
void SetBudgetHeard(WriteGroup& group, core::JobId job, std::size_t events);

/// Returns empty notes if there is no such job.
Result<JobNotes> NotesOf(Database& database, core::JobId job);

}  // namespace ebb::store
