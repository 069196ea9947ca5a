#pragma once
// The fields of the files of a run (docs/run-directory.md), in the order of the files. Each field
// is named once, for writing and for reading (base/field_text.h). The files are complete texts.

#include <array>

#include "base/enum_names.h"
#include "core/fields.h"
#include "core/run/run.h"

namespace ebb::core {

inline constexpr std::array<std::string_view, 2> kScopeNames{"process_tree", "machine"};
inline std::string_view Name(MeterScope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}
inline bool FromName(const FieldReader&, std::string_view name, MeterScope& value) {
  return TakeName(EnumFromName<MeterScope>(kScopeNames, name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, GateAction& value) {
  return TakeName(GateActionFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, AttemptOutcome& value) {
  return TakeName(AttemptOutcomeFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, Component& value) {
  return TakeName(ComponentFromName(name), value);
}
inline bool FromName(const FieldReader&, std::string_view name, EnergySource& value) {
  return TakeName(EnergySourceFromName(name), value);
}

template <typename Archive, Like<GridClockSettings> Value>
void Visit(Archive& archive, Value& value) {
  auto& [replayed, begin, speed, skip_waits] = value;
  archive("replayed", replayed);
  archive("begin_ms", begin);
  archive("speed", speed);
  archive("skip_waits", skip_waits);
}

template <typename Archive, Like<Machine> Value>
void Visit(Archive& archive, Value& value) {
  auto& [host, operating_system, cpu_model, cpu_count, ram_total_gb, gpu_models, boot_id] = value;
  archive("host", host);
  archive("operating_system", operating_system);
  archive("cpu_model", cpu_model);
  archive("cpu_count", cpu_count);
  archive("ram_total_gb", ram_total_gb);
  archive("gpu_models", gpu_models);
  archive.Maybe("boot_id", boot_id);
}

template <typename Archive, Like<Embodied> Value>
void Visit(Archive& archive, Value& value) {
  auto& [total, lifetime, share] = value;
  archive("total_g", total);
  archive("lifetime_ms", lifetime);
  archive("share", share);
  if (lifetime <= Duration::zero()) archive.Fail("is not positive: \"lifetime_ms\"");
}

template <typename Archive, Like<Location> Value>
void Visit(Archive& archive, Value& value) {
  auto& [region, cloud_provider, cloud_region] = value;
  archive("region", region);
  archive("cloud_provider", cloud_provider);
  archive("cloud_region", cloud_region);
}

template <typename Archive, Like<TrainingSettings> Value>
void Visit(Archive& archive, Value& value) {
  auto& [model, dataset, batch_size, accumulation_steps, epochs, learning_rate, precision, seed,
         model_path] = value;
  archive("model", model);
  archive("dataset", dataset);
  archive("batch_size", batch_size);
  archive("accumulation_steps", accumulation_steps);
  archive("epochs", epochs);
  archive("learning_rate", learning_rate);
  archive("precision", precision);
  archive("seed", seed);
  archive("model_path", model_path);
}

template <typename Archive, Like<RunPrices> Value>
void Visit(Archive& archive, Value& value) {
  auto& [identity, weight, threshold] = value;
  archive("currency", identity.currency);
  archive("source", identity.source);
  archive("weight", weight);
  archive("threshold_per_kwh", threshold);
}

template <typename Archive, Like<RunSpec> Value>
void Visit(Archive& archive, Value& value) {
  auto& [run_id, name, group, command, created_wall, policy, threshold, submitted, start_by,
         duration, clock, signal, zones, other_signal, pue, wue_l_per_kwh, embodied, scope,
         sample_interval, meters, machine, location, training, prices] = value;
  auto several_zones = zones > 1 ? std::optional(zones) : std::nullopt;
  archive.Is("schema", "ebb.run/1");
  archive("run_id", run_id);
  archive("name", name);
  archive("group", group);
  archive("command", command);
  archive("created_wall_ms", created_wall);
  archive("policy", policy);
  archive("threshold_g_per_kwh", threshold);
  archive("submitted_ms", submitted);
  archive("start_by_ms", start_by);
  archive("duration_ms", duration, "estimated_run_time_ms");
  archive("grid_clock", clock);
  archive("signal", signal);
  archive("pue", pue);
  archive("scope", scope);
  archive("sample_interval_ms", sample_interval);
  archive("meters", meters);
  archive("machine", machine);
  archive.Maybe("zones", several_zones);
  archive.Maybe("other_signal", other_signal);
  archive.Maybe("wue_l_per_kwh", wue_l_per_kwh);
  archive.Maybe("embodied", embodied);
  archive.Maybe("location", location);  // runs of early versions have none
  archive("training", training);
  archive.Maybe("prices", prices);
  if constexpr (!std::is_const_v<Value>) zones = several_zones.value_or(1);
}

template <typename Archive, Like<GateDecision> Value>
void Visit(Archive& archive, Value& value) {
  auto& [at, action, reason, current_status, current_source, mean_if_now, judged, wake_at, note,
         recorded_reason] = value;
  auto& [rule, current, expected, threshold, start, end, latest] = reason;
  archive("at_ms", at);
  archive("action", action);
  archive("rule", rule);
  if constexpr (std::is_const_v<Value>)
    archive("reason", Sentence(value));
  else
    archive("reason", recorded_reason);
  archive("current_g_per_kwh", current);
  archive("current_status", current_status);
  archive("threshold_g_per_kwh", threshold);
  archive("expected_start_ms", start);
  archive("expected_mean_g_per_kwh", expected);
  archive("latest_start_ms", latest, "start_by_ms");
  archive("wake_at_ms", wake_at);
  archive.Maybe("current_source", current_source);
}

template <typename Archive, Like<RankShareChange> Value>
void Visit(Archive& archive, Value& value) {
  auto& [step, samples] = value;
  archive.Must("step", step);
  archive.Must("samples", samples);
}

template <typename Archive, Like<SkippedWait> Value>
void Visit(Archive& archive, Value& value) {
  archive("skipped_wait_ms", value.grid);
}

template <typename Archive, Like<SignalVersion> Value>
void Visit(Archive& archive, Value& value) {
  auto& [asked_at, is_final, file, sha256] = value;
  archive("asked_at_ms", asked_at);
  archive("file", file);
  archive("sha256", sha256);
  archive("final", is_final);
}

template <typename Archive, Like<OtherIntensity> Value>
void Visit(Archive& archive, Value& value) {
  auto& [intensity, status, kind] = value;
  archive.Must("g_per_kwh", intensity);
  archive("status", status);
  archive("kind", kind);
}

// The intensity must be present, null if unknown: an intensity that was left out by mistake would
// read as unknown.
template <typename Archive, Like<LedgerRow> Value>
void Visit(Archive& archive, Value& value) {
  auto& [attempt, device, component, source, wall, grid, energy, pue, intensity, intensity_status,
         signal_kind, other, intensity_source, shared] = value;
  archive("attempt", attempt);
  archive("device", device);
  archive("component", component);
  archive("source", source);
  archive("wall_ms", wall);
  archive("grid_ms", grid);
  archive("energy_uj", energy);
  archive("pue", pue);
  archive.Must("g_per_kwh", intensity);
  archive("status", intensity_status);
  archive("kind", signal_kind);
  archive.Maybe("other", other);
  archive.Maybe("intensity_source", intensity_source);
  archive.Maybe("shared", shared);
  if (other && other->kind == signal_kind)
    archive.Fail("is of the same kind as the row's own intensity: \"other\"");
}

}  // namespace ebb::core
