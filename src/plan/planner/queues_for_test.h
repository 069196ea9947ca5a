#pragma once
// Queues for tests of the planner, all at one moment, and what every schedule must keep.

#include <cstdint>
#include <vector>

#include "plan/planner/exhaustive_for_test.h"

namespace ebb::plan::testing {

inline const Time kNow = *ParseTime("2023-05-01T17:00");

/// The first value is that of the hour that begins now, the others are its forecast.
core::SignalView ViewOf(const std::vector<double>& values);

/// 300 W, submitted now, to be started within `max_delay`.
core::Job JobOf(core::JobId id, Duration duration, Duration max_delay);

/// `devices` like ones at one site with a forecast.
void Fill(Instance& instance, int devices, const std::vector<double>& values);

/// A walk between 40 and 600 g/kWh.
std::vector<double> RandomValues(std::uint64_t seed, int hours_ahead);

/// Jobs of many lengths and deadlines on a few devices, some wide, some pausable.
void FillQueue(Instance& instance, std::uint64_t seed, int jobs, const std::vector<double>& values);

Time BeginOf(const JobPlan& plan);

/// Every promise of a schedule to the jobs and the devices.
void ExpectSound(const Instance& instance, const Schedule& schedule);

}  // namespace ebb::plan::testing
