#pragma once
// The sweeps of the queue as JSON (docs/api.md).

#include <string>
#include <vector>

#include "store/job_records.h"
#include "store/sweep_records.h"

namespace ebb::web {

/// One line of a list of sweeps.
struct SweepLine {
  store::SweepRecord sweep;
  std::vector<store::StageCount> jobs;
  std::vector<store::RungLoss> rungs;
};
std::string SweepsToJson(const std::vector<SweepLine>& sweeps);

}  // namespace ebb::web
