#pragma once
// The fields of what the engine and the service store, each named once for writing and for reading
// (field_text.h). A structured binding names all members of a struct: one that is added there and
// forgotten here does not compile. Names are stable: they stand in stores.

#include "core/decision.h"
#include "core/ledger.h"
#include "core/recurring.h"
#include "core/submission.h"
#include "engine/engine.h"
#include "engine/field_text.h"

namespace ebb::engine {

template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

template <typename Enum>
bool TakeName(const std::optional<Enum>& found, Enum& value) {
  if (found) value = *found;
  return found.has_value();
}
inline bool FromName(const FieldReader&, std::string_view name, Stage& value) {
  return TakeName(StageFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, Wish& value) {
  return TakeName(WishFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::GateRule& value) {
  return TakeName(core::GateRuleFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::SampleStatus& value) {
  return TakeName(core::SampleStatusFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::OnOutage& value) {
  return TakeName(core::OnOutageFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::SignalKind& value) {
  return TakeName(core::SignalKindFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::Boundary& value) {
  return TakeName(core::BoundaryFromName(name), value);
}

template <typename Archive, Like<Options> Value>
void Visit(Archive& archive, Value& value) {
  auto& [admission, default_max_delay, start_retries, retry_after, unasked_pauses, forecast_limit,
         ramp_limit] = value;
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
}

template <typename Archive, Like<core::Site> Value>
void Visit(Archive& archive, Value& value) {
  auto& [name, zone, pue] = value;
  archive("name", name);
  archive("zone", zone);
  archive("pue", pue);
}

template <typename Archive, Like<core::DevicePool> Value>
void Visit(Archive& archive, Value& value) {
  auto& [model, site, count, speed, power_factor, idle, away] = value;
  archive("model", model);
  archive("site", site);
  archive("count", count);
  archive("speed", speed);
  archive("power_factor", power_factor);
  archive("idle_w", idle);
  archive("away", away);
}

template <typename Archive, Like<core::Cluster> Value>
void Visit(Archive& archive, Value& value) {
  auto& [sites, pools] = value;
  archive("sites", sites);
  archive("pools", pools);
}

template <typename Archive, Like<core::ModelOverride> Value>
void Visit(Archive& archive, Value& value) {
  auto& [model, speed, power_factor] = value;
  archive("model", model);
  archive("speed", speed);
  archive("power_factor", power_factor);
}

template <typename Archive, Like<core::Job> Value>
void Visit(Archive& archive, Value& value) {
  auto& [id, name, submitted, devices, run_time, power, start_by, finish_by, tier, priority,
         threshold, on_outage, pausable, pause_overhead, minimum_segment, freeze, sites, models,
         overrides] = value;
  archive("id", id);
  archive("name", name);
  archive("submitted", submitted);
  archive("devices", devices);
  archive("run_time_ms", run_time);
  archive("power_w", power);
  archive("start_by", start_by);
  archive("finish_by", finish_by);
  archive("tier", tier);
  archive("priority", priority);
  archive("threshold", threshold);
  archive("on_outage", on_outage);
  archive("pausable", pausable);
  archive("pause_overhead_ms", pause_overhead);
  archive("minimum_segment_ms", minimum_segment);
  archive("freeze", freeze);
  archive("sites", sites);
  archive("models", models);
  archive("overrides", overrides);
}

inline bool FromName(const FieldReader&, std::string_view name, core::BudgetAction& value) {
  return TakeName(core::BudgetActionFromName(name), value);
}

template <typename Archive, Like<core::Budget> Value>
void Visit(Archive& archive, Value& value) {
  auto& [energy, emissions, action, grace] = value;
  archive("energy_uj", energy);
  archive("emissions_g", emissions);
  archive("action", action);
  archive("grace_ms", grace);
}

inline bool FromName(const FieldReader&, std::string_view name, core::BudgetLevel& value) {
  return TakeName(core::BudgetLevelFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, core::BudgetMeasure& value) {
  return TakeName(core::BudgetMeasureFromName(name), value);
}

template <typename Archive, Like<core::BudgetEvent> Value>
void Visit(Archive& archive, Value& value) {
  auto& [level, measure, action, attempt, wall, grid, limit, used, expected] = value;
  archive("level", level);
  archive("measure", measure);
  archive("action", action);
  archive("attempt", attempt);
  archive("wall_ms", wall);
  archive("grid_ms", grid);
  archive("limit", limit);
  archive("used", used);
  archive("expected", expected);
}

template <typename Archive, Like<core::PowerCap> Value>
void Visit(Archive& archive, Value& value) {
  auto& [watts, percent] = value;
  archive("watts", watts);
  archive("percent", percent);
}

template <typename Archive, Like<core::BudgetUse> Value>
void Visit(Archive& archive, Value& value) {
  auto& [energy, emissions, without_intensity, highest] = value;
  archive("energy_uj", energy);
  archive("emissions_g", emissions);
  archive("without_intensity_uj", without_intensity);
  archive("highest_g_per_kwh", highest);
}

template <typename Archive, Like<core::Tracking> Value>
void Visit(Archive& archive, Value& value) {
  auto& [tensorboard, mlflow, mlflow_experiment, mlflow_token_file] = value;
  archive("tensorboard", tensorboard);
  archive("mlflow", mlflow);
  archive("mlflow_experiment", mlflow_experiment);
  archive("mlflow_token_file", mlflow_token_file);
}

template <typename Archive, Like<core::Submission> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, command, working_directory, environment, after, power_cap, run_limit, budget,
         tracking, key, recurring, sweep, parameters, identity] = value;
  archive("job", job);
  archive("command", command);
  archive("working_directory", working_directory);
  archive("environment", environment);
  archive("after", after);
  archive("power_cap", power_cap);
  archive("run_limit_ms", run_limit);
  archive("budget", budget);
  archive("tracking", tracking);
  archive("key", key);
  archive("recurring", recurring);
  archive("sweep", sweep);
  archive("parameters", parameters);
  archive("identity", identity);
}

inline bool FromName(const FieldReader&, std::string_view name, core::OverlapRule& value) {
  return TakeName(core::OverlapRuleFromName(name), value);
}

template <typename Archive, Like<core::Recurrence> Value>
void Visit(Archive& archive, Value& value) {
  auto& [cron, flexibility, overlap] = value;
  archive("cron", cron);
  archive("flexibility_ms", flexibility);
  archive("overlap", overlap);
}

template <typename Archive, Like<core::RecurringJob> Value>
void Visit(Archive& archive, Value& value) {
  auto& [recurrence, submission, last, paused] = value;
  archive("recurrence", recurrence);
  archive("submission", submission);
  archive("last_ms", last);
  archive("paused", paused);
}

template <typename Archive, Like<core::Sample> Value>
void Visit(Archive& archive, Value& value) {
  auto& [interval, intensity, status, link] = value;
  archive("time", interval);
  archive("g_per_kwh", intensity);
  archive("status", status);
  archive("link", link);
}

template <typename Archive, Like<core::SignalIdentity> Value>
void Visit(Archive& archive, Value& value) {
  auto& [zone, kind, boundary, source, links] = value;
  archive("zone", zone);
  archive("kind", kind);
  archive("boundary", boundary);
  archive("source", source);
  archive("links", links);
}

inline void Visit(FieldWriter& archive, const core::IntensitySeries& value) {
  archive("identity", value.identity());
  archive("samples", value.samples());
}
inline void Visit(FieldReader& archive, core::IntensitySeries& value) {
  core::SignalIdentity identity;
  std::vector<core::Sample> samples;
  archive("identity", identity);
  archive("samples", samples);
  auto series = core::IntensitySeries::Create(std::move(identity), std::move(samples));
  if (!series) return archive.Fail(series.error().Message());
  value = *std::move(series);
}

template <typename Archive, Like<core::Forecast> Value>
void Visit(Archive& archive, Value& value) {
  auto& [issued, method, series, p10, p90] = value;
  archive("issued", issued);
  archive("method", method);
  archive("p50", series);
  archive("p10", p10);
  archive("p90", p90);
}

template <typename Archive, Like<core::SignalView> Value>
void Visit(Archive& archive, Value& value) {
  auto& [now, known, forecast] = value;
  archive("now", now);
  archive("known", known);
  archive("forecast", forecast);
}

template <typename Archive, Like<plan::Segment> Value>
void Visit(Archive& archive, Value& value) {
  auto& [pool, time] = value;
  archive("pool", pool);
  archive("time", time);
}

template <typename Archive, Like<plan::Order> Value>
void Visit(Archive& archive, Value& value) {
  auto& [rank, since] = value;
  archive("rank", rank);
  archive("since", since);
}

template <typename Archive, Like<plan::JobPlan> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, run_now, pool, segments, order, rule, current, expected, threshold, wake_at] = value;
  archive("job", job);
  archive("run_now", run_now);
  archive("pool", pool);
  archive("segments", segments);
  archive("order", order);
  archive("rule", rule);
  archive("current", current);
  archive("expected", expected);
  archive("threshold", threshold);
  archive("wake_at", wake_at);
}

template <typename Archive, Like<plan::Change> Value>
void Visit(Archive& archive, Value& value) {
  auto& [signals, cluster, jobs] = value;
  archive("signals", signals);
  archive("cluster", cluster);
  archive("jobs", jobs);
}

template <typename Archive, Like<Explanation> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, stage, rule, pool, current, expected, threshold, expected_start, expected_end,
         start_by] = value;
  archive("job", job);
  archive("stage", stage);
  archive("rule", rule);
  archive("pool", pool);
  archive("current", current);
  archive("expected", expected);
  archive("threshold", threshold);
  archive("expected_start", expected_start);
  archive("expected_end", expected_end);
  archive("start_by", start_by);
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
         failed_starts, unasked_pauses, unasked_remaining, retry_at, first_start, wish,
         cancel_wanted, cancel_why, command_due, start_repeated, moved, first_start_moved,
         explanation] = value;
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
  archive("wish", wish);
  archive("cancel_wanted", cancel_wanted);
  archive("cancel_why", cancel_why);
  archive("command_due", command_due);
  archive("start_repeated", start_repeated);
  archive("moved_ms", moved);
  archive("first_start_moved_ms", first_start_moved);
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

template <typename Archive, Like<RecentStart> Value>
void Visit(Archive& archive, Value& value) {
  auto& [at, power] = value;
  archive("at", at);
  archive("power_w", power);
}

}  // namespace ebb::engine
