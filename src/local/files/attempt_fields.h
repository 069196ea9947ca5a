#pragma once
// The fields of the files of an attempt (attempt_files.h), each named once for writing and for
// reading (base/field_text.h). Private to local/.

#include "core/run/power_choice_fields.h"
#include "core/run/run_fields.h"
#include "local/files/attempt_files.h"

namespace ebb::meter {

template <typename Archive, Like<PowerLimit> Value>
void Visit(Archive& archive, Value& value) {
  auto& [uuid, old_mw, new_mw] = value;
  archive.Must("uuid", uuid);
  archive.Must("old_mw", old_mw);
  archive.Must("new_mw", new_mw);
}

}  // namespace ebb::meter

namespace ebb::local {

// Power caps are stored in the form in which people write them.
template <typename Archive, Like<std::optional<core::PowerCap>> Value>
void VisitPowerCap(Archive& archive, Value& cap) {
  std::string text = cap ? core::Describe(*cap) : "";
  archive("power_cap", text);
  if constexpr (!std::is_const_v<Value>) {
    cap.reset();
    if (text.empty()) return;
    const auto parsed = core::ParsePowerCap(text);
    if (!parsed) return archive.Fail("is not a power cap: \"power_cap\"");
    cap = *parsed;
  }
}

template <typename Archive, Like<RemotePlace> Value>
void Visit(Archive& archive, Value& value) {
  auto& [site, reach, service, folder, leave_out, most_bytes, order] = value;
  archive.Must("site", site);
  archive.Must("reach", reach);
  archive.Must("service", service);
  archive("folder", folder);
  archive("leave_out", leave_out);
  archive("most_bytes", most_bytes);
  archive("order", order);
}

template <typename Archive, Like<SiteState> Value>
void Visit(Archive& archive, Value& value) {
  auto& [start_was_sent, trouble, since, doing, frozen, order] = value;
  archive("start_was_sent", start_was_sent);
  archive("trouble", trouble);
  archive("since_ms", since);
  archive("doing", doing);
  archive("frozen", frozen);
  archive("order", order);
}

template <typename Archive, Like<AttemptPlan> Value>
void Visit(Archive& archive, Value& value) {
  auto& [job, identity, attempt, pool, slots, gpus, since, command, working_directory, environment,
         grace, power_cap, slower_by, known_cap, log_limit_bytes, name, submitted, since_wall,
         since_boot, clock, store, tracking, budget, used_before, metering, end_key, place] = value;
  archive.Must("job", job);
  archive("identity", identity);
  archive.Must("attempt", attempt);
  archive.Must("pool", pool);
  archive.Must("slots", slots);
  archive("gpus", gpus);
  archive.Must("since_ms", since);
  archive.Must("command", command);
  archive.Must("working_directory", working_directory);
  archive.Must("environment", environment);
  archive.Must("grace_ms", grace);
  VisitPowerCap(archive, power_cap);
  archive("slower_by_percent", slower_by.percent);
  archive("known_cap", known_cap);
  archive("log_limit_bytes", log_limit_bytes);
  archive("name", name);
  archive("submitted_ms", submitted);
  archive("since_wall_ms", since_wall);
  archive("since_boot_ms", since_boot);
  archive("replayed", clock.replayed);
  archive("speed", clock.speed);
  archive("store", store);
  archive("tracking", tracking);
  archive("budget", budget);
  archive("used_before", used_before);
  archive.Must("metering", metering);
  archive("end_key", end_key);
  archive("place", place);
}

template <typename Archive, Like<AttemptEnd> Value>
void Visit(Archive& archive, Value& value) {
  auto& [started, status, attempt, warnings, detail, from_outside] = value;
  archive.Must("attempt", attempt.number);
  archive.Must("started", started);
  archive.Must("exit_code", status.code);
  archive.Must("by_signal", status.by_signal);
  archive.Must("outcome", attempt.outcome);
  archive.Must("wall_ms", attempt.wall);
  archive("cpu_percent", attempt.cpu_utilisation_percent);
  archive("ram_gb", attempt.ram_used_gb);
  archive("gpu_percent", attempt.gpu_utilisation_percent);
  archive("warnings", warnings);
  archive("detail", detail);
  archive("from_outside", from_outside);
  if constexpr (!std::is_const_v<Value>) attempt.exit_code = status.code;
}

template <typename Archive, Like<DeviceFault> Value>
void Visit(Archive& archive, Value& value) {
  auto& [wall, device, what] = value;
  archive.Must("wall_ms", wall);
  archive.Must("device", device);
  archive.Must("what", what);
}

template <typename Archive, Like<EnergyHeader> Value>
void Visit(Archive& archive, Value& value) {
  auto& [program_pid, program_identity, wall_begin, cgroup, since_boot] = value;
  archive.Must("program_pid", program_pid);
  archive.Must("program_identity", program_identity);
  archive.Must("wall_begin_ms", wall_begin);
  archive("cgroup", cgroup);
  archive("since_boot_ms", since_boot);
}

}  // namespace ebb::local
