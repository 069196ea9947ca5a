#pragma once
// What the engine is told once an object that waits has been changed. Pure.

#include <optional>

#include "core/job.h"
#include "core/job_change.h"

namespace ebb::kubernetes {

/// Makes what the engine knows (`told`) into what the object says now (`wanted`). Nothing: a change
/// cannot express it (the width, the power, the models, whether it can be paused), so it has to be
/// offered as another job. Of what `has_run` the latest start and the estimate mean nothing any
/// more, and stay as they were.
std::optional<core::JobChange> ChangeTo(const core::Job& told, core::Job wanted, bool has_run);

}  // namespace ebb::kubernetes
