#pragma once
// The jobs of the service as rows: what was submitted, where each stands, what each has used. The
// rows follow the journal (service_store.h writes both in one transaction); these are the queries,
// for the writer and for readers beside it.

#include <optional>
#include <string>
#include <vector>

#include "core/submission.h"
#include "engine/decision.h"
#include "store/database.h"

namespace ebb::store {

/// A job without its submission.
struct JobRecord {
  core::JobId id = 0;
  std::string name, key, tier, recurring;
  core::SweepId sweep = 0;  ///< 0: of none
  engine::Stage stage = engine::Stage::kWaiting;
  Time submitted{};
  std::optional<Time> first_start, ended;
  int pauses = 0;
  std::optional<int> exit_code;        ///< once it has ended
  std::string detail;                  ///< why it failed or was cancelled
  Energy energy;                       ///< of the ledger rows so far
  Energy energy_without_intensity;     ///< part of it whose emissions are unknown
  std::optional<Emissions> emissions;  ///< of the rest; nothing: none is known
  std::optional<Energy> gpu_energy;    ///< part of `energy`; nothing: no GPU was measured
  bool pruned = false;                 ///< its ledger and its folder are not kept any more
};

struct JobFilter {
  std::vector<engine::Stage> stages;  ///< empty: every stage
  std::string name;                   ///< empty: every name
  std::string recurring;              ///< instances of this recurring job; empty: every job
  core::SweepId sweep = 0;            ///< experiments of this sweep; 0: every job
  std::string user;                   ///< whose they are (core/owner_variables.h); empty: everybody
  std::optional<Time> since;          ///< submitted at or after
  /// Ended at or after the first and before the second; a job that has not ended did neither.
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
  std::vector<std::string> devices;  ///< by name; none: not known
};

struct StageCount {
  engine::Stage stage = engine::Stage::kWaiting;
  std::int64_t jobs = 0;
};

/// Newest first.
Result<std::vector<JobRecord>> ListJobs(Database& database, const JobFilter& filter);
/// Nothing where there is no such job.
Result<std::optional<JobRecord>> FindJob(Database& database, core::JobId id);
Result<std::optional<core::JobId>> FindJobByKey(Database& database, const std::string& key,
                                                const std::string& user = "");
/// A key is its user's own (EBB_USER of the submission; "": nobody said). This is how it is stored;
/// earlier versions stored it as it is.
std::string StoredKey(const std::string& key, const std::string& user);
/// What the client gave, of a key as it is stored.
std::string GivenKey(const std::string& stored);
Result<std::optional<core::Submission>> FindSubmission(Database& database, core::JobId id);
/// Of all jobs that have not ended, by id: what a restarted service runs on with.
Result<std::vector<core::Submission>> LiveSubmissions(Database& database);
/// Whether the end of this attempt is stored.
Result<bool> EndIsStored(Database& database, core::JobId job, int attempt);
/// In order.
Result<std::vector<AttemptRecord>> AttemptsOf(Database& database, core::JobId id);
/// Of the stages that have any. `sweep`: of its experiments only.
Result<std::vector<StageCount>> CountJobs(Database& database, core::SweepId sweep = 0);

}  // namespace ebb::store
