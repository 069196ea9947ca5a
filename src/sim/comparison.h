#pragma once
// Policies side by side over start dates. Every saving is a difference of grams for the same jobs
// on the same devices: against first come, first served (run-now), against running at once by
// deadline (edf), and as a share of the saving of the best schedule in hindsight: (run-now -
// policy) / (run-now - bound), in grams summed over start dates. Definitions: docs/simulate.md. The
// use of free devices stands beside the savings, or inside on request. Pure.

#include <optional>
#include <string>
#include <vector>

#include "core/ledger/cost.h"
#include "sim/bootstrap.h"
#include "sim/place_and_time.h"
#include "sim/simulation.h"

namespace ebb::sim {

inline constexpr const char* kRunNow = "run-now";
inline constexpr const char* kEarliestDeadline = "edf";

/// The figures of one simulation that a comparison needs.
struct StartFigures {
  Time start{};
  Use use, idle;
  Energy pause_energy;
  int pauses = 0;
  Use move_use;  ///< part of `use`: what moves between sites took
  int moves = 0;
  int late_starts = 0;  ///< jobs that started after their latest start
  int late_ends = 0;    ///< jobs that ended after finish_by
  Duration makespan{0};
  core::Cost cost;  ///< cost of the electricity; filled by the caller, who knows the prices
  std::vector<double> wait_h;   ///< by job: from submission to the first start
  std::vector<double> stretch;  ///< by job: submission to end, divided by the shortest run time
};
StartFigures FiguresOf(const Simulation& simulation, const core::Cluster& cluster);

/// One policy over all start dates.
struct PolicyFigures {
  std::string label;
  std::string policy;
  std::vector<StartFigures> starts;

  Use use, idle;  ///< sums over start dates
  core::Cost cost;
  /// Percent saved against run-now, on sums over start dates; negative means worse. Absent if
  /// energy of either has no price, or if run-now's cost is not above 0.
  std::optional<double> cost_saving_percent;
  Energy pause_energy;
  Use move_use;  ///< part of `use`
  int moves = 0;
  int pauses = 0, late_starts = 0, late_ends = 0, jobs = 0;
  int worse_than_run_now = 0;  ///< number of start dates
  double mean_wait_h = 0, p95_wait_h = 0, mean_stretch = 0, mean_makespan_h = 0;
  std::optional<Estimate> saving_percent;          ///< against run-now
  std::optional<Estimate> saving_on_edf_percent;   ///< against edf
  std::optional<Estimate> share_captured_percent;  ///< percent of the hindsight saving
  /// Percent saved against run-now, with the use of free devices counted on both sides.
  std::optional<Estimate> saving_with_idle_percent;
};

struct Comparison {
  std::vector<Time> starts;
  std::vector<PolicyFigures> policies;
  /// Indices of the start dates at which all emissions of every policy are known. Savings, shares
  /// and counts of worse start dates are over these dates: unknown is not 0 g.
  std::vector<std::size_t> known_starts;
  std::vector<double> bound_g;  ///< bound by start date; empty if none was computed
  std::string bound_method;
  std::optional<Estimate> bound_saving_percent;
  /// The worth of place and time for the jobs, summed over start dates. Absent unless every job
  /// has a home and all of its alternatives are known.
  std::optional<PlaceAndTime> place_and_time;

  /// The bounds of the known start dates.
  std::vector<double> KnownBound() const;
};

/// Computes sums and estimates. `idle` decides whether savings and shares include free devices.
/// Each of `policies` has a label, a policy and one StartFigures per start date, in the same order;
/// those named kRunNow and kEarliestDeadline are the references.
Comparison Compare(std::vector<PolicyFigures> policies, std::vector<double> bound_g,
                   std::string bound_method, const Bootstrap& bootstrap,
                   IdleDraw idle = IdleDraw::kBeside);

const PolicyFigures* FindPolicy(const Comparison& comparison, const std::string& policy);

}  // namespace ebb::sim
