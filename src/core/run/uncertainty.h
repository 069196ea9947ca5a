#pragma once
// The uncertainty of figures of energy and emissions. Each way in which joules and intensities come
// about has a relative bound (half the width of a 95 % interval, the tables below and
// docs/METHOD.md with their sources). Within one way all errors are taken as one error (fully
// correlated: a meter that reads 5 % high does so in every row); different ways are independent.
//
// With the grams C[s][k] on energy of way s at intensity of way k, bounds U[s] and V[k]:
//
//   half width = sqrt( sum_s (U[s] C[s])^2 + sum_k (V[k] C[k])^2 + sum_sk (U[s] V[k] C[s][k] / 2)^2
//   )
//
// which is twice the standard deviation of sum C[s][k] (1 + e[s]) (1 + f[k]) for independent errors
// of zero mean, exactly (GUM, JCGM 100:2008, section 5.1, with the second-order term; coverage
// factor 2). Energy: sqrt( sum_s (U[s] E[s])^2 ). PUE counts as exact: it is the user's figure.

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/run/run.h"

namespace ebb::core {

/// The origin of one component's joules. `shared`: the figure of the whole was divided, by use or,
/// for a GPU, by its slices; then even a counted figure is an estimate.
struct EnergyWay {
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  bool shared = false;
};
/// The way of a row in a run with this scope: processors and memory are shared by use in a process
/// tree, a GPU if its row says so.
EnergyWay WayOf(const LedgerRow& row, MeterScope scope);
/// True for a sensor's reading of a whole device. All other ways are estimates.
bool IsMeasured(EnergyWay way);

/// Half of the 95 % interval as a share of the figure.
double RelativeBound(EnergyWay way);
double RelativeBound(SampleStatus intensity);

/// A 95 % interval, in the unit of the figure.
struct Band {
  double low = 0;  ///< never below 0
  double high = 0;
};
Band BandOf(double value, double half_width);

struct Uncertainty {
  double energy_share = 0;     ///< half width / energy
  double emissions_share = 0;  ///< half width / emissions of the part with known intensity
  Energy measured;             ///< the part of the energy that is measured
};
Uncertainty UncertaintyOf(const std::vector<LedgerRow>& rows, MeterScope scope);

/// Uncertainty row by row, for sums over many runs. All errors of one way count as one error here
/// too, whatever the machine, which is the widest that they can be.
class UncertaintySum {
 public:
  /// `exact_intensity`: the row's intensity is a stated figure (of a contract), without an error.
  void Add(const LedgerRow& row, MeterScope scope, bool exact_intensity = false);
  Uncertainty Value() const;

 private:
  static constexpr std::size_t kWays = 3 * 3 * 2;
  static constexpr std::size_t kColumns = 4 + 1;  ///< statuses of the intensity, and exact
  std::array<double, kWays> joules_{};
  std::array<std::array<double, kColumns>, kWays> grams_{};
  double all_joules_ = 0, all_grams_ = 0;
  Energy measured_;
};

/// Agreement between the errors of one status' values at different hours. 1: they are one error; 0:
/// they are independent (docs/METHOD.md, Uncertainty).
struct HourCorrelation {
  double within_day = 1;  ///< correlation of two hours of one day (UTC)
  double across_days = 1;
};
HourCorrelation CorrelationOfHours(SampleStatus intensity);

/// Half of the 95 % interval, in grams, of a difference: the same energy in other hours. Rows are
/// cut where the signal changes. An error of the energy is the same on both sides, so it only
/// scales the difference. An error of the intensity is one error within an hour and a status, and
/// errors of different hours correlate as CorrelationOfHours says. With the grams D by which both
/// sides differ on energy of way s and intensity of status k in hour h of day d, U and V as above,
/// and
///
///   N(D) = across D^2 + (within - across) sum_d D_d^2 + (1 - within) sum_h D_h^2:
///
///   half width = sqrt( sum_s (U D_s)^2 + sum_k V^2 N(D_k) + sum_sk (U V / 2)^2 N(D_sk) )
///
/// Rows without a known intensity are left out on both sides.
double HalfWidthOfDifference(const std::vector<LedgerRow>& one, const std::vector<LedgerRow>& other,
                             MeterScope scope);

/// Half width of a sum of such differences, of many runs on one signal.
class DifferenceSum {
 public:
  void Add(const std::vector<LedgerRow>& one, const std::vector<LedgerRow>& other,
           MeterScope scope);
  void Add(const DifferenceSum& more);
  double HalfWidth() const;

 private:
  void AddGrams(const std::vector<LedgerRow>& rows, MeterScope scope, double sign);
  /// Grams by way, status and hour.
  std::map<std::tuple<std::size_t, std::size_t, Time>, double> grams_;
};

}  // namespace ebb::core
