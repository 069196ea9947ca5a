#include "sim/published.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"

namespace ebb::sim {
namespace {

struct Question {
  const core::Cluster& cluster;
  const Simulation& simulation;
  const Simulation& run_now;
  Truth truth;
  int site = 0;
};
using Answer = std::optional<double> (*)(const Question&);

struct MetricInfo {
  std::string_view name;
  std::string_view meaning;  // for readers of this table
  bool takes_site = false;
};
struct Metric {
  MetricInfo info;
  Answer answer;
};

// Mean over jobs; nothing if the value of one job is unknown.
template <typename Value>
std::optional<double> MeanOverJobs(const Question& question, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i < question.simulation.jobs.size(); ++i) {
    const std::optional<double> one =
        value(question.simulation.jobs[i], question.simulation.outcomes[i]);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(question.simulation.jobs.size());
}

std::optional<double> IntensityAt(const Question& question, int site, Time time) {
  const auto& series = question.truth[static_cast<std::size_t>(site)].series();
  const core::Sample* sample = series.At(time);
  if (!sample) return std::nullopt;
  return sample->intensity.g_per_kwh;
}

int SiteOf(const Question& question, const JobOutcome& outcome) {
  return question.cluster.pools[static_cast<std::size_t>(outcome.segments.front().pool)].site;
}

std::optional<double> MeanStart(const Question& question) {
  return MeanOverJobs(question, [&](const core::Job&, const JobOutcome& outcome) {
    return IntensityAt(question, SiteOf(question, outcome), outcome.started());
  });
}

std::optional<double> MeanSubmission(const Question& question) {
  return MeanOverJobs(question, [&](const core::Job& job, const JobOutcome& outcome) {
    return IntensityAt(question, SiteOf(question, outcome), job.submitted);
  });
}

std::optional<double> MeanStartAtSite(const Question& question) {
  return MeanOverJobs(question, [&](const core::Job&, const JobOutcome& outcome) {
    return IntensityAt(question, question.site, outcome.started());
  });
}

// Mean over jobs of the intensity at which each ran: its grams by its own energy, without PUE.
std::optional<double> MeanExecution(const Question& question) {
  return MeanOverJobs(
      question, [&](const core::Job&, const JobOutcome& outcome) -> std::optional<double> {
        const Energy known = outcome.use.energy - outcome.use.energy_without_intensity;
        const double pue = question.cluster.SiteOf(outcome.segments.front().pool).pue.ratio;
        if (!(known > Energy{})) return std::nullopt;
        return outcome.use.emissions.grams / known.kwh() / pue;
      });
}

// Returns nothing if some energy has no known intensity, which does not mean 0 g.
std::optional<double> Grams(const Simulation& simulation) {
  if (simulation.use.energy_without_intensity > Energy{}) return std::nullopt;
  return simulation.use.emissions.grams;
}

std::optional<double> PercentBelow(std::optional<double> value, std::optional<double> reference) {
  if (!value || !reference || *reference <= 0) return std::nullopt;
  return 100 * (1 - *value / *reference);
}

const std::array<Metric, 15>& Metrics() {
  static const std::array<Metric, 15> metrics{{
      {{"jobs", "number of jobs"},
       [](const Question& q) -> std::optional<double> {
         return static_cast<double>(q.simulation.jobs.size());
       }},
      {{"emissions_g", "emissions of all jobs"},
       [](const Question& q) -> std::optional<double> { return Grams(q.simulation); }},
      {{"energy_kwh", "energy of all jobs"},
       [](const Question& q) -> std::optional<double> { return q.simulation.use.energy.kwh(); }},
      {{"mean_g_per_kwh", "emissions by energy"},
       [](const Question& q) -> std::optional<double> {
         const Use& use = q.simulation.use;
         const Energy known = use.energy - use.energy_without_intensity;
         if (!(known > Energy{})) return std::nullopt;
         return use.emissions.grams / known.kwh();
       }},
      {{"submission_mean_g_per_kwh", "mean over jobs of the intensity at submission"},
       MeanSubmission},
      {{"start_mean_g_per_kwh", "mean over jobs of the intensity at the start"}, MeanStart},
      {{"execution_mean_g_per_kwh", "mean over jobs of the intensity while running"},
       MeanExecution},
      {{"mean_delay_h", "mean over jobs of the time from submission to start"},
       [](const Question& q) {
         return MeanOverJobs(
             q, [](const core::Job& job, const JobOutcome& outcome) -> std::optional<double> {
               return Hours(outcome.started() - job.submitted);
             });
       }},
      {{"makespan_h", "from the start date to the end of the last job"},
       [](const Question& q) -> std::optional<double> {
         return Hours(q.simulation.span().length());
       }},
      {{"saved_g", "emissions below those of run-now"},
       [](const Question& q) -> std::optional<double> {
         const auto now = Grams(q.run_now), then = Grams(q.simulation);
         if (!now || !then) return std::nullopt;
         return *now - *then;
       }},
      {{"saving_percent", "emissions below those of run-now"},
       [](const Question& q) { return PercentBelow(Grams(q.simulation), Grams(q.run_now)); }},
      {{"late_starts", "jobs that started after their latest start"},
       [](const Question& q) -> std::optional<double> {
         double late = 0;
         for (std::size_t i = 0; i < q.simulation.jobs.size(); ++i) {
           const auto& start_by = q.simulation.jobs[i].start_by;
           if (start_by && q.simulation.outcomes[i].started() > *start_by) ++late;
         }
         return late;
       }},
      {{"jobs_at_site", "jobs that ran at the site", true},
       [](const Question& q) -> std::optional<double> {
         double count = 0;
         for (const JobOutcome& outcome : q.simulation.outcomes)
           if (SiteOf(q, outcome) == q.site) ++count;
         return count;
       }},
      {{"start_mean_g_per_kwh_at_site", "mean over jobs of the site's intensity at the start",
        true},
       MeanStartAtSite},
      {{"start_percent_below_site",
        "how far the mean intensity at the start is below the site's at the same moments", true},
       [](const Question& q) -> std::optional<double> {
         const auto chosen = MeanStart(q);
         if (!chosen) return std::nullopt;
         return PercentBelow(*chosen, MeanStartAtSite(q));
       }},
  }};
  return metrics;
}

struct Parsed {
  const Metric* metric = nullptr;
  int site = 0;
};

Result<Parsed> Parse(const std::string& text, const core::Cluster& cluster) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names, sites;
  for (const core::Site& site : cluster.sites) sites.push_back(site.name);
  for (const Metric& metric : Metrics()) {
    names.emplace_back(metric.info.name);
    if (metric.info.name != name) continue;
    const std::string site = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (!metric.info.takes_site && site.empty()) return Parsed{&metric, 0};
    const auto at = std::find(sites.begin(), sites.end(), site);
    if (metric.info.takes_site && at != sites.end())
      return Parsed{&metric, static_cast<int>(at - sites.begin())};
    return Fail({ExitCode::kConfiguration,
                 "metric " + name +
                     (metric.info.takes_site ? " needs a site: " : " takes no site: ") +
                     Join(sites, ", ") + SuggestionText(site, sites),
                 "", ""});
  }
  return Fail({ExitCode::kConfiguration,
               "metric \"" + name + "\" is unknown" + SuggestionText(name, names), "",
               "known are " + Join(names, ", ")});
}

}  // namespace

Status CheckMetric(const std::string& metric, const core::Cluster& cluster) {
  EBB_RETURN_IF_ERROR(Parse(metric, cluster));
  return {};
}

std::optional<double> MetricValue(const std::string& metric, const core::Cluster& cluster,
                                  const Simulation& simulation, const Simulation& run_now,
                                  Truth truth) {
  const auto parsed = Parse(metric, cluster);
  if (!parsed) return std::nullopt;
  return parsed->metric->answer({cluster, simulation, run_now, truth, parsed->site});
}

}  // namespace ebb::sim
