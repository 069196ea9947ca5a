#include "meter/sharing/apportion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ebb::meter {
namespace {

// Weights of the jobs, then of idle, then of what is unattributed.
using Weights = std::vector<double>;

double Sum(std::span<const JobUse> jobs, double JobUse::*member) {
  double sum = 0;
  for (const JobUse& job : jobs) sum += job.*member;
  return sum;
}

Weights WeightsOf(std::span<const JobUse> jobs, double JobUse::*member, double scale) {
  Weights weights;
  for (const JobUse& job : jobs) weights.push_back(scale * std::max(0.0, job.*member));
  return weights;
}

// All of it is unattributed: what would say whose it is could not be read.
Weights Unknown(std::size_t jobs) {
  Weights weights(jobs + 2, 0.0);
  weights.back() = 1;
  return weights;
}

Weights CpuWeights(Energy energy, const MachineUse& machine, std::span<const JobUse> jobs) {
  if (!machine.busy_cpu_seconds) return Unknown(jobs.size());
  const double by_jobs = Sum(jobs, &JobUse::cpu_seconds);
  // Both come in clock ticks: a few milliseconds may show the jobs busier than the machine.
  const double busy = std::max(*machine.busy_cpu_seconds, by_jobs);
  const double load = std::min(1.0, busy / (machine.seconds * machine.logical_processors));
  double idle_joules = busy > 0 ? 0 : energy.joules();
  if (busy > 0 && machine.cpu_idle_w && machine.seconds > 0)
    idle_joules = std::min(energy.joules(), *machine.cpu_idle_w * machine.seconds * (1 - load));
  const double per_cpu_second = busy > 0 ? (energy.joules() - idle_joules) / busy : 0;
  Weights weights = WeightsOf(jobs, &JobUse::cpu_seconds, per_cpu_second);
  weights.push_back(idle_joules);
  weights.push_back((busy - by_jobs) * per_cpu_second);
  return weights;
}

Weights RamWeights(const MachineUse& machine, std::span<const JobUse> jobs) {
  if (machine.total_bytes <= 0) return Unknown(jobs.size());
  const double by_jobs = Sum(jobs, &JobUse::resident_bytes);
  const double used = std::max(machine.used_bytes.value_or(by_jobs), by_jobs);
  Weights weights = WeightsOf(jobs, &JobUse::resident_bytes, 1);
  const double free = std::max(0.0, machine.total_bytes - used);
  // Where nobody knows what the others use, none of the rest can be called idle.
  weights.push_back(machine.used_bytes ? free : 0);
  weights.push_back(machine.used_bytes ? used - by_jobs : std::max(0.0, free));
  return weights;
}

Weights GpuWeights(const MachineUse& machine, std::span<const JobUse> jobs) {
  const double held = Sum(jobs, &JobUse::held);
  const double slack = 1e-9;
  if (held <= 1 + slack) {
    Weights weights = WeightsOf(jobs, &JobUse::held, 1);
    const bool others = machine.sliced || machine.foreign_busy > 0;
    const double rest = std::max(0.0, 1 - held);
    weights.push_back(others ? 0 : rest);
    weights.push_back(others ? rest : 0);
    return weights;
  }
  const double busy = Sum(jobs, &JobUse::busy);
  const bool by_use = machine.busy_known && busy + machine.foreign_busy > 0;
  Weights weights = WeightsOf(jobs, by_use ? &JobUse::busy : &JobUse::held, 1);
  weights.push_back(0);
  weights.push_back(by_use ? machine.foreign_busy : 0);
  return weights;
}

// Idle energy by reserved parts; what nobody reserved stays.
void ShareIdle(std::span<const JobUse> jobs, Weights& weights) {
  double& idle = weights[jobs.size()];
  const double all = idle;
  const double reserved = std::max(1.0, Sum(jobs, &JobUse::reserved));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double part = all * std::max(0.0, jobs[i].reserved) / reserved;
    weights[i] += part;
    idle -= part;
  }
  idle = std::max(0.0, idle);
}

}  // namespace

std::vector<Energy> SplitExactly(Energy total, std::span<const double> weights) {
  std::vector<Energy> parts(weights.size());
  long double sum = 0;
  for (const double weight : weights) sum += std::max(0.0, weight);
  if (!(sum > 0) || !std::isfinite(static_cast<double>(sum))) return parts;
  std::vector<long double> missing(weights.size());
  std::int64_t left = total.microjoules();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double due =
        static_cast<long double>(total.microjoules()) * std::max(0.0, weights[i]) / sum;
    const auto whole = std::min(left, static_cast<std::int64_t>(std::floor(due)));
    parts[i] = Energy::Microjoules(whole);
    missing[i] = weights[i] > 0 ? due - static_cast<long double>(whole) : -1;
    left -= whole;
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return missing[a] > missing[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left)
    parts[order[i % order.size()]] += Energy::Microjoules(1);
  return parts;
}

Apportioned Apportion(Energy energy, core::Component component, const MachineUse& machine,
                      std::span<const JobUse> jobs, IdleRule rule) {
  Weights weights;
  switch (component) {
    case core::Component::kCpu:
      weights = CpuWeights(energy, machine, jobs);
      break;
    case core::Component::kRam:
      weights = RamWeights(machine, jobs);
      break;
    case core::Component::kGpu:
      weights = GpuWeights(machine, jobs);
      break;
  }
  if (rule == IdleRule::kShare && component != core::Component::kGpu) ShareIdle(jobs, weights);
  if (!(std::accumulate(weights.begin(), weights.end(), 0.0) > 0)) weights = Unknown(jobs.size());
  std::vector<Energy> parts = SplitExactly(energy, weights);
  Apportioned result;
  result.unattributed = parts[jobs.size() + 1];
  result.idle = parts[jobs.size()];
  parts.resize(jobs.size());
  result.jobs = std::move(parts);
  return result;
}

}  // namespace ebb::meter
