#pragma once
// The fields of power-cap.jsonl (docs/run-directory.md), each named once for writing and for
// reading (base/field_text.h).

#include "core/devices/power_choice.h"
#include "core/fields.h"

namespace ebb::core {

template <typename Archive, Like<CapTrial> Value>
void Visit(Archive& archive, Value& value) {
  auto& [cap, steps_per_s, error, power, gpu_power, measured] = value;
  archive("cap_w", cap);
  archive("steps_per_s", steps_per_s);
  archive("error", error);
  archive("power_w", power);
  archive("gpu_power_w", gpu_power);
  archive("measured_ms", measured);
}

template <typename Archive, Like<PowerChoice> Value>
void Visit(Archive& archive, Value& value) {
  auto& [attempt, device_model, gpus, slower_by, limit, trials, cap, slower, saved, why, found_by] =
      value;
  archive("attempt", attempt);
  archive("device_model", device_model);
  archive("gpus", gpus);
  archive("slower_by_percent", slower_by.percent);
  archive("limit_w", limit);
  archive("cap_w", cap);
  archive("slower", slower);
  archive("saved", saved);
  archive("why", why);
  archive("found_by", found_by);
  archive("trials", trials);
}

}  // namespace ebb::core
