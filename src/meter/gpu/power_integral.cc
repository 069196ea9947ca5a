#include "meter/gpu/power_integral.h"

#include <algorithm>

namespace ebb::meter {
namespace {

constexpr std::chrono::milliseconds kRepetition{250};

double Seconds(Instant length) { return std::chrono::duration<double>(length).count(); }

}  // namespace

void PowerIntegral::Reading(Instant now, double watts) {
  last_seen_ = now;
  if (!has_reading_) {
    has_reading_ = true;
    measured_ = now;
    watts_ = watts;
    return;
  }
  if (watts == watts_ && now - measured_ < kRepetition) return;
  AddUntil(now, (watts_ + watts) / 2);
  watts_ = watts;
}

void PowerIntegral::Missing() {
  if (!has_reading_) return;
  AddUntil(last_seen_, watts_);
  has_reading_ = false;
}

double PowerIntegral::Take(Instant now) {
  const double held = has_reading_ ? watts_ * Seconds(now - measured_) : 0;
  const double joules = std::max(0.0, joules_ + held - taken_joules_);
  taken_joules_ += joules;
  return joules;
}

void PowerIntegral::AddUntil(Instant time, double mean_watts) {
  joules_ += mean_watts * Seconds(time - measured_);
  measured_ = time;
}

}  // namespace ebb::meter
