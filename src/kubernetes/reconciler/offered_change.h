#pragma once
// Turns a change of a waiting object into a change of its job in the engine. Pure.

#include <optional>

#include "core/jobs/job.h"
#include "core/jobs/job_change.h"

namespace ebb::kubernetes {

/// The change from the job that the engine knows (`told`) to the job of the object now (`wanted`).
/// Nothing: a change cannot express it (width, power, models, the ability to pause), so it must be
/// offered as another job. If the job `has_run`, its latest start and estimate have no meaning any
/// more, and stay as they were.
std::optional<core::JobChange> ChangeTo(const core::Job& told, core::Job wanted, bool has_run);

}  // namespace ebb::kubernetes
