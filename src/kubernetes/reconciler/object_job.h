#pragma once
// The job that the engine is offered for an object: what the object asks for, and what the cluster
// has for it.

#include <string>
#include <vector>

#include "core/jobs/job.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

/// Models of the pools that the object can use.
std::vector<std::string> ModelsFor(const GatedObject& object, Capacity& capacity);
/// The first pool that the object can use; 0 if there is none.
int FirstPoolFor(const GatedObject& object, Capacity& capacity);
core::Job JobFor(const GatedObject& object, core::JobId number, Capacity& capacity);
/// The job without other widths, because the API server refuses them: it keeps the devices that the
/// object asks for now.
core::Job AtItsWidth(core::Job job, const ObjectWidth& width);

}  // namespace ebb::kubernetes
