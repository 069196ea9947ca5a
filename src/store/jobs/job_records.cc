#include "store/jobs/job_records.h"

#include <algorithm>

#include "base/text.h"
#include "core/fields.h"
#include "core/jobs/owner_variables.h"
#include "engine/state.h"
#include "store/database/write_group.h"
#include "store/jobs/job_work.h"

namespace ebb::store {
namespace {

constexpr std::string_view kColumns =
    "SELECT id, name, key, tier, recurring, stage, submitted_ms, first_start_ms, ended_ms, pauses,"
    " exit_code, detail, energy_uj, energy_without_intensity_uj,"
    " coalesce((SELECT settled_g FROM first_come WHERE job = jobs.id), emissions_g), sweep,"
    " gpu_energy_uj, pruned, tokens_done, samples_done, steps_done FROM jobs";

// Separates the user from the key in the column `key`.
constexpr char kOfUser = '\x1f';

std::optional<Time> OptionalTime(const Row& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return Time{Duration{row.Integer(column)}};
}

Result<engine::Stage> StageFrom(std::string_view name, core::JobId job) {
  if (const auto stage = engine::StageFromName(name)) return *stage;
  return Fail({ExitCode::kConfiguration, "has an unknown stage: " + std::string(name),
               "stored job " + std::to_string(job), "use the version of ebb that wrote it"});
}

Result<JobRecord> RecordFrom(const Row& row) {
  JobRecord job;
  job.id = row.Integer(0);
  job.name = row.Text(1);
  job.key = GivenKey(std::string(row.Text(2)));
  job.tier = row.Text(3);
  job.recurring = row.Text(4);
  EBB_ASSIGN_OR_RETURN(job.stage, StageFrom(row.Text(5), job.id));
  job.submitted = Time{Duration{row.Integer(6)}};
  job.first_start = OptionalTime(row, 7);
  job.ended = OptionalTime(row, 8);
  job.pauses = static_cast<int>(row.Integer(9));
  if (!row.IsNull(10)) job.exit_code = static_cast<int>(row.Integer(10));
  job.detail = row.Text(11);
  job.energy = Energy::Microjoules(row.Integer(12));
  job.energy_without_intensity = Energy::Microjoules(row.Integer(13));
  if (!row.IsNull(14)) job.emissions = Emissions{row.Number(14)};
  if (!row.IsNull(15)) job.sweep = row.Integer(15);
  if (!row.IsNull(16)) job.gpu_energy = Energy::Microjoules(row.Integer(16));
  job.pruned = row.Integer(17) != 0;
  job.work = WorkFrom(row, 18);
  return job;
}

Result<core::Submission> SubmissionFrom(const Row& row) {
  return FromFieldText<core::Submission>(row.Text(1),
                                         "stored job " + std::to_string(row.Integer(0)));
}

// Adds a condition to a WHERE clause.
void And(std::string& sql, std::string_view condition) {
  sql += sql.ends_with(" FROM jobs") ? " WHERE " : " AND ";
  sql += condition;
}

}  // namespace

Result<std::vector<JobRecord>> ListJobs(Database& database, const JobFilter& filter) {
  std::string sql(kColumns);
  Values values;
  if (!filter.stages.empty()) {
    std::string places;
    for (const engine::Stage stage : filter.stages) {
      places += places.empty() ? "?" : ",?";
      values.emplace_back(std::string(Name(stage)));
    }
    // Few jobs are live, and an index leads to them. A leading + keeps SQLite from using that index
    // if it would lead to nearly all jobs, or if another index leads to fewer.
    const bool by_stage =
        filter.name.empty() && filter.recurring.empty() && filter.sweep == 0 &&
        std::none_of(filter.stages.begin(), filter.stages.end(), engine::HasEnded);
    And(sql, (by_stage ? "stage IN (" : "+stage IN (") + places + ")");
  }
  if (!filter.name.empty()) {
    And(sql, "name = ?");
    values.emplace_back(filter.name);
  }
  if (!filter.recurring.empty()) {
    And(sql, "recurring = ? AND recurring != ''");
    values.emplace_back(filter.recurring);
  }
  if (filter.sweep != 0) {
    And(sql, "sweep = ?");
    values.emplace_back(filter.sweep);
  }
  if (!filter.user.empty()) {
    And(sql,
        "(SELECT json_extract(value, '$[1]') FROM json_each(submission, '$.environment')"
        " WHERE json_extract(value, '$[0]') = ? LIMIT 1) = ?");
    values.emplace_back(std::string(core::kUserVariable));
    values.emplace_back(filter.user);
  }
  if (filter.since) {
    And(sql, "submitted_ms >= ?");
    values.emplace_back(Milliseconds(*filter.since));
  }
  if (filter.ended_from) {
    And(sql, "ended_ms >= ?");
    values.emplace_back(Milliseconds(*filter.ended_from));
  }
  if (filter.ended_before) {
    And(sql, "ended_ms < ?");
    values.emplace_back(Milliseconds(*filter.ended_before));
  }
  if (filter.before) {
    And(sql, "id < ?");
    values.emplace_back(*filter.before);
  }
  sql += " ORDER BY id DESC LIMIT ?";
  values.emplace_back(std::int64_t{filter.limit});
  std::vector<JobRecord> jobs;
  EBB_RETURN_IF_ERROR(database.Query(sql, values, [&](const Row& row) -> Status {
    EBB_ASSIGN_OR_RETURN(JobRecord job, RecordFrom(row));
    jobs.push_back(std::move(job));
    return {};
  }));
  return jobs;
}

Result<std::optional<JobRecord>> FindJob(Database& database, core::JobId id) {
  std::optional<JobRecord> found;
  const std::string sql = std::string(kColumns) + " WHERE id = ?";
  EBB_RETURN_IF_ERROR(database.Query(sql, {id}, [&](const Row& row) -> Status {
    EBB_ASSIGN_OR_RETURN(found, RecordFrom(row));
    return {};
  }));
  return found;
}

std::string StoredKey(const std::string& key, const std::string& user) {
  return key.empty() ? key : user + kOfUser + key;
}

std::string GivenKey(const std::string& stored) {
  const std::size_t end = stored.find(kOfUser);
  return end == std::string::npos ? stored : stored.substr(end + 1);
}

Result<std::optional<core::JobId>> FindJobByKey(Database& database, const std::string& key,
                                                const std::string& user) {
  const std::string sql = "SELECT id FROM jobs WHERE key = ?";
  EBB_ASSIGN_OR_RETURN(const auto job, database.Integer(sql, {StoredKey(key, user)}));
  if (job) return job;
  // A key of an earlier version is stored without its user, who is named in the submission.
  EBB_ASSIGN_OR_RETURN(const auto earlier, database.Integer(sql, {key}));
  if (!earlier) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const auto submission, FindSubmission(database, *earlier));
  const bool is_own = !submission || core::VariableOf(*submission, core::kUserVariable) == user;
  return is_own ? earlier : std::nullopt;
}

