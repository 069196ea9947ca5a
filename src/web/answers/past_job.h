#pragma once
// Jobs that have ended, as the store has them (docs/api.md).

#include "report/described_json.h"
#include "store/job_records.h"

namespace ebb::web {

struct PastJob {
  store::JobRecord record;
  std::string user;
  int devices = 1;
  int attempts = 0;
  Duration ran{};  ///< without its pauses
  std::optional<Emissions> at_submission;
  std::optional<double> saving_half_width_g;
  void Describe(report::DescribedJson& json) const;
};

struct History {
  std::vector<PastJob> jobs;
  std::optional<core::JobId> next;
  bool replayed = false;
  void Describe(report::DescribedJson& json) const;
};

/// With what the store knows of it besides its record.
Result<PastJob> ReadPastJob(store::Database& database, store::JobRecord record);

}  // namespace ebb::web
