#pragma once
// Queues for tests of the planner, all at one moment, and the checks that every schedule must pass.

#include <cstdint>
#include <vector>

#include "plan/planner/exhaustive_for_test.h"

namespace ebb::plan::testing {

inline const Time kNow = *ParseTime("2023-05-01T17:00");

/// A view whose first value is for the hour that begins now; the others are its forecast.
core::SignalView ViewOf(const std::vector<double>& values);

/// A job of 300 W, submitted now, that must start within `max_delay`.
core::Job JobOf(core::JobId id, Duration duration, Duration max_delay);

/// Fills the instance with `devices` like devices at one site with a forecast.
void Fill(Instance& instance, int devices, const std::vector<double>& values);

/// A random walk between 40 and 600 g/kWh.
std::vector<double> RandomValues(std::uint64_t seed, int hours_ahead);

/// Adds jobs of many lengths and deadlines on a few devices, some wide, some pausable.
void FillQueue(Instance& instance, std::uint64_t seed, int jobs, const std::vector<double>& values);

Time BeginOf(const JobPlan& plan);

/// True if the job goes on at another pool while it runs.
bool GoesToOtherPools(const JobPlan& plan);

/// The pool at which the plan begins.
const core::DevicePool& PoolOf(const Instance& instance, const JobPlan& plan);

/// Expects that the schedule keeps every promise to the jobs and the devices.
void ExpectSound(const Instance& instance, const Schedule& schedule);

}  // namespace ebb::plan::testing
