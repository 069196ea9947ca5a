#pragma once
// The rest of a job, planned alone for each site: its best start there, and the grams with the
// move that brings it there. It tells people why a job goes where it goes. Other jobs are left out,
// so the job's own plan may begin later. Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "plan/policy.h"

namespace ebb::plan {

/// Why a job has no plan at a site.
enum class NoPlan {
  kMayNotRun,    ///< site, data, model or width: no pool there fits
  kCannotLeave,  ///< it runs elsewhere and cannot write a checkpoint
  kUnknownGrid   ///< neither a value nor a forecast is known there
};
std::string_view Name(NoPlan reason);

struct SiteBest {
  int pool = -1;
  Interval time;       ///< from the begin of the move, or of the run, to the expected end
  Emissions expected;  ///< with the move
  Duration moving{};   ///< the part of `time` that the move takes
  Energy move_energy;  ///< network, set-up and waiting devices, without PUE
  bool late = false;   ///< a deadline is missed
};

struct SiteChoice {
  int site = 0;                  ///< index into the cluster's sites
  std::optional<SiteBest> best;  ///< nullopt: `no_plan` says why
  NoPlan no_plan = NoPlan::kMayNotRun;
};

/// One choice for each site, in the order of problem.cluster->sites. problem.jobs is not read.
std::vector<SiteChoice> SiteChoices(const Problem& problem, const JobView& view);

}  // namespace ebb::plan
