#include "sim/comparison.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::sim {
namespace {

double ShortestRunHours(const core::Job& job, const core::Cluster& cluster) {
  std::optional<Duration> shortest;
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool) {
    if (!core::Fits(job, cluster, static_cast<int>(pool))) continue;
    const Duration time = core::TimeOn(job, cluster.pools[pool], job.duration);
    shortest = shortest ? std::min(*shortest, time) : time;
  }
  return Hours(shortest.value_or(job.duration));
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// What is compared of one start date.
double Grams(const StartFigures& start, IdleDraw idle) {
  const double draw = idle == IdleDraw::kInside ? start.idle.emissions.grams : 0;
  return start.use.emissions.grams + draw;
}

void SumUp(PolicyFigures& policy, const PolicyFigures* run_now, IdleDraw idle) {
  std::vector<double> waits, stretches, makespans;
  for (std::size_t i = 0; i < policy.starts.size(); ++i) {
    const StartFigures& start = policy.starts[i];
    policy.use += start.use;
    policy.idle += start.idle;
    policy.cost += start.cost;
    policy.pause_energy += start.pause_energy;
    policy.pauses += start.pauses;
    policy.late_starts += start.late_starts;
    policy.late_ends += start.late_ends;
    policy.jobs += static_cast<int>(start.wait_h.size());
    if (run_now && Grams(start, idle) > Grams(run_now->starts[i], idle))
      ++policy.worse_than_run_now;
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

std::vector<double> GramsOf(const PolicyFigures& policy, IdleDraw idle) {
  std::vector<double> grams;
  for (const StartFigures& start : policy.starts) grams.push_back(Grams(start, idle));
  return grams;
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
  const std::vector<double> zero(comparison.starts.size(), 0);
  const auto saving = [&](const PolicyFigures& from, const PolicyFigures& policy, IdleDraw draw) {
    return SavingShare(GramsOf(from, draw), GramsOf(policy, draw), zero, bootstrap);
  };
  for (PolicyFigures& policy : comparison.policies) {
    SumUp(policy, run_now, idle);
    if (run_now) policy.saving_percent = saving(*run_now, policy, idle);
    if (run_now) policy.saving_with_idle_percent = saving(*run_now, policy, IdleDraw::kInside);
    if (edf) policy.saving_on_edf_percent = saving(*edf, policy, idle);
    if (run_now && !comparison.bound_g.empty())
      policy.share_captured_percent = SavingShare(GramsOf(*run_now, idle), GramsOf(policy, idle),
                                                  comparison.bound_g, bootstrap);
  }
  if (run_now)
    for (PolicyFigures& policy : comparison.policies)
      policy.cost_saving_percent = CostSavingPercent(policy, *run_now);
  if (run_now && !comparison.bound_g.empty())
    comparison.bound_saving_percent =
        SavingShare(GramsOf(*run_now, idle), comparison.bound_g, zero, bootstrap);
  return comparison;
}

}  // namespace ebb::sim
