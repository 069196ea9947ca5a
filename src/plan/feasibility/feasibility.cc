#include "plan/feasibility/feasibility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "plan/feasibility/flat_queue.h"
#include "plan/feasibility/quick_feasibility.h"
#include "plan/planner/construct.h"
#include "plan/planner/local_search.h"
#include "plan/planner/planner.h"

namespace ebb::plan {
namespace {

using core::Cluster;
using core::Job;

tl::unexpected<Error> Wrong(const Job& job, std::string what, std::string next) {
  return Fail({ExitCode::kConfiguration, std::move(what), NameOf(job), std::move(next)});
}

tl::unexpected<Error> Impossible(const Job& job, std::string what, std::string next) {
  return Fail({ExitCode::kInfeasible, std::move(what), NameOf(job), std::move(next)});
}

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }

Status CheckNumbers(const Job& job) {
  if (job.duration <= Duration::zero())
    return Wrong(job, "the run time is not positive", "give the estimated run time, such as 1h30m");
  if (job.devices < 1)
    return Wrong(job, "it asks for " + std::to_string(job.devices) + " devices",
                 "ask for 1 or more");
  if (!std::isfinite(job.power.watts) || job.power.watts < 0)
    return Wrong(job, "its power is not a number of watts >= 0", "give the power of one device");
  if (job.pause_cost < Duration::zero())
    return Wrong(job, "the pause overhead is negative", "give 0 or more");
  if (job.minimum_segment < Duration::zero())
    return Wrong(job, "the minimum segment is negative", "give 0 or more");
  if (job.file_bytes < 0 || job.checkpoint_bytes < 0)
    return Wrong(job, "its files or its checkpoint have a negative size", "give 0 or more");
  if (job.threshold && !std::isfinite(job.threshold->g_per_kwh))
    return Wrong(job, "its threshold is not a number", "give g/kWh");
  for (const core::ModelOverride& entry : job.overrides)
    if (!IsPositive(entry.speed) || !IsPositive(entry.power_factor))
      return Wrong(job, "speed and power factor on " + entry.model + " are not positive",
                   "give factors of the reference device");
  return {};
}

template <typename List, typename NameOfItem>
std::string Joined(const List& list, NameOfItem name_of) {
  std::string joined;
  for (const auto& item : list) {
    const std::string name = name_of(item);
    if (joined.find(name) != std::string::npos) continue;
    joined += (joined.empty() ? "" : ", ") + name;
  }
  return joined;
}

Status CheckSites(const Job& job, const std::vector<std::string>& names, const Cluster& cluster) {
  const auto site_name = [](const core::Site& site) { return site.name; };
  for (const std::string& name : names)
    if (std::none_of(cluster.sites.begin(), cluster.sites.end(),
                     [&](const auto& known) { return known.name == name; }))
      return Wrong(job, "there is no site \"" + name + "\"",
                   "sites: " + Joined(cluster.sites, site_name));
  return {};
}

Status CheckNames(const Job& job, const Cluster& cluster) {
  EBB_RETURN_IF_ERROR(CheckSites(job, job.sites, cluster));
  EBB_RETURN_IF_ERROR(CheckSites(job, job.forbidden_sites, cluster));
  if (!job.home.empty()) EBB_RETURN_IF_ERROR(CheckSites(job, {job.home}, cluster));
  const auto model_name = [](const core::DevicePool& pool) { return pool.model; };
  for (const std::string& model : job.models)
    if (std::none_of(cluster.pools.begin(), cluster.pools.end(),
                     [&](const auto& known) { return known.model == model; }))
      return Wrong(job, "there is no device \"" + model + "\"",
                   "devices: " + Joined(cluster.pools, model_name));
  return {};
}

std::vector<int> PoolsFor(const Job& job, const Cluster& cluster) {
  std::vector<int> pools;
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool)
    if (Fits(job, cluster, pool)) pools.push_back(pool);
  return pools;
}

Status CheckWidth(const Job& job, const Cluster& cluster) {
  if (!PoolsFor(job, cluster).empty()) return {};
  Job narrow = job;
  narrow.devices = 0;
  int widest = 0;
  for (const int pool : PoolsFor(narrow, cluster))
    widest = std::max(widest, cluster.pools[static_cast<std::size_t>(pool)].count);
  if (widest == 0)
    return Impossible(job, "no site that it may use and that may hold its data has its device",
                      "allow another site or device");
  return Impossible(job,
                    "it needs " + std::to_string(job.devices) +
                        " devices of one pool, and the largest it may use has " +
                        std::to_string(widest),
                    "ask for at most " + std::to_string(widest));
}

// The work of the job at its own speed that takes as long as all its work at its fastest width that
// fits the pool.
Duration WorkAtFastest(const Job& job, const Cluster& cluster, int pool) {
  double fastest = 1;
  for (const core::WidthSpeed& width : core::WidthsOf(job))
    if (core::FitsAt(job, cluster, pool, width.devices)) fastest = std::max(fastest, width.speed);
  return Duration{
      static_cast<Duration::rep>(std::ceil(static_cast<double>(job.duration.count()) / fastest))};
}

// The shortest time to the end on the pools that the job may use, with the move to them.
Duration ShortestRun(const Job& job, const Cluster& cluster) {
  Duration shortest = Duration::max();
  for (const int pool : PoolsFor(job, cluster)) {
    const Duration work = core::IsElastic(job) ? WorkAtFastest(job, cluster, pool) : job.duration;
    shortest = std::min(shortest, core::HeldOn(job, cluster, -1, pool, work));
  }
  return shortest;
}

