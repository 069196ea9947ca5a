#pragma once
// Decides which runs are repeats of each other: runs that their user gave one name, and otherwise
// runs of one command under one schedule, whatever their seed (docs/compare.md, Groups).

#include <string>
#include <vector>

#include "core/run/run.h"

namespace ebb::report {

/// The name of each run's group. Runs of one group have the same name. Groups of unlike commands
/// have names that tell them apart: "train.py --lr 1e-3", "train.py --lr 1e-4".
std::vector<std::string> GroupNames(const std::vector<const core::RunSpec*>& runs);

}  // namespace ebb::report
