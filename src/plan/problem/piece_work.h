#pragma once
// How much of its remaining work a task does in each piece of a placement, if the pieces differ in
// width or site: they have speeds of their own, so their lengths do not add up to one length. A
// piece makes no progress while it moves or resumes.

#include "plan/problem/draft.h"

namespace ebb::plan {

/// The time for which the piece makes no progress.
Duration BeforeWork(const PlanInput& input, const Task& task, const Placement& placement,
                    std::size_t piece);
/// Running time of all the remaining work on a choice.
inline Duration FullTime(const Choice& choice) { return choice.length - choice.before_work; }

/// Sets the end of the last piece so that all pieces together do the remaining work. Returns false
/// if the others do it all.
bool FitLastPiece(const PlanInput& input, const Task& task, Placement& placement);

}  // namespace ebb::plan
