#pragma once
// Policies side by side over start dates. Every saving is a difference of grams for the same jobs
// on the same devices: against first come, first served (run-now), against running at once by
// deadline (edf), and as a share of what the best schedule in hindsight would have saved:
// (run-now - policy) / (run-now - bound), in grams summed over start dates. Definitions:
// docs/simulate.md. What free devices draw stands beside, or inside on request. Pure.

#include <optional>
#include <string>
#include <vector>

#include "core/cost.h"
#include "sim/bootstrap.h"
#include "sim/simulation.h"

namespace ebb::sim {

inline constexpr const char* kRunNow = "run-now";
inline constexpr const char* kEarliestDeadline = "edf";

/// What counts of one simulation.
struct StartFigures {
  Time start{};
  Use use, idle;
  Energy pause_energy;
  int pauses = 0;
  int late_starts = 0;  ///< started after their latest start
  int late_ends = 0;    ///< ended after finish_by
  Duration makespan{0};
  core::Cost cost;              ///< of the electricity; filled by who knows the prices
  std::vector<double> wait_h;   ///< by job: from submission to the first start
  std::vector<double> stretch;  ///< by job: from submission to the end, by the shortest run time
};
StartFigures FiguresOf(const Simulation& simulation, const core::Cluster& cluster);

/// One policy over all start dates.
struct PolicyFigures {
  std::string label;
  std::string policy;
  std::vector<StartFigures> starts;

  Use use, idle;  ///< sums
  core::Cost cost;
  /// Against run-now, on sums over start dates; negative: worse. Absent where energy of either has
  /// no price, or run-now's cost is not above 0.
  std::optional<double> cost_saving_percent;
  Energy pause_energy;
  int pauses = 0, late_starts = 0, late_ends = 0, jobs = 0;
  int worse_than_run_now = 0;  ///< start dates
  double mean_wait_h = 0, p95_wait_h = 0, mean_stretch = 0, mean_makespan_h = 0;
  std::optional<Estimate> saving_percent;          ///< against run-now
  std::optional<Estimate> saving_on_edf_percent;   ///< against edf
  std::optional<Estimate> share_captured_percent;  ///< of the hindsight saving
  /// Against run-now, what free devices draw counted on both sides.
  std::optional<Estimate> saving_with_idle_percent;
};

struct Comparison {
  std::vector<Time> starts;
  std::vector<PolicyFigures> policies;
  /// Indices of the start dates of which every policy's emissions are known whole. Savings, shares
  /// and counts of worse ones are of these: what is not known is not 0 g.
  std::vector<std::size_t> known_starts;
  std::vector<double> bound_g;  ///< by start date; empty: none was computed
  std::string bound_method;
  std::optional<Estimate> bound_saving_percent;

  /// Of the known start dates.
  std::vector<double> KnownBound() const;
};

/// Computes sums and estimates; `idle` decides what savings and shares are made of. `policies` hold
/// label, policy and one StartFigures per start date, in the same order; those named kRunNow and
/// kEarliestDeadline are the references.
Comparison Compare(std::vector<PolicyFigures> policies, std::vector<double> bound_g,
                   std::string bound_method, const Bootstrap& bootstrap,
                   IdleDraw idle = IdleDraw::kBeside);

const PolicyFigures* FindPolicy(const Comparison& comparison, const std::string& policy);

}  // namespace ebb::sim
