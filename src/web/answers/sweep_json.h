#pragma once
// The sweeps of the queue as JSON (docs/api.md).

#include "report/described_json.h"
#include "store/jobs/job_records.h"
#include "store/jobs/sweep_records.h"

namespace ebb::web {

/// One line of a list of sweeps.
struct SweepLine {
  store::SweepRecord sweep;
  std::vector<store::StageCount> jobs;
  std::vector<store::RungLoss> rungs;
  void Describe(report::DescribedJson& json) const;
};
struct SweepLines {
  std::vector<SweepLine> sweeps;
  void Describe(report::DescribedJson& json) const {
    json.Is("Sweeps", "Sweeps of the queue.")("sweeps", "the newest first", sweeps);
  }
};

}  // namespace ebb::web