Status CheckOwnDeadline(const Job& job, const Cluster& cluster) {
  if (job.start_by && *job.start_by < job.submitted)
    return Impossible(job,
                      "its latest start " + FormatTime(*job.start_by) +
                          " is before its submission " + FormatTime(job.submitted),
                      "give a later start_by");
  if (PoolsFor(job, cluster).empty()) return {};
  const Duration shortest = ShortestRun(job, cluster);
  if (job.finish_by && *job.finish_by < job.submitted + shortest)
    return Impossible(job,
                      "it cannot finish by " + FormatTime(*job.finish_by) + ": it takes " +
                          FormatDuration(shortest) + " from " + FormatTime(job.submitted),
                      "earliest possible: finish_by " + FormatTime(job.submitted + shortest));
  return {};
}

// ---------------------------------------------------------------- beside the queue

bool IsOverfull(const PlanInput& input) {
  std::vector<Load> loads;
  for (const Task& task : input.tasks)
    if (const auto load = LoadOf(task)) loads.push_back(*load);
  std::sort(loads.begin(), loads.end(), Before);
  double devices = 0;
  for (const int count : input.devices_in_pool) devices += count;
  return IsTooMuch(loads, devices, input.now);
}

// The queue with one more job whose deadline can be changed.
class QueueWith {
 public:
  QueueWith(const Job& job, const Problem& queue) : job_(job), problem_(queue) {
    job_.submitted = std::min(job_.submitted, queue.now);
    for (const JobView& view : queue.jobs)
      if (view.job->id != job.id) views_.push_back(view);
    problem_.jobs = views_;
    const PlanInput input = FlatInput(problem_);
    const Draft least_late = LeastLate(input, kBudget);
    alone_ = least_late.Total().late;
    room_ = ProfilesOf(least_late, input);
    views_.push_back(WaitingView(job_));
    problem_.jobs = views_;
  }
  QueueWith(const QueueWith&) = delete;
  QueueWith& operator=(const QueueWith&) = delete;

  /// The earliest place of the job if the others stay in their least late places.
  std::optional<EarlyPlace> BesideTheOthers() const {
    return EarliestPlace(room_, TaskOf(views_.back(), *problem_.cluster, problem_.now),
                         problem_.now);
  }

  /// True if the job is in time and the queue is no later with it than without it.
  bool Meets(std::optional<Time> start_by, std::optional<Time> finish_by) {
    return Meets(start_by, finish_by, kBudget);
  }

  /// Like Meets, with less search: it may miss a deadline that could just be met.
  bool EasilyMeets(std::optional<Time> start_by) {
    return Meets(start_by, std::nullopt, kBudget / 10);
  }

 private:
  static constexpr std::int64_t kBudget = 200'000;

  bool Meets(std::optional<Time> start_by, std::optional<Time> finish_by, std::int64_t budget) {
    job_.start_by = start_by;
    job_.finish_by = finish_by;
    const PlanInput input = FlatInput(problem_);
    if (alone_ == 0 && IsOverfull(input)) return false;
    return LeastLate(input, budget).Total().late <= alone_ * (1 + 1e-12);
  }

  // The least late draft found: as soon as possible in three orders, then a search.
  static Draft LeastLate(const PlanInput& input, std::int64_t budget) {
    Work work;
    Draft draft = PlaceAsSoonAsPossible(input, work);
    if (draft.Total().late > 0 && input.tasks.size() <= PlannerOptions{}.exact_up_to)
      Improve(draft, {}, work.done + budget, work);
    return draft;
  }

  Job job_;
  Problem problem_;
  std::vector<JobView> views_;
  double alone_ = 0;
  std::vector<CapacityProfile> room_;
};

// The earliest deadline that passes, to the minute, by bisection.
template <typename Passes>
std::optional<Time> Earliest(Time from, Duration farthest, Passes passes) {
  using std::chrono::minutes;
  Duration low{}, high{minutes{1}};
  while (high < farthest && !passes(from + high)) {
    low = high;
    high *= 2;
  }
  if (high >= farthest) return std::nullopt;
  while (high - low > minutes{1}) {
    const Duration middle = std::chrono::floor<minutes>((low + high) / 2);
    (passes(from + middle) ? high : low) = middle;
  }
  return from + high;
}

}  // namespace

Status CheckJob(const Job& job, const Cluster& cluster) {
  EBB_RETURN_IF_ERROR(CheckWaitingJob(job, cluster));
  return CheckWidth(job, cluster);
}

Status CheckWaitingJob(const Job& job, const Cluster& cluster) {
  EBB_RETURN_IF_ERROR(CheckNumbers(job));
  EBB_RETURN_IF_ERROR(core::CheckWidths(job));
  EBB_RETURN_IF_ERROR(CheckNames(job, cluster));
  return CheckOwnDeadline(job, cluster);
}

Status CheckDeadline(const Job& job, const Problem& queue) {
  constexpr Duration kFarthest = std::chrono::hours{365 * 24};
  if (!job.start_by && !job.finish_by) return {};
  if (QuickFeasibility(queue).Holds(job, *queue.cluster, queue.now)) return {};
  QueueWith with(job, queue);
  const auto beside = with.BesideTheOthers();
  if (beside && beside->in_time) return {};
  if (with.Meets(job.start_by, job.finish_by)) return {};
  auto start_by = Earliest(queue.now, kFarthest, [&](Time time) { return with.EasilyMeets(time); });
  if (!start_by && beside) start_by = beside->time.begin;
  return CannotKeepDeadline(job, *queue.cluster, start_by);
}

}  // namespace ebb::plan
