#include "plan/problem/task.h"

#include <algorithm>

#include "core/devices/reach.h"
#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "plan/deadline.h"

namespace ebb::plan {
namespace {

// The part of the move and of the pause cost that a running job still has before it makes progress.
Duration BeginLeft(const JobView& view, Time now) {
  const Duration resume = view.pauses > 0 ? view.job->pause_cost : Duration::zero();
  return std::max(Duration::zero(), view.segment_begin + view.moving + resume - now);
}

Choice ChoiceOn(const core::Cluster& cluster, const JobView& view, int pool, int width) {
  const core::DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  Choice choice;
  choice.pool = pool;
  choice.width = width;
  choice.move = MoveOn(*view.job, cluster, view.last_site, pool, width);
  choice.before_work = choice.move.takes;
  choice.length =
      choice.move.takes + std::max(Duration{1}, TimeOn(*view.job, devices, width, view.remaining));
  choice.speed = SpeedOn(*view.job, devices);
  choice.watts = PowerOn(*view.job, devices, width).watts;
  choice.kilowatts = choice.watts * cluster.SiteOf(pool).pue.ratio / 1000;
  choice.curve = devices.site;
  return choice;
}

void AddResume(const JobView& view, Choice& choice) {
  choice.before_work += view.job->pause_cost;
  choice.length += view.job->pause_cost;
}

void SetDeadline(const core::Cluster& cluster, const JobView& view, Duration longest_delay,
                 Choice& choice) {
  const core::DevicePool& devices = cluster.pools[static_cast<std::size_t>(choice.pool)];
  choice.latest_end = LatestEndOn(*view.job, devices, view.remaining)
                          .value_or(view.job->submitted + longest_delay +
                                    TimeOn(*view.job, devices, view.job->duration));
  if (IsElastic(*view.job) && view.job->start_by && view.state == JobState::kWaiting)
    choice.begin_by = *view.job->start_by - choice.move.takes;
}

Task RunningTask(const Problem& problem, const JobView& view) {
  Task task;
  const auto site =
      static_cast<std::size_t>(problem.cluster->pools[static_cast<std::size_t>(view.pool)].site);
  const bool unknown = site < problem.sites.size() && NothingKnown(problem.sites[site]);
  task.fixed = !view.job->checkpointable || unknown || problem.closed_until ||
               core::IsOutOfReach(*problem.cluster, view.pool);
  task.continues = !task.fixed;
  Choice here = ChoiceOn(*problem.cluster, view, view.pool, view.width());
  task.continued_length = here.length + BeginLeft(view, problem.now);
  task.committed_until =
      std::max(problem.now, view.segment_begin + view.moving + view.job->minimum_segment);
  task.may_leave = problem.now >= view.segment_begin + core::kStaysFor &&
                   task.continued_length >= core::kStaysFor;
  if (!task.fixed) AddResume(view, here);
  task.choices.push_back(here);
  return task;
}

// Adds the choices on a pool: one, or one for each width of an elastic job.
void AddChoices(const core::Cluster& cluster, const JobView& view, int pool, Task& task) {
  const auto add = [&](int width) {
    const bool runs_here = view.state == JobState::kRunning && view.pool == pool;
    if (runs_here && width == view.width()) return;
    task.choices.push_back(ChoiceOn(cluster, view, pool, width));
    if (view.state != JobState::kWaiting) AddResume(view, task.choices.back());
  };
  if (!task.elastic) {
    if (Fits(*view.job, cluster, pool)) add(task.width);
    return;
  }
  for (const core::WidthSpeed& width : WidthsOf(*view.job))
    if (FitsAt(*view.job, cluster, pool, width.devices)) add(width.devices);
}

Task MakeTask(const Problem& problem, const JobView& view, Duration longest_delay) {
  const core::Cluster& cluster = *problem.cluster;
  const bool running = view.state == JobState::kRunning;
  Task task = running ? RunningTask(problem, view) : Task{};
  task.view = &view;
  task.width = view.job->devices;
  task.elastic = IsElastic(*view.job);
  task.pausable = view.job->checkpointable;
  task.deadline_is_soft = !view.job->start_by && !view.job->finish_by;
  for (int pool = 0; !task.fixed && pool < static_cast<int>(cluster.pools.size()); ++pool)
    AddChoices(cluster, view, pool, task);
  for (Choice& choice : task.choices) SetDeadline(cluster, view, longest_delay, choice);
  return task;
}

}  // namespace

ChoiceMove MoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool) {
  const core::Move move = core::MoveTo(job, cluster, last_site, pool);
  if (move.takes == Duration::zero()) return {};
  const double hours = Hours(move.takes);
  return {move.takes, move.there.kwh() * cluster.SiteOf(pool).pue.ratio / hours,
          move.network.kwh() / hours, move.network > Energy{} ? move.from : -1};
}

ChoiceMove MoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool,
                  int width) {
  if (width == job.devices) return MoveOn(job, cluster, last_site, pool);
  core::Job at_width = job;
  at_width.devices = width;
  return MoveOn(at_width, cluster, last_site, pool);
}

ChoiceMove LeastMoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool,
                       int width) {
  ChoiceMove least = MoveOn(job, cluster, last_site, pool, width);
  const int here = cluster.pools[static_cast<std::size_t>(pool)].site;
  for (int site = 0; site < static_cast<int>(cluster.sites.size()); ++site) {
    if (site == here || least.takes == Duration::zero()) continue;
    const ChoiceMove other = MoveOn(job, cluster, site, pool, width);
    const Duration takes = std::min(least.takes, other.takes);
    if (takes == Duration::zero()) return {};
    const auto lower = [&](double ChoiceMove::*kilowatts) {
      const double energy =
          std::min(least.*kilowatts * Hours(least.takes), other.*kilowatts * Hours(other.takes));
      return energy / Hours(takes);
    };
    least = {takes, lower(&ChoiceMove::kilowatts_here), lower(&ChoiceMove::kilowatts_from),
             least.curve_from};
  }
  return least;
}

std::optional<Time> LatestEndOn(const core::Job& job, const core::DevicePool& pool, Duration work) {
  if (!job.checkpointable) {
    const auto latest_start = LatestStartOn(job, pool, work);
    if (!latest_start) return std::nullopt;
    return *latest_start + TimeOn(job, pool, work);
  }
  std::optional<Time> latest = job.finish_by;
  if (job.start_by) {
    const Time end = *job.start_by + TimeOn(job, pool, job.duration);
    latest = latest ? std::min(*latest, end) : end;
  }
  return latest;
}

std::vector<Task> MakeTasks(const Problem& problem, Duration longest_delay) {
  std::vector<Task> tasks;
  tasks.reserve(problem.jobs.size());
  for (const JobView& view : problem.jobs) tasks.push_back(MakeTask(problem, view, longest_delay));
  return tasks;
}

}  // namespace ebb::plan
