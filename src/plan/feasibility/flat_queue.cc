#include "plan/feasibility/flat_queue.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/jobs/move.h"
#include "plan/planner/planner.h"

namespace ebb::plan {
namespace {

Duration LongestRun(const core::Job& job, const core::Cluster& cluster) {
  Duration longest{};
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool)
    if (core::Fits(job, cluster, pool))
      longest = std::max(longest, core::HeldOn(job, cluster, -1, pool, job.duration));
  return longest;
}

}  // namespace

std::string NameOf(const core::Job& job) {
  return "job " + std::to_string(job.id) + (job.name.empty() ? "" : " (" + job.name + ")");
}

PlanInput FlatInput(const Problem& problem) {
  const PlannerOptions options;
  PlanInput input;
  input.now = problem.now;
  input.tasks = MakeTasks(problem, options.horizon);
  input.grid = input.tasks.size() <= options.exact_up_to ? Duration{1} : options.large_queue_grid;
  for (std::size_t site = 0; site < problem.cluster->sites.size(); ++site)
    input.curves.emplace_back(problem.now, options.horizon, std::vector<double>{1.0});
  for (const core::DevicePool& pool : problem.cluster->pools) {
    input.site_of_pool.push_back(pool.site);
    input.devices_in_pool.push_back(pool.count);
  }
  return input;
}

std::optional<Load> LoadOf(const Task& task) {
  if (task.choices.empty() || task.fixed || task.continues || task.deadline_is_soft)
    return std::nullopt;
  Load load{Time::min(), std::numeric_limits<double>::infinity()};
  for (const Choice& choice : task.choices) {
    load.latest_end = std::max(load.latest_end, choice.latest_end);
    load.device_hours = std::min(load.device_hours, Hours(choice.length) * choice.width);
  }
  return load;
}

bool Before(const Load& left, const Load& right) {
  return std::tie(left.latest_end, left.device_hours) <
         std::tie(right.latest_end, right.device_hours);
}

bool IsTooMuch(const std::vector<Load>& loads, double devices, Time now) {
  double needed = 0;
  for (const Load& load : loads) {
    needed += load.device_hours;
    if (needed > devices * Hours(load.latest_end - now) * (1 + 1e-9)) return true;
  }
  return false;
}

JobView WaitingView(const core::Job& job) {
  return {&job, JobState::kWaiting, job.duration, -1, {}, 0};
}

Task TaskOf(const JobView& view, const core::Cluster& cluster, Time now) {
  const Problem alone{now, &cluster, {&view, 1}, {}};
  return std::move(MakeTasks(alone, PlannerOptions{}.horizon).front());
}

std::vector<CapacityProfile> ProfilesOf(const Draft& draft, const PlanInput& input) {
  std::vector<CapacityProfile> profiles;
  for (int pool = 0; pool < std::ssize(input.devices_in_pool); ++pool)
    profiles.push_back(draft.ProfileOf(pool));
  return profiles;
}

std::optional<EarlyPlace> EarliestPlace(const std::vector<CapacityProfile>& profiles,
                                        const Task& task, Time now) {
  std::optional<EarlyPlace> best;
  for (const Choice& choice : task.choices) {
    const auto begin = profiles[static_cast<std::size_t>(choice.pool)].EarliestRoom(
        now, choice.length, choice.width);
    if (!begin) continue;
    const EarlyPlace place{{*begin, *begin + choice.length},
                           choice.pool,
                           *begin <= choice.LatestBegin(),
                           choice.width};
    const bool better =
        !best ||
        (place.in_time != best->in_time ? place.in_time : place.time.begin < best->time.begin);
    if (better) best = place;
  }
  return best;
}

tl::unexpected<Error> CannotKeepDeadline(const core::Job& job, const core::Cluster& cluster,
                                         std::optional<Time> start_by) {
  const auto impossible = [&](std::string what, std::string next) {
    return Fail({ExitCode::kInfeasible, std::move(what), NameOf(job), std::move(next)});
  };
  if (!start_by)
    return impossible("its deadline cannot be met, nor any within a year",
                      "wait for running jobs or lost devices");
  const std::string wanted = job.start_by ? "start by " + FormatTime(*job.start_by)
                                          : "finish by " + FormatTime(*job.finish_by);
  return impossible("it cannot " + wanted + " beside the jobs that run and wait",
                    "earliest that can be met: start_by " + FormatTime(*start_by) +
                        " or finish_by " + FormatTime(*start_by + LongestRun(job, cluster)));
}

}  // namespace ebb::plan
