#pragma once
// Turns a job of `ebb submit --as skypilot` into a sweep of one experiment, the form that the
// generator of SkyPilot tasks reads. Pure.

#include <string_view>

#include "base/result.h"
#include "sweep/sweep.h"

namespace ebb::app {

/// `json`: the job as the API takes it (docs/api.md). `now` is the moment of its submission. An
/// Error also for options that only a queue service can keep.
Result<sweep::Sweep> SweepOfCloudJob(std::string_view json, Time now);

}  // namespace ebb::app
