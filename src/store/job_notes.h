#pragma once
// What the service has to remember of a job beside what the engine knows: that a person holds it,
// and what has been said of it. Columns of the job's row, which they go with.

#include <optional>
#include <string>
#include <string_view>

#include "core/job.h"
#include "store/write_group.h"

namespace ebb::store {

/// Of a job that waits for others.
enum class PersonHold {
  kNone,
  kHeld,         ///< by a person, and by nothing else any more
  kHeldAndWaits  ///< by a person, and by jobs that have not ended
};
std::string_view Name(PersonHold hold);
std::optional<PersonHold> PersonHoldFromName(std::string_view name);

struct JobNotes {
  PersonHold hold = PersonHold::kNone;
  std::string why_held;          ///< for people
  std::size_t budget_heard = 0;  ///< of its budget's events so many have been heard
};

void SetHold(WriteGroup& group, core::JobId job, PersonHold hold);
void SetWhyHeld(WriteGroup& group, core::JobId job, const std::string& why);
void SetBudgetHeard(WriteGroup& group, core::JobId job, std::size_t events);

/// Nothing noted where there is no such job.
Result<JobNotes> NotesOf(Database& database, core::JobId job);

}  // namespace ebb::store
