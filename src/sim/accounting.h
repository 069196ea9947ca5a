#pragma once
// What a simulated job used and emitted: the power of its devices over the stretches it really ran,
// times PUE, times the true intensity then (core/job.h for energy, base/units.h for grams; the test
// holds it against the ledger's rows). Energy whose intensity is unknown stays apart: unknown is
// never 0. What free devices draw is reported apart, since no policy here switches them off. Pure.

#include <span>
#include <vector>

#include "core/cluster.h"
#include "core/job.h"
#include "plan/policy.h"
#include "sim/true_intensity.h"

namespace ebb::sim {

struct Use {
  Energy energy;                    ///< of the devices, without PUE
  Energy energy_without_intensity;  ///< part of `energy`
  Emissions emissions;              ///< of the rest, with PUE

  Use& operator+=(const Use& other);
};

struct JobOutcome {
  core::JobId job = 0;
  std::vector<plan::Segment> segments;  ///< where and when it ran, in order
  bool succeeded = false;
  Use use;
  int pauses = 0;
  Energy pause_energy;  ///< part of use.energy: what its resumes cost

  Time started() const { return segments.front().time.begin; }
  Time ended() const { return segments.back().time.end; }
};

/// One integral per site of the cluster.
using Truth = std::span<const TrueIntensity>;

/// Of `energy` used evenly over `window` at a site.
Use UseOver(Energy energy, Interval window, Pue pue, const TrueIntensity& truth);

/// Fills use, pauses and pause energy from the segments.
void Account(const core::Job& job, const core::Cluster& cluster, Truth truth, JobOutcome& outcome);

/// What devices draw over `window` while no job runs on them.
Use IdleUse(const core::Cluster& cluster, Truth truth, std::span<const core::Job> jobs,
            std::span<const JobOutcome> outcomes, Interval window);

}  // namespace ebb::sim
