#include "plan/bound/hindsight_bound.h"

#include <algorithm>

#include "core/jobs/widths.h"
#include "plan/bound/efficient_widths.h"
#include "plan/bound/hindsight_flow.h"
#include "plan/bound/lower_bound.h"
#include "plan/problem/slot_prices.h"
#include "plan/problem/task.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr BoundBudget kBudget{1'000'000'000};

Time LatestEnd(const core::Job& job, const core::DevicePool& pool, const HindsightOptions& options,
               Time first_submission) {
  const Time own =
      LatestEndOn(job, pool, job.duration)
          .value_or(job.submitted + options.longest_delay + TimeOn(job, pool, job.duration));
  const Time limit = options.makespan_limit ? first_submission + *options.makespan_limit : own;
  return std::min(own, limit);
}

Time FirstSubmission(std::span<const core::Job> jobs) {
  Time first = jobs.front().submitted;
  for (const core::Job& job : jobs) first = std::min(first, job.submitted);
  return first;
}

// The widths of an elastic job that fit a pool.
std::vector<core::WidthSpeed> WidthsIn(const core::Job& job, const core::Cluster& cluster,
                                       int pool) {
  std::vector<core::WidthSpeed> widths = core::WidthsOf(job);
  std::erase_if(widths, [&](const core::WidthSpeed& width) {
    return !core::FitsAt(job, cluster, pool, width.devices);
  });
  return widths;
}

ChoiceMove EasiestMove(const core::Job& job, const core::Cluster& cluster, int pool, int width) {
  return job.checkpointable ? LeastMoveOn(job, cluster, -1, pool, width)
                            : MoveOn(job, cluster, -1, pool, width);
}

// Every job in the form that may run in any number of pieces within its window.
std::vector<BoundJob> MakeBoundJobs(std::span<const core::Job> jobs, const core::Cluster& cluster,
                                    const HindsightOptions& options) {
  const Time first = FirstSubmission(jobs);
  std::vector<BoundJob> bound_jobs;
  bound_jobs.reserve(jobs.size());
  for (const core::Job& job : jobs) {
    BoundJob bound_job{job.submitted, job.devices, true, job.duration, {}};
    std::vector<core::WidthSpeed> most;
    for (int p = 0; p < static_cast<int>(cluster.pools.size()); ++p) {
      const auto widths = WidthsIn(job, cluster, p);
      if (widths.empty()) continue;
      if (core::IsElastic(job) && widths.size() > most.size()) most = widths;
      const core::DevicePool& pool = cluster.pools[static_cast<std::size_t>(p)];
      bound_job.choices.push_back({p, TimeOn(job, pool, job.duration), SpeedOn(job, pool),
                                   PowerOn(job, pool).watts * cluster.SiteOf(p).pue.ratio / 1000,
                                   LatestEnd(job, pool, options, first), pool.site,
                                   EasiestMove(job, cluster, p, widths.front().devices), 0,
                                   job.checkpointable});
    }
    bound_job.widths = EfficientWidths(most);
    bound_jobs.push_back(std::move(bound_job));
  }
  return bound_jobs;
}

// The finest resolution of the truth, between five minutes and an hour.
Duration StepOf(std::span<const core::IntensitySeries> truth) {
  Duration finest = hours{1};
  for (const core::IntensitySeries& series : truth)
    for (const core::Sample& sample : series.samples())
      finest = std::min(finest, sample.interval.length());
  for (const Duration step : {Duration{minutes{30}}, Duration{minutes{15}}, Duration{minutes{10}}})
    if (finest < hours{1} && finest >= step) return step;
  return finest < hours{1} ? Duration{minutes{5}} : Duration{hours{1}};
}

std::vector<PriceCurve> TruePrices(const std::vector<BoundJob>& jobs,
                                   std::span<const core::IntensitySeries> truth) {
  Interval span{Time::max(), Time::min()};
  for (const BoundJob& job : jobs) {
    span.begin = std::min(span.begin, job.earliest);
    for (const BoundChoice& choice : job.choices) span.end = std::max(span.end, choice.latest_end);
  }
  std::vector<PriceCurve> curves;
  for (const core::IntensitySeries& series : truth)
    curves.push_back(PriceOfSeries(series, span, StepOf(truth)));
  return curves;
}

}  // namespace

HindsightBound BestInHindsight(std::span<const core::Job> jobs, const core::Cluster& cluster,
                               std::span<const core::IntensitySeries> truth,
                               const HindsightOptions& options) {
  if (jobs.empty()) return {{0}, true, true, {}};
  BoundInput input;
  input.jobs = MakeBoundJobs(jobs, cluster, options);
  input.curves = TruePrices(input.jobs, truth);
  for (const core::DevicePool& pool : cluster.pools) {
    input.site_of_pool.push_back(pool.site);
    input.devices_in_pool.push_back(pool.count);
  }
  PriceMoves(input);
  if (auto flow = SolveHindsightFlow(input, options.most_arcs)) {
    if (flow->feasible) return *std::move(flow);
    return {{CapacityFreeBound(input)}, false, false, {}};
  }
  return {{LagrangianBound(input, std::nullopt, kBudget).price}, false, true, {}};
}

}  // namespace ebb::plan
