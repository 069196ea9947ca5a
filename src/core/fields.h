#pragma once
// The fields of stored core types. Each field is named once, for writing and for reading
// (base/field_text.h).

#include "base/field_text.h"
#include "core/devices/cluster.h"
#include "core/jobs/decision.h"
#include "core/jobs/job.h"
#include "core/jobs/job_change.h"
#include "core/jobs/learned_widths.h"
#include "core/jobs/recurring.h"
#include "core/jobs/submission.h"
#include "core/ledger/budget.h"
#include "core/signal/intensity.h"

namespace ebb::core {

inline bool FromName(const FieldReader&, std::string_view name, GateRule& value) {
  return TakeName(GateRuleFromName(name), value);
}

inline bool FromName(const FieldReader&, std::string_view name, SampleStatus& value) {
  return TakeName(SampleStatusFromName(name), value);
}

inline bool FromName(const FieldReader&, std::string_view name, OnOutage& value) {
  return TakeName(OnOutageFromName(name), value);
}
inline bool IsZeroField(OnOutage on_outage) { return on_outage == OnOutage::kWait; }

inline bool FromName(const FieldReader&, std::string_view name, SignalKind& value) {
  return TakeName(SignalKindFromName(name), value);
}

inline bool FromName(const FieldReader&, std::string_view name, Boundary& value) {
  return TakeName(BoundaryFromName(name), value);
}

template <typename Archive, Like<Site> Value>
void Visit(Archive& archive, Value& value) {
  auto& [name, zone, pue, bytes_per_second, set_up, set_up_energy, allowed_data, forbidden_data] =
      value;
  archive("name", name);
  archive("zone", zone);
  archive("pue", pue);
  archive("bytes_per_second", bytes_per_second);
  archive("set_up_ms", set_up);
  archive("set_up_uj", set_up_energy);
  archive("allowed_data", allowed_data);
  archive("forbidden_data", forbidden_data);
}

template <typename Archive, Like<DevicePool> Value>
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

template <typename Archive, Like<Cluster> Value>
void Visit(Archive& archive, Value& value) {
  auto& [sites, pools, joules_per_byte] = value;
  archive("sites", sites);
  archive("pools", pools);
  archive("joules_per_byte", joules_per_byte);
}

template <typename Archive, Like<ModelOverride> Value>
void Visit(Archive& archive, Value& value) {
  auto& [model, speed, power_factor] = value;
  archive("model", model);
  archive("speed", speed);
  archive("power_factor", power_factor);
}

template <typename Archive, Like<WidthSpeed> Value>
void Visit(Archive& archive, Value& value) {
  auto& [devices, speed] = value;
  archive("devices", devices);
  archive("speed", speed);
}

template <typename Archive, Like<WidthRate> Value>
void Visit(Archive& archive, Value& value) {
  auto& [program, devices, per_second, at] = value;
  archive.Must("program", program);
  archive.Must("devices", devices);
  archive.Must("per_second", per_second);
  archive.Must("at_ms", at);
}

template <typename Archive, Like<Job> Value>
void Visit(Archive& archive, Value& value) {
  auto& [id, name, submitted, devices, duration, power, start_by, finish_by, tier, priority,
         threshold, on_outage, checkpointable, pause_cost, minimum_segment, speedup,
         learned_speedup, freeze, sites, models, overrides, forbidden_sites, data, home, file_bytes,
         checkpoint_bytes] = value;
  archive("id", id);
  archive("name", name);
  archive("submitted", submitted);
  archive("devices", devices);
  archive("duration_ms", duration, "run_time_ms");
  archive("power_w", power);
  archive("start_by", start_by);
  archive("finish_by", finish_by);
  archive("tier", tier);
  archive("priority", priority);
  archive("threshold", threshold);
  archive("on_outage", on_outage);
  archive("checkpointable", checkpointable, "pausable");
  archive("pause_cost_ms", pause_cost, "pause_overhead_ms");
  archive("minimum_segment_ms", minimum_segment);
  archive("speedup", speedup);
  archive("learned_speedup", learned_speedup);
  archive("freeze", freeze);
  archive("sites", sites);
  archive("models", models);
  archive("overrides", overrides);
  archive("forbidden_sites", forbidden_sites);
  archive("data", data);
  archive("home", home);
  archive("file_bytes", file_bytes);
  archive("checkpoint_bytes", checkpoint_bytes);
}

template <typename Archive, Like<JobChange> Value>
void Visit(Archive& archive, Value& value) {
  VisitOptions(value, [&](std::string key, auto, auto& of_option, auto*) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(of_option)>::value_type,
                                 Duration>)
      key += "_ms";
    archive(key, of_option);
  });
  VisitOptions(value, [&](const std::string& key, auto, auto&, auto* drop) {
    if (drop) archive("drop_" + key, *drop);
  });
}

inline bool FromName(const FieldReader&, std::string_view name, BudgetAction& value) {
  return TakeName(BudgetActionFromName(name), value);
}

template <typename Archive, Like<Budget> Value>
void Visit(Archive& archive, Value& value) {
  auto& [energy, emissions, action, grace] = value;
  archive("energy_uj", energy);
  archive.Note("energy_kwh", value.Limit(BudgetMeasure::kEnergy));
  archive("emissions_g", emissions);
  archive("action", action);
  archive("grace_ms", grace);
}

