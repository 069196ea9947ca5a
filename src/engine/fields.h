#pragma once
// The fields of everything that the engine remembers and records. Each field is named once, for
// writing and for reading (base/field_text.h).

#include <array>

#include "engine/engine.h"
#include "plan/fields.h"

namespace ebb::engine {

inline bool FromName(const FieldReader&, std::string_view name, Stage& value) {
  return TakeName(StageFromName(name), value);
}

inline bool FromName(const FieldReader&, std::string_view name, JobControl& value) {
  return TakeName(JobControlFromName(name), value);
}

template <typename Archive, Like<Options> Value>
void Visit(Archive& archive, Value& value) {
  auto& [admission, default_max_delay, start_retries, retry_after, unasked_pauses, forecast_limit,
         ramp_limit, most_starts, changes_widths] = value;
  bool take_all = admission == Admission::kTakeAll;
  archive("take_all", take_all);
  if constexpr (!std::is_const_v<Value>)
    admission = take_all ? Admission::kTakeAll : Admission::kDeadlines;
  archive("default_max_delay_ms", default_max_delay);
  archive("start_retries", start_retries);
  archive("retry_after_ms", retry_after);
  archive("unasked_pauses", unasked_pauses);
  archive("forecast_limit_ms", forecast_limit);
  archive("ramp_limit_per_5_minutes_w", ramp_limit);
  archive("most_starts", most_starts);
  archive("changes_widths", changes_widths);
}

template <typename Archive, Like<Drain> Value>
void Visit(Archive& archive, Value& value) {
  auto& [since, until, why] = value;
  archive("since", since);
  archive("until", until);
  archive("why", why);
}

template <typename Archive, Like<Explanation> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, stage, pool, reason, drain, misses_deadline] = value;
  auto& [rule, current, expected, threshold, start, end, latest] = reason;
  archive("job", job);
  archive("stage", stage);
  archive("rule", rule);
  archive("pool", pool);
  archive("current", current);
  archive("expected", expected);
  archive("threshold", threshold);
  archive("expected_start", start);
  archive("expected_end", end);
  archive("latest_start", latest, "start_by");
  archive("drain", drain);
  archive("misses_deadline", misses_deadline);
}

template <typename Archive, Like<SiteSignal> Value>
void Visit(Archive& archive, Value& value) {
  auto& [view, observed, next_change, lost] = value;
  archive("view", view);
  archive("observed", observed);
  archive("next_change", next_change);
  archive("lost", lost);
}

template <typename Archive, Like<LiveJob> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, stage, attempt, attempt_over, pool, remaining, since, segment_begin, pauses,
         failed_starts, unasked_pauses, unasked_remaining, retry_at, first_start, control,
         cancel_wanted, cancel_why, command_due, start_repeated, moved, first_start_moved,
         last_site, moving, devices, explanation] = value;
  archive("job", job);
  archive("stage", stage);
  archive("attempt", attempt);
  archive("attempt_over", attempt_over);
  archive("pool", pool);
  archive("remaining_ms", remaining);
  archive("since", since);
  archive("segment_begin", segment_begin);
  archive("pauses", pauses);
  archive("failed_starts", failed_starts);
  archive("unasked_pauses", unasked_pauses);
  archive("unasked_remaining_ms", unasked_remaining);
  archive("retry_at", retry_at);
  archive("first_start", first_start);
  archive("wish", control);
  archive("cancel_wanted", cancel_wanted);
  archive("cancel_why", cancel_why);
  archive("command_due", command_due);
  archive("start_repeated", start_repeated);
  archive("moved_ms", moved);
  archive("first_start_moved_ms", first_start_moved);
  archive("last_site", last_site);
  archive("moving_ms", moving);
  archive("devices", devices);
  archive("explanation", explanation);
}

template <typename Archive, Like<EndedJob> Value>
void Visit(Archive& archive, Value& value) {
  auto& [stage, attempt, pauses, exit_code, submitted, first_start, ended, detail, explanation] =
      value;
  archive("stage", stage);
  archive("attempt", attempt);
  archive("pauses", pauses);
  archive("exit_code", exit_code);
  archive("submitted", submitted);
  archive("first_start", first_start);
  archive("ended", ended);
  archive("detail", detail);
  archive("explanation", explanation);
}

template <typename Archive, Like<RefusedWidths> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, given, learned, until, times] = value;
  archive("job", job);
  archive("given", given);
  archive("learned", learned);
  archive("until", until);
  archive("times", times);
}

