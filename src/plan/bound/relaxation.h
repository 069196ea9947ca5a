#pragma once
// The problem behind lower_bound.h with its capacity relaxed: every step of time and pool has a
// rent per device-hour, and each job alone takes its cheapest place under price plus rent, exactly.
// Private to the bound.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/bound/cheapest_bits.h"
#include "plan/bound/lower_bound.h"
#include "plan/bound/moved_windows.h"

namespace ebb::plan {

/// Values by pool and step.
using PoolSteps = std::vector<std::vector<double>>;

/// Something with relaxed capacity that a climb can ask for a bound and its slope.
class Relaxed {
 public:
  virtual ~Relaxed() = default;

  /// Least cost of the jobs under `rents`, less the rent of all free device-hours. Fills excess().
  virtual double Evaluate(const PoolSteps& rents) = 0;
  /// Number of places that one Evaluate looks at.
  virtual std::int64_t places() const = 0;
  /// Device-hours that jobs ask for beyond the capacity.
  const PoolSteps& excess() const { return asked_; }
  /// Free device-hours.
  const PoolSteps& capacity() const { return capacity_; }
  PoolSteps NoRents() const;

 protected:
  PoolSteps capacity_;  ///< free device-hours
  PoolSteps asked_;     ///< device-hours that jobs ask for
};

class Relaxation final : public Relaxed {
 public:
  /// The relaxation of all jobs.
  explicit Relaxation(const BoundInput& input);
  /// The relaxation of some jobs. The capacity shrinks with their share of the device-hours.
  Relaxation(const BoundInput& input, std::vector<std::size_t> jobs);

  /// A bound for any rents >= 0, without BoundInput::constant.
  double Evaluate(const PoolSteps& rents) override;
  std::int64_t places() const override { return places_; }

 private:
  // A moment as a step and the hours into it.
  struct Position {
    std::size_t step = 0;
    double hours = 0;
  };
  struct Window {
    double cost = 0;
    int pool = -1;
    Time begin{};
    Duration length{};
  };
  struct Scan;
  struct Edges;

  void CountPlaces();
  void TakeAway(const BoundInput::Taken& taken);
  Position At(Time time) const;
  std::size_t FirstEdgeAfter(Time time) const;
  double SumTo(const BoundJob& job, const BoundChoice& choice, Position at) const;
  double InOnePiece(const BoundJob& job);
  void ScanChoice(const BoundJob& job, const BoundChoice& choice, Window& best);
  void ScanMoved(const BoundJob& job, const BoundChoice& choice, Window& best);
  Edges BeginsOf(const Scan& scan) const;
  Edges EndsOf(const Scan& scan) const;
  void KeepLowest(const Scan& scan, Edges edges, Duration back, Window& best) const;
  void ScanShort(const Scan& scan, Edges begins, Edges ends, Window& best);
  void ScanLong(const Scan& scan, Edges begins, Edges ends, Window& best);
  double InBits(const BoundJob& job);
  void Ask(int pool, int width, Interval time);

  const BoundInput& input_;
  const PriceCurve& curve_;  ///< any of the curves: all have the same steps
  std::vector<std::size_t> jobs_;
  std::int64_t places_ = 0;
  const PoolSteps* rents_ = nullptr;
  PoolSteps sums_;  ///< sum of rent x hours before each edge
  std::vector<double> costs_;
  std::vector<double> both_sums_;  ///< price and rent x hours before each edge, for one job
  MovedWindows moved_windows_;
  CheapestBits bits_;
};

}  // namespace ebb::plan