inline bool FromName(const FieldReader&, std::string_view name, BudgetLevel& value) {
  return TakeName(BudgetLevelFromName(name), value);
}

inline bool FromName(const FieldReader&, std::string_view name, BudgetMeasure& value) {
  return TakeName(BudgetMeasureFromName(name), value);
}

template <typename Archive, Like<BudgetEvent> Value>
void Visit(Archive& archive, Value& value) {
  auto& [level, measure, action, attempt, wall, grid, limit, used, expected] = value;
  // Stores call the field "level"; budget.jsonl calls it "event", because that key tells its lines
  // apart.
  archive(archive.complete() ? "event" : "level", level);
  archive("attempt", attempt);
  archive("measure", measure);
  archive.Note("unit", UnitOf(measure));
  archive("limit", limit);
  archive("used", used);
  archive("expected", expected);
  archive("action", action);
  archive("wall_ms", wall);
  archive("grid_ms", grid);
}

template <typename Archive, Like<PowerCap> Value>
void Visit(Archive& archive, Value& value) {
  auto& [watts, percent, automatic] = value;
  archive("watts", watts);
  archive("percent", percent);
  archive("automatic", automatic);
}

template <typename Archive, Like<Slowdown> Value>
void Visit(Archive& archive, Value& value) {
  auto& [percent] = value;
  archive("percent", percent);
}

template <typename Archive, Like<BudgetUse> Value>
void Visit(Archive& archive, Value& value) {
  auto& [energy, emissions, without_intensity, highest] = value;
  archive("energy_uj", energy);
  archive("emissions_g", emissions);
  archive("without_intensity_uj", without_intensity);
  archive("highest_g_per_kwh", highest);
}

template <typename Archive, Like<Tracking> Value>
void Visit(Archive& archive, Value& value) {
  auto& [tensorboard, mlflow, mlflow_experiment, mlflow_token_file] = value;
  archive("tensorboard", tensorboard);
  archive("mlflow", mlflow);
  archive("mlflow_experiment", mlflow_experiment);
  archive("mlflow_token_file", mlflow_token_file);
}

template <typename Archive, Like<Submission> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, command, working_directory, environment, after, power_cap, slower_by, time_limit,
         budget, tracking, key, recurring, sweep, parameters, identity, resumes] = value;
  archive("job", job);
  archive("command", command);
  archive("working_directory", working_directory);
  archive("environment", environment);
  archive("after", after);
  archive("power_cap", power_cap);
  archive("slower_by", slower_by);
  archive("time_limit_ms", time_limit, "run_limit_ms");
  archive("budget", budget);
  archive("tracking", tracking);
  archive("key", key);
  archive("recurring", recurring);
  archive("sweep", sweep);
  archive("parameters", parameters);
  archive("identity", identity);
  archive("resumes", resumes);
}

inline bool FromName(const FieldReader&, std::string_view name, OverlapRule& value) {
  return TakeName(OverlapRuleFromName(name), value);
}

template <typename Archive, Like<Recurrence> Value>
void Visit(Archive& archive, Value& value) {
  auto& [cron, flexibility, overlap] = value;
  archive("cron", cron);
  archive("flexibility_ms", flexibility);
  archive("overlap", overlap);
}

template <typename Archive, Like<RecurringJob> Value>
void Visit(Archive& archive, Value& value) {
  auto& [recurrence, submission, last, paused] = value;
  archive("recurrence", recurrence);
  archive("submission", submission);
  archive("last_ms", last);
  archive("paused", paused);
}

template <typename Archive, Like<Sample> Value>
void Visit(Archive& archive, Value& value) {
  auto& [interval, intensity, status, link] = value;
  archive("time", interval);
  archive("g_per_kwh", intensity);
  archive("status", status);
  archive("link", link);
}

template <typename Archive, Like<SignalIdentity> Value>
void Visit(Archive& archive, Value& value) {
  auto& [zone, kind, boundary, source, links] = value;
  archive("zone", zone);
  archive("kind", kind);
  archive("boundary", boundary);
  archive("source", source);
  archive.InStores("links", links);
}

// A series is its identity and its samples. Samples that follow one another with equal length,
// status and link form a run: [begin, length, origin, value, value, ..]. The origin is the status,
// or [status, link] for a link that is not the first. core/fields.cc.
void Visit(FieldWriter& archive, const IntensitySeries& value);
void Visit(FieldReader& archive, IntensitySeries& value);
inline bool IsZeroField(const IntensitySeries& value) { return value == IntensitySeries(); }

template <typename Archive, Like<Forecast> Value>
void Visit(Archive& archive, Value& value) {
  auto& [issued, method, series, p10, p90] = value;
  archive("issued", issued);
  archive("method", method);
  archive("p50", series);
  archive("p10", p10);
  archive("p90", p90);
}

template <typename Archive, Like<SignalView> Value>
void Visit(Archive& archive, Value& value) {
  auto& [now, known, forecast] = value;
  archive("now", now);
  archive("known", known);
  archive("forecast", forecast);
}

}  // namespace ebb::core
