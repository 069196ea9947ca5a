#include "meter/sharing/idle_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ebb::meter {

IdleMeter::IdleMeter(std::unique_ptr<Meter> meter, IdleRule rule)
    : meter_(std::move(meter)), rule_(rule) {}

void IdleMeter::Start(Instant now) {
  now_ = {};
  at_last_reading_.clear();
  meter_->Start(now);
}

std::vector<core::EnergyReading> IdleMeter::Sample(const IntervalUsage& usage) {
  const double seconds = usage.seconds();
  now_.seconds += seconds;
  now_.processor_seconds += seconds * usage.logical_processors;
  if (usage.machine_busy) {
    now_.busy_seconds += std::chrono::duration<double>(*usage.machine_busy).count();
    now_.busy_known_seconds += seconds;
  }
  if (usage.tree_resident_bytes) {
    now_.used_byte_seconds += *usage.tree_resident_bytes * seconds;
    now_.used_known_seconds += seconds;
  }
  std::vector<core::EnergyReading> parts;
  const auto add = [&](std::string_view whose, const core::EnergyReading& reading, Energy energy) {
    if (energy == Energy{}) return;
    core::EnergyReading& part = parts.emplace_back(reading);
    part.device = std::string(whose) + reading.device;
    part.energy = energy;
  };
  for (const core::EnergyReading& reading : meter_->Sample(usage)) {
    const Sums before = std::exchange(at_last_reading_[reading.device], now_);
    const auto whole = static_cast<double>(reading.energy.microjoules());
    const Energy idle = Energy::Microjoules(std::llround(whole * IdlePart(reading, before)));
    add(kIdlePrefix, reading, idle);
    add(kUnattributedPrefix, reading, reading.energy - idle);
  }
  return parts;
}

// The idle part of a reading, from 0 to 1.
double IdleMeter::IdlePart(const core::EnergyReading& reading, const Sums& before) const {
  switch (reading.component) {
    case core::Component::kCpu:
      return IdlePartOfCpu(reading.energy, before);
    case core::Component::kRam:
      return IdlePartOfMemory(before);
    case core::Component::kGpu:
      return 1;
  }
  return 0;
}

double IdleMeter::IdlePartOfCpu(Energy energy, const Sums& before) const {
  if (now_.busy_known_seconds <= before.busy_known_seconds) return 0;
  const double busy = now_.busy_seconds - before.busy_seconds;
  if (busy <= 0) return 1;
  const double seconds = now_.seconds - before.seconds;
  if (!rule_.cpu_idle_w || seconds <= 0 || energy <= Energy{}) return 0;
  const double load = std::min(1.0, busy / (now_.processor_seconds - before.processor_seconds));
  return std::min(1.0, *rule_.cpu_idle_w * seconds * (1 - load) / energy.joules());
}

double IdleMeter::IdlePartOfMemory(const Sums& before) const {
  const double known = now_.used_known_seconds - before.used_known_seconds;
  if (!rule_.memory_bytes || *rule_.memory_bytes <= 0 || known <= 0) return 0;
  const double used = (now_.used_byte_seconds - before.used_byte_seconds) / known;
  return std::clamp(1 - used / *rule_.memory_bytes, 0.0, 1.0);
}

}  // namespace ebb::meter
