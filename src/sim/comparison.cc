#include "sim/comparison.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::sim {
namespace {

double ShortestRunHours(const core::Job& job, const core::Cluster& cluster) {
  std::optional<Duration> shortest;
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool) {
    if (!core::Fits(job, cluster, static_cast<int>(pool))) continue;
    const Duration time = core::HeldOn(job, cluster, -1, static_cast<int>(pool), job.duration);
    shortest = shortest ? std::min(*shortest, time) : time;
  }
  return Hours(shortest.value_or(job.duration));
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The grams of one start date that are compared. Returns nothing if some of the energy has no known
// intensity, which does not mean 0 g.
std::optional<double> Grams(const StartFigures& start, IdleDraw idle) {
  Use use = start.use;
  if (idle == IdleDraw::kInside) use += start.idle;
  if (use.energy_without_intensity > Energy{}) return std::nullopt;
  return use.emissions.grams;
}

// Start dates at which all policies have known emissions, so that savings of all policies are of
// the same dates.
std::vector<std::size_t> KnownStarts(const std::vector<PolicyFigures>& policies, IdleDraw idle) {
  std::vector<std::size_t> known;
  for (std::size_t start = 0; start < policies.front().starts.size(); ++start)
    if (std::all_of(policies.begin(), policies.end(), [&](const PolicyFigures& policy) {
          return Grams(policy.starts[start], idle).has_value();
        }))
      known.push_back(start);
  return known;
}

void SumUp(PolicyFigures& policy) {
  std::vector<double> waits, stretches, makespans;
  for (const StartFigures& start : policy.starts) {
    policy.use += start.use;
    policy.idle += start.idle;
    policy.cost += start.cost;
    policy.pause_energy += start.pause_energy;
    policy.pauses += start.pauses;
    policy.move_use += start.move_use;
    policy.moves += start.moves;
    policy.late_starts += start.late_starts;
    policy.late_ends += start.late_ends;
    policy.jobs += static_cast<int>(start.wait_h.size());
    waits.insert(waits.end(), start.wait_h.begin(), start.wait_h.end());
    stretches.insert(stretches.end(), start.stretch.begin(), start.stretch.end());
    makespans.push_back(Hours(start.makespan));
  }
  policy.mean_wait_h = Mean(waits);
  policy.mean_stretch = Mean(stretches);
  policy.mean_makespan_h = Mean(makespans);
  policy.p95_wait_h = waits.empty() ? 0 : Percentile(std::move(waits), 0.95);
}

std::optional<double> CostSavingPercent(const PolicyFigures& policy, const PolicyFigures& run_now) {
  const core::Cost& reference = run_now.cost;
  if (policy.cost.kwh_without_price > 0 || reference.kwh_without_price > 0 || reference.amount <= 0)
    return std::nullopt;
  return 100 * (reference.amount - policy.cost.amount) / reference.amount;
}

std::vector<double> GramsOf(const PolicyFigures& policy, const std::vector<std::size_t>& starts,
                            IdleDraw idle) {
  std::vector<double> grams;
  for (const std::size_t start : starts) grams.push_back(*Grams(policy.starts[start], idle));
  return grams;
}

// The number of start dates at which a policy emits more than run-now.
int WorseThan(const std::vector<double>& run_now, const std::vector<double>& policy) {
  int worse = 0;
  for (std::size_t i = 0; i < policy.size(); ++i) worse += policy[i] > run_now[i] ? 1 : 0;
  return worse;
}

double SumAt(const std::vector<double>& values, std::span<const std::size_t> indices) {
  double sum = 0;
  for (const std::size_t index : indices) sum += values[index];
  return sum;
}

// 100 (reference - grams) / (reference - floor) over the start dates; floor may be all zero.
std::optional<Estimate> SavingShare(const std::vector<double>& reference,
                                    const std::vector<double>& grams,
                                    const std::vector<double>& floor, const Bootstrap& bootstrap) {
  const Statistic statistic = [&](std::span<const std::size_t> indices) -> std::optional<double> {
    const double from = SumAt(reference, indices);
    const double possible = from - SumAt(floor, indices);
    if (!(possible > 1e-9 * from)) return std::nullopt;
    return 100 * (from - SumAt(grams, indices)) / possible;
  };
  return BootstrapEstimate(reference.size(), statistic, bootstrap.seed, bootstrap.samples);
}

}  // namespace

