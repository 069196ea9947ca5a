// Compute Gardener's metric names, for dashboards that are built on them. Its pods are our jobs
// ("NAME-ID"), its namespaces our tiers, its nodes our sites, its regions our zones.
//
// Source of the names and labels: github.com/elevated-systems/compute-gardener-scheduler. What is
// not served, and why: docs/metrics.md.

#include <algorithm>
#include <map>

#include "base/exposition.h"
#include "web/metrics/metrics.h"

namespace ebb::web {
namespace {

using enum Exposition::Type;
using service::JobCard;

const std::string kPrefix = "compute_gardener_scheduler_";

std::string PodOf(const JobCard& card) {
  const core::Job& job = card.submission->job;
  return job.name + "-" + std::to_string(job.id);
}

std::string NamespaceOf(const std::string& tier) { return tier.empty() ? "default" : tier; }

std::string NamespaceOf(const JobCard& card) { return NamespaceOf(card.submission->job.tier); }

const core::Site* SiteOf(const service::View& view, int pool) {
  if (pool < 0 || static_cast<std::size_t>(pool) >= view.cluster.pools.size()) return nullptr;
  return &view.cluster.SiteOf(pool);
}

void WriteScheduling(const service::View& view, const Health& health, Exposition& out) {
  const service::Counters& counters = view.counters;
  out.Metric(kPrefix + "carbon_intensity", kGauge, "Carbon intensity of the grid now (g/kWh).");
  for (const SignalHealth& signal : health.signals)
    if (signal.value)
      out.Value(
          ExpositionLabels({{"region", signal.zone},
                            {"data_status", signal.state == "measured" ? "real" : "estimated"}}),
          signal.value->g_per_kwh);
  out.Metric(kPrefix + "pod_scheduling_duration_seconds", kHistogram,
             "How long the policy planned, per decision.");
  out.Histogram(ExpositionLabels({{"result", "filter"}}), service::DurationCounts::Bounds(),
                counters.planning.counts, counters.planning.sum_s);
  const auto starts = [&](std::initializer_list<core::GateRule> rules) {
    std::int64_t sum = 0;
    for (const core::GateRule rule : rules)
      if (const auto found = counters.starts.find(rule); found != counters.starts.end())
        sum += found->second;
    return static_cast<double>(sum);
  };
  out.Metric(kPrefix + "scheduling_attempt_total", kCounter,
             "Starts at the latest moment, and starts that did not look at the grid.");
  using enum core::GateRule;
  out.Value(ExpositionLabels({{"result", "max_delay_exceeded"}}),
            starts({kLatestStart, kCompulsory}));
  out.Value(ExpositionLabels({{"result", "skipped"}}), starts({kRunNow, kAskedFor}));
  out.Metric(kPrefix + "carbon_delay_total", kCounter,
             "Jobs that began to wait for cleaner power.");
  for (const SignalHealth& signal : health.signals)
    out.Value(ExpositionLabels({{"region", signal.zone}}),
              static_cast<double>(counters.carbon_delays));
  out.Metric(kPrefix + "node_pue", kGauge, "Power usage effectiveness.");
  for (const core::Site& site : view.cluster.sites)
    out.Value(ExpositionLabels({{"node", site.name}}), site.pue.ratio);
}

// The mean power over the parts of the job that have ended.
std::optional<double> MeanPower(const JobCard& card) {
  Duration ran{0};
  for (const Interval& stretch : card.stretches)
    if (stretch.end != Time::max()) ran += stretch.length();
  if (ran <= Duration::zero()) return std::nullopt;
  return card.energy.joules() / Seconds(ran);
}

void WritePower(const service::View& view, const MeteredJobs& metered, Exposition& out) {
  out.Metric(kPrefix + "node_power_estimate_watts", kGauge,
             "Power of a job: the latest while it runs, the mean once it has ended.");
  for (const MeteredJob& job : metered.jobs) {
    const int pool = job.running ? job.running->pool : job.card->explanation.pool;
    const core::Site* site = SiteOf(view, pool);
    const auto power =
        job.running ? std::optional(job.running->figures.power.watts) : MeanPower(*job.card);
    if (power)
      out.Value(ExpositionLabels({{"node", site ? site->name : ""},
                                  {"pod", PodOf(*job.card)},
                                  {"phase", job.running ? "current" : "final"}}),
                *power);
  }
}

std::optional<double> SavedGrams(const JobCard& card) {
  if (!card.emitted() || !card.emissions_at_submission) return std::nullopt;
  return card.emissions_at_submission->grams - card.emitted()->grams;
}

void WriteJobs(const MeteredJobs& metered, Exposition& out) {
  const auto of_each = [&](const char* name, const char* help, const auto& value) {
    out.Metric(kPrefix + name, kGauge, help);
    for (const MeteredJob& job : metered.jobs)
      if (const std::optional<double> known = value(*job.card))
        out.Value(
            ExpositionLabels({{"pod", PodOf(*job.card)}, {"namespace", NamespaceOf(*job.card)}}),
            *known);
  };
  const auto grams = [](const std::optional<Emissions>& emissions) {
    return emissions ? std::optional(emissions->grams) : std::nullopt;
  };
  of_each("job_energy_usage_kwh", "Energy of a job, without PUE.",
          [](const JobCard& card) { return std::optional(card.energy.kwh()); });
  of_each("job_gpu_energy_usage_kwh", "The part of it that GPUs used, without PUE.",
          [](const JobCard& card) {
            return card.gpu_energy ? std::optional(card.gpu_energy->kwh()) : std::nullopt;
          });
  of_each("job_carbon_emissions_grams", "CO2eq of a job, PUE included.",
          [&](const JobCard& card) { return grams(card.emitted()); });
  of_each("job_counterfactual_carbon_emissions_grams",
          "Of the same energy, had it run when it was submitted.",
          [&](const JobCard& card) { return grams(card.emissions_at_submission); });
  out.Metric(kPrefix + "estimated_savings", kGauge, "The difference; negative: it got worse.");
  for (const MeteredJob& job : metered.jobs)
    if (const auto saved = SavedGrams(*job.card))
      out.Value(ExpositionLabels({{"type", "carbon"},
                                  {"unit", "grams"},
                                  {"method", "timeseries"},
                                  {"pod", PodOf(*job.card)},
                                  {"namespace", NamespaceOf(*job.card)}}),
                *saved);
}

// Writes energy budgets: Compute Gardener has no other kind.
void WriteBudgets(const service::View& view, const MeteredJobs& metered, Exposition& out) {
  out.Metric(kPrefix + "energy_budget_usage_percent", kGauge,
             "Of the job's energy budget, PUE included.");
  for (const MeteredJob& job : metered.jobs) {
    const int pool = job.running ? job.running->pool : job.card->explanation.pool;
    const core::Site* site = SiteOf(view, pool);
    const auto& limit = job.card->submission->budget.energy;
    if (!limit || !site) continue;
    out.Value(ExpositionLabels({{"pod", PodOf(*job.card)}, {"namespace", NamespaceOf(*job.card)}}),
              100 * job.card->energy.kwh() * site->pue.ratio / limit->kwh());
  }
  out.Metric(kPrefix + "energy_budget_exceeded_total", kCounter, "Energy budgets used up.");
  // A tier may also be named "default".
  std::map<std::string, double> exceeded;
  for (const auto& [kind, count] : view.counters.budgets_reached)
    if (kind.measure == core::BudgetMeasure::kEnergy)
      exceeded[ExpositionLabels({{"namespace", NamespaceOf(kind.tier)},
                                 {"owner_kind", "Job"},
                                 {"action", core::Name(kind.action)}})] +=
          static_cast<double>(count);
  for (const auto& [labels, count] : exceeded) out.Value(labels, count);
}

void WriteEfficiency(const service::View& view, const MeteredJobs& metered, Exposition& out) {
  out.Metric(kPrefix + "scheduling_efficiency", kGauge,
             "Mean intensity had it run when it was submitted, minus that of its run (g/kWh).");
  for (const MeteredJob& job : metered.jobs) {
    const auto saved = SavedGrams(*job.card);
    const core::Site* site = SiteOf(view, job.card->explanation.pool);
    const double kwh = job.card->energy.kwh() * (site ? site->pue.ratio : 1);
    if (saved && kwh > 0)
      out.Value(ExpositionLabels({{"metric", "carbon_intensity_delta"}, {"pod", PodOf(*job.card)}}),
                *saved / kwh);
  }
}

}  // namespace

std::string CompatibleMetricsText(const service::View& view, const Health& health, Time now,
                                  const MetricsOptions& options) {
  Exposition out;
  const MeteredJobs metered = MeteredJobsOf(view, now, options);
  WriteScheduling(view, health, out);
  WritePower(view, metered, out);
  WriteJobs(metered, out);
  WriteBudgets(view, metered, out);
  WriteEfficiency(view, metered, out);
  return out.Take();
}

}  // namespace ebb::web
