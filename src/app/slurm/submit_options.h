#pragma once
// The carbon options of a job that somebody submits to Slurm: flags of `ebb slurm submit`, and
// lines "#EBB --tier 2" of the script. They become the comment of the job
// (slurm/jobs/job_comment.h), so that a service and `ebb slurm tick` read the same.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/tier.h"
#include "prices/zone_clock.h"
#include "slurm/jobs/job_comment.h"

namespace ebb::app {

struct GivenOption {
  std::string name;  ///< without dashes: "tier"
  std::string value;
  bool has_value = false;
  std::string where;  ///< for messages: "--tier", "train.sh line 5: --tier"
};

/// The moment and the clock from which times of options count.
struct SubmitMoment {
  Time now{};
  prices::ZoneClock zone;
  std::vector<core::Tier> tiers = core::PublishedTiers();
};

/// Turns options into the wishes of a comment, "tier=2;start-by=2026-11-28T12:00:00Z". A later
/// option overrides an earlier one of the same name. Times become moments in UTC. An Error names
/// the first mistake and its place.
Result<std::string> WishesOf(std::span<const GivenOption> options, const SubmitMoment& moment);

}  // namespace ebb::app
