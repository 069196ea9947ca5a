#pragma once
// Accounts for the energy and emissions of a simulated job: the power of its devices over the
// stretches in which it ran, times PUE, times the true intensity at that time, and what its moves
// between sites took (core/jobs/job.h and move.h for energy, base/units.h for grams; the test
// compares the result with the ledger's rows). Energy whose intensity is unknown is kept apart,
// since unknown is never 0. Energy of free devices is reported apart, since no policy here switches
// them off. Pure.

#include <span>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/jobs/move.h"
#include "plan/policy.h"
#include "sim/true_intensity.h"

namespace ebb::sim {

struct Use {
  Energy energy;                    ///< energy of the devices, without PUE
  Energy energy_without_intensity;  ///< part of `energy`
  Emissions emissions;              ///< emissions of the rest, with PUE

  Use& operator+=(const Use& other);
};

struct JobOutcome {
  core::JobId job = 0;
  std::vector<plan::Segment> segments;  ///< where and when it ran, in order
  bool succeeded = false;
  Use use;
  int pauses = 0;
  Energy pause_energy;    ///< part of use.energy: cost of the job's resumes
  Duration first_move{};  ///< from the begin of the first segment until the program runs
  int moves = 0;          ///< starts and resumes to which its files had to be brought
  Use move_use;           ///< part of `use`: network, set-up and waiting devices of the moves

  /// When its program first ran.
  Time started() const { return segments.front().time.begin + first_move; }
  Time ended() const { return segments.back().time.end; }
};

/// One integral per site of the cluster.
using Truth = std::span<const TrueIntensity>;

/// The use if `energy` is spread evenly over `window` at a site.
Use UseOver(Energy energy, Interval window, Pue pue, const TrueIntensity& truth);

/// The energy of the job over its segment `index`, by place and time.
core::HeldEnergy EnergyOfSegment(const core::Job& job, const core::Cluster& cluster,
                                 std::span<const plan::Segment> segments, std::size_t index);

/// Fills use, pauses, moves and their energy from the segments.
void Account(const core::Job& job, const core::Cluster& cluster, Truth truth, JobOutcome& outcome);

/// The energy and emissions of devices over `window` while no job runs on them.
Use IdleUse(const core::Cluster& cluster, Truth truth, std::span<const core::Job> jobs,
            std::span<const JobOutcome> outcomes, Interval window);

}  // namespace ebb::sim
