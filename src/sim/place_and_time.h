#pragma once
// Emissions of jobs at another place or another time, in hindsight: each job alone, with
// a device for it at every site, in one piece, with the moves to other sites counted. So the
// figures tell what place and time are worth apart and together; what a schedule on the real
// devices can reach is the bound's (plan/bound/hindsight_bound.h). Pure.

#include <optional>
#include <span>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "sim/accounting.h"

namespace ebb::sim {

struct PlaceAndTime {
  Emissions home_at_once;         ///< at submission, at home
  Emissions home_best_time;       ///< at home, at the best start
  Emissions best_place_at_once;   ///< begun at submission, at the best site
  Emissions best_place_and_time;  ///< the best of all sites and starts

  PlaceAndTime& operator+=(const PlaceAndTime& other);
};

/// The sums over jobs. Starts lie on a grid of kStartStep from submission on, and at the latest
/// start. A start with energy of unknown intensity does not count. nullopt if a job has no home,
/// does not fit there, or has no start with known intensity for one of the figures. Jobs without a
/// deadline wait no longer than `longest_delay`.
inline constexpr Duration kStartStep = std::chrono::minutes{15};
std::optional<PlaceAndTime> PlaceAndTimeOf(std::span<const core::Job> jobs,
                                           const core::Cluster& cluster, Truth truth,
                                           Duration longest_delay);

}  // namespace ebb::sim
