#pragma once
// What is kept of jobs that readers' views have forgotten: where first come, first served would
// have run them and what they would have emitted there, and alone at their submission, so that
// savings go on counting them and later jobs still find their devices taken.

#include <vector>

#include "core/job.h"
#include "store/write_group.h"

namespace ebb::store {

struct FirstComeRecord {
  core::JobId job = 0;
  std::optional<Interval> place;  ///< nothing: it could not have run, or that is not known
  int pool = 0;
  int devices = 1;
  std::optional<Emissions> emissions{};      ///< there; nothing: not known
  std::optional<Emissions> at_submission{};  ///< alone, when it was submitted; nothing: not known
};

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record);
/// Those that would have ended after `time`, by job.
Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time);

/// What jobs that have ended emitted, against a baseline of the same energy.
struct Compared {
  std::int64_t jobs = 0;
  std::int64_t not_compared = 0;  ///< used energy, and one of the two emissions is not known
  Emissions emitted, baseline;

  void Add(Energy used, std::optional<Emissions> emissions, std::optional<Emissions> otherwise);
};

/// Of jobs that have ended.
struct EndedSums {
  Energy energy;
  Emissions emissions;
  Compared on_submission;  ///< each alone, when it was submitted
  Compared on_first_come;

  void Add(Energy used, std::optional<Emissions> emitted, std::optional<Emissions> at_submission,
           std::optional<Emissions> first_come);
};
/// Of those that are not among the `newest` ids.
Result<EndedSums> SumEnded(Database& database, std::size_t newest);

}  // namespace ebb::store
