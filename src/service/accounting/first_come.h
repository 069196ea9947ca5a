#pragma once
// First come, first served: the baseline of the service's savings. It is the schedule in which
// every job runs as soon as its devices are free, in the order of submission, whatever the grid.
//
// A job starts at the earliest moment at which it is submitted, its predecessors have ended, and
// its devices are free for all of its running time. A later job may fill a gap, but it delays no
// earlier job (conservative backfilling: Mu'alem and Feitelson 2001). A job runs without pauses,
// for as long as it really ran, on the pool where it really ran, and uses the same energy. Pure.

#include <optional>
#include <span>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/ledger/ledger.h"
#include "core/signal/intensity.h"
#include "service/views/figures.h"

namespace ebb::service {

/// A job to be placed: how it was submitted, and how long it ran.
struct ComingJob {
  core::JobId id = 0;
  Time submitted{};
  int pool = 0;
  int devices = 1;
  Duration length{};               ///< running time, without pauses
  std::vector<core::JobId> after;  ///< predecessors; one that is not in the list has ended
};

/// An earlier job, whose place is known.
struct TakenPlace {
  core::JobId id = 0;
  int pool = 0;
  int devices = 1;
  Interval place;
};

/// When each job would have started. `jobs` are in the order of their ids. Nothing for a job whose
/// pool has too few devices, and for a job that depends on such a job.
std::vector<std::optional<Time>> FirstComeStarts(std::span<const ComingJob> jobs,
                                                 const core::Cluster& cluster,
                                                 std::span<const TakenPlace> taken = {});

/// How a job's energy is spread over its running time, in pieces of equal length: a short form of
/// its ledger, which may be long.
class EnergyProfile {
 public:
  EnergyProfile() = default;
  explicit EnergyProfile(const std::vector<core::LedgerRow>& rows);

  Duration length() const { return length_; }
  /// The intensity of some of the energy is unknown, and so are the job's emissions.
  bool has_unknown() const { return has_unknown_; }
  /// The emissions if the job had started at `start`; nothing: the signal lacks some of the hours.
  std::optional<Emissions> At(Time start, const core::IntensitySeries& signal) const;
  /// Half of the 95 % interval, in grams, of what the job saved by running in `stretches` (in
  /// order) instead of from `start` on. All energy counts as measured in the most uncertain way in
  /// which any of it was measured.
  double HalfWidthOfSaving(const std::vector<Interval>& stretches, Time start,
                           const core::IntensitySeries& signal) const;

 private:
  Interval Piece(std::size_t index, Time start) const;
  void Spread(Interval place, double kwh);
  std::vector<core::LedgerRow> RowsIn(const std::vector<Interval>& stretches,
                                      const core::IntensitySeries& signal) const;

  Duration length_{};
  std::vector<double> facility_kwh_;
  bool has_unknown_ = false;
  core::LedgerRow least_sure_;  // the first of the rows with the largest uncertainty
};

}  // namespace ebb::service
