#pragma once
// The sites in the settlement of a job, for a service that has several: which attempts ran where,
// by which values each zone is accounted, and what it would have taken to begin at each site. With
// it `ebb audit` recomputes what a job emitted and what it would have emitted elsewhere. Values
// only.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace ebb::store {

/// Time and energy of a move to a site (core/jobs/move.h).
struct SettledMove {
  int from = 0, to = 0;       ///< numbers of the sites
  Time begin{};               ///< on the grid clock
  Duration takes{};           ///< 0: the job is there already
  Energy network{}, there{};  ///< without PUE; the network counts at the site that sends
};

struct SettledSite {
  std::string name, zone;
  Pue pue;
  std::vector<int> attempts;  ///< that ran here
  bool allowed = false;       ///< the job may run here, and fits
  SettledMove first_move;     ///< with which the job would have begun here, whenever that is
  /// The newest values of the zone (SettlementText); empty for the service's own machine, whose
  /// values are the settlement's.
  std::string signal;
};

struct SettledSites {
  std::vector<SettledSite> sites;  ///< by number; first the service's own machine
  Time latest{};                   ///< latest start at home
  std::vector<SettledMove> moves;  ///< that the job made
  /// The job's emissions at other places and times, by these values (fields of
  /// service::PlaceAndTime); empty: unknown.
  std::string figures;
};

std::string SettledSitesText(const SettledSites& sites);
Result<SettledSites> SettledSitesFrom(const std::string& text);

}  // namespace ebb::store
