#pragma once
// The jobs of the service as rows: what was submitted, where each stands, what each has used. The
// rows follow the journal (service_store.h writes both in one transaction); these are the queries,
// for the writer and for readers beside it.

#include <optional>
#include <string>
#include <vector>

#include "core/jobs/submission.h"
#include "core/ledger/work.h"
#include "engine/decision.h"
#include "store/accounts/ledger_sums.h"
#include "store/database/database.h"

namespace ebb::store {

/// A job without its submission. Its sums are those of the ledger rows so far; `emissions` are the
/// settled ones once they are known.
struct JobRecord : LedgerSums {
  core::JobId id = 0;
  std::string name, key, tier, recurring;
  core::SweepId sweep = 0;  ///< 0: not part of a sweep
  engine::Stage stage = engine::Stage::kWaiting;
  Time submitted{};
  std::optional<Time> first_start, ended;
  int pauses = 0;
  std::optional<int> exit_code;  ///< once it has ended
  std::string detail;            ///< reason of a failure or cancellation
  core::Work work;               ///< as the program reported it
  bool pruned = false;           ///< ledger and folder have been removed

  std::vector<core::UnitUse> per_unit() const {
    return core::UsePerUnit(work, energy, emissions_of_all());
  }
};

struct JobFilter {
  std::vector<engine::Stage> stages;  ///< empty: every stage
  std::string name;                   ///< empty: every name
  std::string recurring;              ///< instances of this recurring job; empty: every job
  core::SweepId sweep = 0;            ///< experiments of this sweep; 0: every job
  std::string user;                   ///< owner (core/jobs/owner_variables.h); empty: everybody
  std::optional<Time> since;          ///< submitted at or after
  /// Limits of the end: at or after the first, before the second. A job that has not ended matches
  /// neither.
  std::optional<Time> ended_from, ended_before;
  std::optional<core::JobId> before;  ///< only ids below: the next page begins below the last id
  int limit = 100;
};

/// One attempt, as far as it was reported.
struct AttemptRecord {
  core::JobId job = 0;
  int attempt = 1;
  int pool = -1;
  std::optional<Time> decided, began, ended;
  std::string phase;  ///< "starting", then as in journals: "running", "paused", "succeeded", ...
  int exit_code = 0;
  std::string detail;
  std::vector<std::string> devices;  ///< by name; empty: unknown
};

struct StageCount {
  engine::Stage stage = engine::Stage::kWaiting;
  std::int64_t jobs = 0;
};

/// Lists jobs, newest first.
Result<std::vector<JobRecord>> ListJobs(Database& database, const JobFilter& filter);
/// Returns nothing if there is no such job.
Result<std::optional<JobRecord>> FindJob(Database& database, core::JobId id);
Result<std::optional<core::JobId>> FindJobByKey(Database& database, const std::string& key,
                                                const std::string& user = "");
/// A key as it is stored: it belongs to its user (EBB_USER of the submission; "" if unknown).
/// Earlier versions stored the key alone.
std::string StoredKey(const std::string& key, const std::string& user);
/// The key that the client gave, from a stored key.
std::string GivenKey(const std::string& stored);
Result<std::optional<core::Submission>> FindSubmission(Database& database, core::JobId id);
/// Submissions of all jobs that have not ended, by id: a restarted service goes on with them.
Result<std::vector<core::Submission>> LiveSubmissions(Database& database);
/// Tells if the end of this attempt is stored.
Result<bool> EndIsStored(Database& database, core::JobId job, int attempt);
/// Attempts of a job, in order.
Result<std::vector<AttemptRecord>> AttemptsOf(Database& database, core::JobId id);
/// Counts jobs by stage, without empty stages. `sweep` limits it to the sweep's experiments.
Result<std::vector<StageCount>> CountJobs(Database& database, core::SweepId sweep = 0);

}  // namespace ebb::store
