#include "store/jobs/job_writer.h"

#include "core/fields.h"
#include "core/jobs/owner_variables.h"
#include "engine/journal_json.h"
#include "store/jobs/job_records.h"

namespace ebb::store {
namespace {

void AddDecidedAttempt(WriteGroup& group, Time at, const engine::StartJob& start) {
  group.Add(
      "INSERT INTO attempts(job, attempt, pool, decided_ms, phase)"
      " SELECT ?1, ?2, ?3, ?4, 'starting' WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"
      " ON CONFLICT(job, attempt) DO NOTHING",
      {start.job, std::int64_t{start.attempt}, std::int64_t{start.pool}, Milliseconds(at)});
}

void AddReport(WriteGroup& group, const engine::JobReport& report) {
  const bool running = report.phase == engine::JobPhase::kRunning;
  const bool goes_on = running || report.phase == engine::JobPhase::kFrozen;
  const std::string phase(engine::Name(report.phase));
  // A late report changes nothing about an attempt that has ended.
  group.Add(
      "INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase, exit_code, detail)"
      " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"
      " ON CONFLICT(job, attempt) DO UPDATE SET began_ms = coalesce(began_ms, excluded.began_ms),"
      " ended_ms = excluded.ended_ms, phase = excluded.phase, exit_code = excluded.exit_code,"
      " detail = excluded.detail WHERE ended_ms IS NULL",
      {report.job, std::int64_t{report.attempt}, std::int64_t{report.pool},
       running ? Milliseconds(report.since) : Value{},
       goes_on ? Value{} : Milliseconds(report.since), phase, std::int64_t{report.exit_code},
       report.detail});
}

}  // namespace

void JobWriter::AddSubmission(WriteGroup& group, const core::Submission& submission) const {
  const core::Job& job = submission.job;
  group.Add(
      "INSERT INTO jobs(id, name, key, tier, recurring, sweep, stage, submitted_ms, submission)"
      " VALUES(?, ?, ?, ?, ?, ?, 'waiting', ?, ?)",
      {job.id, job.name,
       TextOrNull(StoredKey(submission.key, core::VariableOf(submission, core::kUserVariable))),
       job.tier, submission.recurring, submission.sweep > 0 ? Value{submission.sweep} : Value{},
       Milliseconds(job.submitted), ToFieldText(submission)});
}

void JobWriter::ReplaceSubmission(WriteGroup& group, const core::Submission& submission) const {
  group.Add("UPDATE jobs SET name = ?2, tier = ?3, submission = ?4 WHERE id = ?1",
            {submission.job.id, submission.job.name, submission.job.tier, ToFieldText(submission)});
}

void JobWriter::Follow(WriteGroup& group, const engine::JournalRecord& record) const {
  if (const auto* decision = std::get_if<engine::Decision>(&record)) {
    for (const engine::Command& command : decision->commands)
      if (const auto* start = std::get_if<engine::StartJob>(&command))
        AddDecidedAttempt(group, decision->at, *start);
    return;
  }
  const engine::Fact& fact = std::get<engine::Event>(record).fact;
  if (const auto* report = std::get_if<engine::JobReport>(&fact)) AddReport(group, *report);
  if (const auto* observed = std::get_if<engine::ExecutorObserved>(&fact))
    for (const engine::JobReport& report : observed->reports) AddReport(group, report);
  // Moves times as the engine does, for jobs that ended while the clock ran ahead.
  if (const auto* set = std::get_if<engine::ClockSet>(&fact))
    group.Add("UPDATE jobs SET ended_ms = min(ended_ms + ?1, ?2) WHERE ended_ms > ?2",
              {std::int64_t{(set->to - set->from).count()}, Milliseconds(set->to)});
}

void JobWriter::FollowJob(WriteGroup& group, core::JobId id, const engine::State& state) {
  const engine::LiveJob* live = state.FindLive(id);
  if (!live) live = state.FindHeld(id);
  if (live) {
    const Written now{live->stage, live->pauses, live->first_start.has_value()};
    if (auto [entry, fresh] = written_.try_emplace(id); entry->second != now) {
      entry->second = now;
    } else {
      return;
    }
    group.Add("UPDATE jobs SET stage = ?2, pauses = ?3, first_start_ms = ?4 WHERE id = ?1",
              {id, std::string(Name(live->stage)), std::int64_t{live->pauses},
               MillisecondsOrNull(live->first_start)});
    return;
  }
  const engine::EndedJob* ended = state.FindEnded(id);
  if (!ended) return;
  written_.erase(id);
  group.Add(
      "UPDATE jobs SET stage = ?2, pauses = ?3, first_start_ms = ?4, ended_ms = ?5, exit_code = ?6,"
      " detail = ?7, held = NULL, why_held = NULL WHERE id = ?1 AND ended_ms IS NULL",
      {id, std::string(Name(ended->stage)), std::int64_t{ended->pauses},
       MillisecondsOrNull(ended->first_start), Milliseconds(ended->ended),
       ended->exit_code ? Value{std::int64_t{*ended->exit_code}} : Value{}, ended->detail});
}

void JobWriter::FollowStages(WriteGroup& group, const engine::Decision& decision,
                             const engine::State& state) {
  for (const engine::Explanation& explanation : decision.explanations)
    FollowJob(group, explanation.job, state);
}

Status JobWriter::Recover(Database& database, WriteGroup& group, const engine::State& state) {
  written_.clear();
  Status read = database.Query(
      "SELECT id, stage, pauses, first_start_ms FROM jobs WHERE stage IN"
      " ('waiting', 'starting', 'running', 'pausing', 'paused')",
      {}, [&](const Row& row) -> Status {
        const auto stage = engine::StageFromName(row.Text(1)).value_or(engine::Stage::kWaiting);
        written_.emplace(row.Integer(0),
                         Written{stage, static_cast<int>(row.Integer(2)), !row.IsNull(3)});
        return {};
      });
  if (!read) return read;
  std::vector<core::JobId> ids;
  for (const auto& [id, written] : written_) ids.push_back(id);
  for (const core::JobId id : ids) FollowJob(group, id, state);
  return {};
}

}  // namespace ebb::store
