#pragma once
// Which runs are repeats of each other: those that their user named alike, and of the others those
// of one command under one schedule, whatever its seed. docs/compare.md, Groups.

#include <string>
#include <vector>

#include "core/run.h"

namespace ebb::report {

/// For each run the name of its group; runs of one group have the same, and groups of unlike
/// commands have names that tell them apart: "train.py --lr 1e-3", "train.py --lr 1e-4".
std::vector<std::string> GroupNames(const std::vector<const core::RunSpec*>& runs);

}  // namespace ebb::report
