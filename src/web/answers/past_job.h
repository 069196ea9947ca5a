#pragma once
// Jobs that have ended, from the store (docs/api.md).

#include "report/described_json.h"
#include "service/views/figures.h"
#include "store/jobs/job_records.h"

namespace ebb::web {

struct PastJob {
  store::JobRecord record;
  std::string user;
  int devices = 1;
  int attempts = 0;
  Duration ran{};  ///< running time without pauses
  std::optional<Emissions> at_submission;
  std::optional<double> saving_half_width_g;
  std::optional<service::PlaceAndTime> place_and_time;
  void Describe(report::DescribedJson& json) const;
};

struct History {
  std::vector<PastJob> jobs;
  std::optional<core::JobId> next;
  bool replayed = false;
  void Describe(report::DescribedJson& json) const;
};

/// Reads a job that has ended, with everything that the store holds beside its record.
Result<PastJob> ReadPastJob(store::Database& database, store::JobRecord record);

}  // namespace ebb::web