template <typename Archive, Like<RecentStart> Value>
void Visit(Archive& archive, Value& value) {
  auto& [at, power] = value;
  archive("at", at);
  archive("power_w", power);
}

inline bool FromName(const FieldReader&, std::string_view name, JobPhase& value) {
  return TakeName(JobPhaseFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, Planning& value) {
  return TakeName(PlanningFromName(name), value);
}

template <typename Archive, Like<JobReport> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, attempt, phase, pool, since, exit_code, detail, machine_trouble, checkpoint_bytes,
         devices] = value;
  archive.Must("job", job);
  archive("attempt", attempt);
  archive("phase", phase);
  archive("pool", pool);
  archive("since", since);
  archive("exit_code", exit_code);
  archive("detail", detail);
  archive("machine_trouble", machine_trouble);
  archive("checkpoint_bytes", checkpoint_bytes);
  archive("devices", devices);
}

/// Names in the order of Fact.
inline constexpr std::array<std::string_view, 14> kFactNames{
    "cluster_changed", "job_submitted", "job_cancelled",     "job_wished",     "signal_observed",
    "signal_lost",     "job_report",    "executor_observed", "tick",           "ended_forgotten",
    "clock_set",       "job_changed",   "drain_set",         "speedup_learned"};

template <typename Archive, Like<ClusterChanged> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [cluster] = value;
  archive.Must("cluster", cluster);
}
template <typename Archive, Like<JobSubmitted> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job] = value;
  archive.Must("job", job);
}
template <typename Archive, Like<JobCancelled> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, why] = value;
  archive.Must("job", job);
  archive("why", why);
}
template <typename Archive, Like<JobControlled> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, control] = value;
  archive.Must("job", job);
  archive.Must("wish", control);
}
template <typename Archive, Like<SignalObserved> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [site, view, next_change] = value;
  archive("site", site);
  archive.Must("next_change", next_change);
  archive.Must("view", view);
}
template <typename Archive, Like<SignalLost> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [site, why, retry_at] = value;
  archive("site", site);
  archive("why", why);
  archive.Must("retry_at", retry_at);
}
template <typename Archive, Like<JobReport> Value>
void VisitKind(Archive& archive, Value& value) {
  archive.Must("report", value);
}
template <typename Archive, Like<ExecutorObserved> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [reports, first_look] = value;
  archive("reports", reports);
  archive("first_look", first_look);
}
template <typename Archive, Like<Tick> Value>
void VisitKind(Archive&, Value&) {}
template <typename Archive, Like<EndedForgotten> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [before] = value;
  archive.Must("before", before);
}
template <typename Archive, Like<ClockSet> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [from, to] = value;
  archive.Must("from", from);
  archive.Must("to", to);
}

template <typename Archive, Like<JobChanged> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, change] = value;
  archive.Must("job", job);
  archive.Must("change", change);
}

template <typename Archive, Like<DrainSet> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [drain] = value;
  archive("drain", drain);
}

template <typename Archive, Like<SpeedupLearned> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, speedup] = value;
  archive.Must("job", job);
  archive("speedup", speedup);
}

template <typename Archive, Like<Event> Value>
void Visit(Archive& archive, Value& value) {
  auto& [at, fact] = value;
  archive.Must("at", at);
  VisitKinds(archive, "event", kFactNames, fact);
}

/// Names in the order of Command.
inline constexpr std::array<std::string_view, 3> kCommandNames{"start", "pause", "cancel"};

template <typename Archive, Like<StartJob> Value>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt, pool, devices] = value;
  archive.Must("job", job);
  archive("attempt", attempt);
  archive("pool", pool);
  archive("devices", devices);
}
template <typename Archive, typename Value>
requires Like<Value, PauseJob> || Like<Value, CancelJob>
void VisitKind(Archive& archive, Value& value) {
  auto& [job, attempt] = value;
  archive.Must("job", job);
  archive("attempt", attempt);
}

template <typename Archive, Like<Command> Value>
void Visit(Archive& archive, Value& value) {
  VisitKinds(archive, "command", kCommandNames, value);
}

inline bool IsZeroField(Planning planning) { return planning == Planning::kWhole; }

/// Leaves out `restated`, which is shown but not recorded, and the time, which the surrounding
/// record has.
template <typename Archive, Like<Decision> Value>
void Visit(Archive& archive, Value& value) {
  auto& [at, commands, explanations, wake_at, planning, restated] = value;
  archive("commands", commands);
  archive("explanations", explanations);
  archive.Must("wake_at", wake_at);
  archive("planning", planning);
}

}  // namespace ebb::engine
