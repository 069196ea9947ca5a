#pragma once
// The worth of place and time to a job that has ended: the emissions of the same energy at home and
// at the other sites, at once and at the best start, in hindsight. Each zone counts by its own
// newest values and each site by its PUE. A start at another site begins with the move there
// (core/jobs/move.h). Pure.
//
// Starts lie on a grid of kStartStep from the submission on, and at the latest start. The job runs
// in one piece, for as long as it ran. The best of all is never above the others, because they are
// among its candidates, and so is the job as it ran, with what its moves took. Best starts are
// known once all starts are over and their hours published.

#include <optional>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/ledger/ledger.h"
#include "service/views/figures.h"
#include "store/accounts/settled_sites.h"
#include "store/jobs/job_records.h"

namespace ebb::service {

inline constexpr Duration kStartStep{std::chrono::minutes{15}};

/// The job that is settled, and what its service knew of the sites.
struct JobOfSites {
  const core::Job& job;  ///< with its deadlines, or with the latest start that the service sets
  const std::vector<store::AttemptRecord>& attempts;
  const std::vector<core::LedgerRow>& rows;
  const core::Cluster& cluster;  ///< with the devices that are away
  std::int64_t checkpoint_bytes = 0;
};

/// The sites of the service, the attempts at each, and the moves; without the values of the zones.
store::SettledSites SitesOf(const JobOfSites& of);

/// How much of the future has become known.
struct Hindsight {
  Time now{};
  /// Values may still be published, so a start whose hours have none is waited for.
  bool may_be_published = false;
};

/// The end of the last run that the best starts look at: what is settled before lacks them.
Time EndOfStarts(const store::SettledSites& sites, const std::vector<core::LedgerRow>& rows);

/// `signals`: by number of the site, the values by which its rows are settled, and beyond.
/// `at_once`: the start of a run at once. nullopt: what it would have emitted at its submission at
/// home is unknown.
std::optional<PlaceAndTime> PlaceAndTimeOf(const Settlement& settlement, Time submitted,
                                           Time at_once, const std::vector<core::LedgerRow>& rows,
                                           const store::SettledSites& sites,
                                           const std::vector<core::IntensitySeries>& signals,
                                           const Hindsight& hindsight);

std::string PlaceAndTimeText(const PlaceAndTime& figures);
/// The reverse of PlaceAndTimeText. Nothing: the text is empty or damaged.
std::optional<PlaceAndTime> PlaceAndTimeFrom(const std::string& text);

}  // namespace ebb::service