StartFigures FiguresOf(const Simulation& simulation, const core::Cluster& cluster) {
  StartFigures figures;
  figures.start = simulation.start;
  figures.use = simulation.use;
  figures.idle = simulation.idle;
  figures.pause_energy = simulation.pause_energy;
  figures.pauses = simulation.pauses;
  figures.move_use = simulation.move_use;
  figures.moves = simulation.moves;
  figures.makespan = simulation.span().length();
  for (std::size_t i = 0; i < simulation.jobs.size(); ++i) {
    const core::Job& job = simulation.jobs[i];
    const JobOutcome& outcome = simulation.outcomes[i];
    EBB_CHECK(!outcome.segments.empty());
    if (job.start_by && outcome.started() > *job.start_by) ++figures.late_starts;
    if (job.finish_by && outcome.ended() > *job.finish_by) ++figures.late_ends;
    figures.wait_h.push_back(Hours(outcome.started() - job.submitted));
    figures.stretch.push_back(Hours(outcome.ended() - job.submitted) /
                              ShortestRunHours(job, cluster));
  }
  return figures;
}

const PolicyFigures* FindPolicy(const Comparison& comparison, const std::string& policy) {
  for (const PolicyFigures& figures : comparison.policies)
    if (figures.policy == policy) return &figures;
  return nullptr;
}

std::vector<double> Comparison::KnownBound() const {
  std::vector<double> grams;
  if (bound_g.empty()) return grams;
  for (const std::size_t start : known_starts) grams.push_back(bound_g[start]);
  return grams;
}

Comparison Compare(std::vector<PolicyFigures> policies, std::vector<double> bound_g,
                   std::string bound_method, const Bootstrap& bootstrap, IdleDraw idle) {
  Comparison comparison;
  comparison.policies = std::move(policies);
  comparison.bound_g = std::move(bound_g);
  comparison.bound_method = std::move(bound_method);
  EBB_CHECK(!comparison.policies.empty());
  for (const StartFigures& start : comparison.policies.front().starts)
    comparison.starts.push_back(start.start);
  const PolicyFigures* run_now = FindPolicy(comparison, kRunNow);
  const PolicyFigures* edf = FindPolicy(comparison, kEarliestDeadline);
  comparison.known_starts = KnownStarts(comparison.policies, idle);
  const auto with_idle = KnownStarts(comparison.policies, IdleDraw::kInside);
  const std::vector<double> zero(comparison.starts.size(), 0), bound = comparison.KnownBound();
  const auto grams = [&](const PolicyFigures& policy) {
    return GramsOf(policy, comparison.known_starts, idle);
  };
  const auto saving = [&](const std::vector<double>& from, const std::vector<double>& to) {
    return SavingShare(from, to, zero, bootstrap);
  };
  for (PolicyFigures& policy : comparison.policies) {
    SumUp(policy);
    if (edf) policy.saving_on_edf_percent = saving(grams(*edf), grams(policy));
    if (!run_now) continue;
    policy.worse_than_run_now = WorseThan(grams(*run_now), grams(policy));
    policy.saving_percent = saving(grams(*run_now), grams(policy));
    policy.saving_with_idle_percent = saving(GramsOf(*run_now, with_idle, IdleDraw::kInside),
                                             GramsOf(policy, with_idle, IdleDraw::kInside));
    if (!comparison.bound_g.empty())
      policy.share_captured_percent = SavingShare(grams(*run_now), grams(policy), bound, bootstrap);
  }
  if (run_now)
    for (PolicyFigures& policy : comparison.policies)
      policy.cost_saving_percent = CostSavingPercent(policy, *run_now);
  if (run_now && !comparison.bound_g.empty())
    comparison.bound_saving_percent = saving(grams(*run_now), bound);
  return comparison;
}

}  // namespace ebb::sim