Result<std::optional<core::Submission>> FindSubmission(Database& database, core::JobId id) {
  std::optional<core::Submission> found;
  EBB_RETURN_IF_ERROR(database.Query("SELECT id, submission FROM jobs WHERE id = ?", {id},
                                     [&](const Row& row) -> Status {
                                       EBB_ASSIGN_OR_RETURN(found, SubmissionFrom(row));
                                       return {};
                                     }));
  return found;
}

Result<std::vector<core::Submission>> LiveSubmissions(Database& database) {
  std::vector<core::Submission> submissions;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT id, submission FROM jobs WHERE stage IN"
                     " ('waiting', 'starting', 'running', 'pausing', 'paused') ORDER BY id",
                     {}, [&](const Row& row) -> Status {
                       EBB_ASSIGN_OR_RETURN(core::Submission submission, SubmissionFrom(row));
                       submissions.push_back(std::move(submission));
                       return {};
                     }));
  return submissions;
}

Result<bool> EndIsStored(Database& database, core::JobId job, int attempt) {
  EBB_ASSIGN_OR_RETURN(
      const auto ended,
      database.Integer("SELECT ended_ms FROM attempts WHERE job = ? AND attempt = ?",
                       {job, std::int64_t{attempt}}));
  return ended.has_value();
}

Result<std::vector<AttemptRecord>> AttemptsOf(Database& database, core::JobId id) {
  std::vector<AttemptRecord> attempts;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT attempt, pool, decided_ms, began_ms, ended_ms, phase, exit_code, detail, devices"
      " FROM attempts"
      " WHERE job = ? ORDER BY attempt",
      {id}, [&](const Row& row) -> Status {
        attempts.push_back({.job = id,
                            .attempt = static_cast<int>(row.Integer(0)),
                            .pool = static_cast<int>(row.Integer(1)),
                            .decided = OptionalTime(row, 2),
                            .began = OptionalTime(row, 3),
                            .ended = OptionalTime(row, 4),
                            .phase = std::string(row.Text(5)),
                            .exit_code = static_cast<int>(row.Integer(6)),
                            .detail = std::string(row.Text(7)),
                            .devices = {}});
        if (row.Text(8).empty()) return {};
        for (const std::string_view device : Split(row.Text(8), ','))
          attempts.back().devices.emplace_back(device);
        return {};
      }));
  return attempts;
}

Result<std::vector<StageCount>> CountJobs(Database& database, core::SweepId sweep) {
  std::vector<StageCount> counts;
  const std::string of = sweep == 0 ? "" : " WHERE sweep = ?";
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT stage, count(*) FROM jobs" + of + " GROUP BY stage",
                     sweep == 0 ? Values{} : Values{sweep}, [&](const Row& row) -> Status {
                       EBB_ASSIGN_OR_RETURN(const engine::Stage stage, StageFrom(row.Text(0), 0));
                       counts.push_back({stage, row.Integer(1)});
                       return {};
                     }));
  return counts;
}

}  // namespace ebb::store
