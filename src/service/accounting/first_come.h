#pragma once
// First come, first served: what would have been, had every job run as soon as its devices were
// free, in the order of submission, whatever the grid. The baseline of the service's savings.
//
// A job starts at the earliest moment from its submission, and from the end of those it comes
// after, at which its devices are free for all of its running; a later job may fill a gap, but
// delays none that came before it (conservative backfilling). It runs as long as it really ran,
// pauses closed up, on the devices of the pool where it really ran; with the same energy. Pure.

#include <optional>
#include <span>
#include <vector>

#include "core/cluster.h"
#include "core/intensity.h"
#include "core/job.h"
#include "core/ledger.h"
#include "service/views/figures.h"

namespace ebb::service {

/// A job as it was submitted and as it went.
struct ComingJob {
  core::JobId id = 0;
  Time submitted{};
  int pool = 0;
  int devices = 1;
  Duration length{};               ///< of running
  std::vector<core::JobId> after;  ///< those that are not in the list are over
};

/// A job that came before all of them, and that has its place.
struct TakenPlace {
  core::JobId id = 0;
  int pool = 0;
  int devices = 1;
  Interval place;
};

/// When each would have started, in the order given, which is that of their ids. Nothing where its
/// pool has not got the devices, or where it comes after such a job.
std::vector<std::optional<Time>> FirstComeStarts(std::span<const ComingJob> jobs,
                                                 const core::Cluster& cluster,
                                                 std::span<const TakenPlace> taken = {});

/// Where in its running a job used its energy, in pieces of equal length: what is left of its
/// ledger, which may be long.
class EnergyProfile {
 public:
  EnergyProfile() = default;
  explicit EnergyProfile(const std::vector<core::LedgerRow>& rows);

  Duration length() const { return length_; }
  /// Some of the energy met no known intensity, so that what it emitted is not known.
  bool has_unknown() const { return has_unknown_; }
  /// Had it started at `start`; nothing where the signal does not know all of it.
  std::optional<Emissions> At(Time start, const core::IntensitySeries& signal) const;
  /// Half of the 95 % interval of what it saved by running in `stretches`, in order, instead of
  /// from `start` on; all energy counts as that of the least sure way in which any was read.
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
  core::LedgerRow least_sure_;  // the first of those that are read in the least sure way
};

}  // namespace ebb::service
