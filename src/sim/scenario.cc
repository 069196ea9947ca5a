#include "sim/scenario.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "core/jobs/move.h"

namespace ebb::sim {
namespace {

constexpr std::array<std::string_view, 5> kForecastNames{"own", "archived", "perfect", "noise",
                                                         "weather"};
constexpr std::array<std::string_view, 2> kIdleNames{"beside", "inside"};

Time Later(std::optional<Time> a, Time b) { return a ? std::max(*a, b) : b; }

// The longest time for which the job can hold its devices, with a move.
Duration LongestRun(const core::Job& job, const core::Cluster& cluster) {
  Duration longest = job.duration;
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool)
    if (core::Fits(job, cluster, static_cast<int>(pool)))
      longest =
          std::max(longest, core::HeldOn(job, cluster, -1, static_cast<int>(pool), job.duration));
  return longest;
}

// The end of a job that starts as late as it may.
Time LatestEndOf(const core::Job& job, const core::Cluster& cluster, Duration default_max_delay) {
  if (job.finish_by && !job.start_by) return *job.finish_by;
  const Time start = job.start_by.value_or(job.submitted + default_max_delay);
  const Time end = start + LongestRun(job, cluster);
  return job.finish_by ? std::min(end, *job.finish_by) : end;
}

// The time that all work takes one job after the other, spread over the devices, which is the time
// of a queue that never waits.
Time BusyUntil(const Scenario& scenario) {
  Time last{};
  double device_ms = 0, devices = 0;
  for (const core::DevicePool& pool : scenario.cluster.pools) devices += pool.count;
  for (const core::Job& job : scenario.jobs) {
    last = std::max(last, job.submitted);
    device_ms += static_cast<double>(LongestRun(job, scenario.cluster).count()) * job.devices;
  }
  return last + Duration{static_cast<Duration::rep>(device_ms / std::max(devices, 1.0))};
}

}  // namespace

std::string_view Name(ForecastSource source) {
  return kForecastNames[static_cast<std::size_t>(source)];
}
std::optional<ForecastSource> ForecastSourceFromName(std::string_view name) {
  return EnumFromName<ForecastSource>(kForecastNames, name);
}

std::string_view Name(IdleDraw idle) { return kIdleNames[static_cast<std::size_t>(idle)]; }
std::optional<IdleDraw> IdleDrawFromName(std::string_view name) {
  return EnumFromName<IdleDraw>(kIdleNames, name);
}

plan::PolicyOptions OptionsOf(const Scenario& scenario, const PolicyChoice& policy) {
  plan::PolicyOptions options = policy.options;
  options.planner.prices.tariffs = scenario.prices;
  return options;
}

std::vector<core::Job> JobsAt(const Scenario& scenario, Time start) {
  const Duration shift = start.time_since_epoch();
  std::vector<core::Job> jobs = scenario.jobs;
  for (core::Job& job : jobs) {
    job.submitted += shift;
    if (job.start_by) *job.start_by += shift;
    if (job.finish_by) *job.finish_by += shift;
    if (!scenario.makespan_limit) continue;
    const Time limit = start + *scenario.makespan_limit;
    job.finish_by = job.finish_by ? std::min(*job.finish_by, limit) : limit;
  }
  return jobs;
}

Duration LatestEnd(const Scenario& scenario, Duration default_max_delay) {
  Time last = BusyUntil(scenario);
  for (const core::Job& job : scenario.jobs)
    last = Later(LatestEndOf(job, scenario.cluster, default_max_delay), last);
  return last - Time{};
}

Duration HorizonOf(const Scenario& scenario, Duration default_max_delay) {
  if (scenario.horizon) return *scenario.horizon;
  Duration longest{0};
  for (const core::Job& job : scenario.jobs)
    longest =
        std::max(longest, LatestEndOf(job, scenario.cluster, default_max_delay) - job.submitted);
  if (scenario.makespan_limit) longest = std::min(longest, *scenario.makespan_limit);
  return longest + std::chrono::hours{1};
}

}  // namespace ebb::sim
