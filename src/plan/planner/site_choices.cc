#include "plan/planner/site_choices.h"

#include <array>

#include "core/jobs/move.h"
#include "plan/deadline.h"
#include "plan/planner/planner.h"
#include "plan/problem/task.h"

namespace ebb::plan {
namespace {

constexpr std::array<std::string_view, 3> kNames{
    "it may not run there", "it runs elsewhere and writes no checkpoint", "intensity unknown"};

bool FitsAt(const Problem& problem, const core::Job& job, int site) {
  const core::Cluster& cluster = *problem.cluster;
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool)
    if (cluster.pools[static_cast<std::size_t>(pool)].site == site &&
        core::Fits(job, cluster, pool))
      return true;
  return false;
}

bool RunsElsewhere(const JobView& view, int site) {
  return view.state == JobState::kRunning && view.last_site != site;
}

std::optional<NoPlan> Obstacle(const Problem& problem, const JobView& view, int site) {
  if (!FitsAt(problem, *view.job, site)) return NoPlan::kMayNotRun;
  if (RunsElsewhere(view, site) && !view.job->checkpointable) return NoPlan::kCannotLeave;
  const auto index = static_cast<std::size_t>(site);
  const core::SignalView* signal =
      index < problem.sites.size() ? problem.sites[index].view : nullptr;
  if (!signal || NothingKnown({signal, {}, true})) return NoPlan::kUnknownGrid;
  return std::nullopt;
}

std::optional<SiteBest> BestAt(const Problem& problem, JobView view, int site) {
  const core::Cluster& cluster = *problem.cluster;
  core::Job job = *view.job;
  job.sites = {cluster.sites[static_cast<std::size_t>(site)].name};
  view.job = &job;
  // A running job would be paused first: it has a checkpoint and a last site then.
  if (RunsElsewhere(view, site)) view.state = JobState::kPaused;
  PlannerOptions options;
  options.uses_preferences = false;  // so that the plan has the fewest grams
  Schedule schedule;
  schedule.jobs.resize(1);
  MakePlanner(options)->Update(
      {problem.now, problem.cluster, {&view, 1}, problem.sites, problem.closed_until}, {},
      schedule);
  const JobPlan& plan = schedule.jobs.front();
  if (plan.segments.empty() || !schedule.expected) return std::nullopt;
  SiteBest best;
  best.pool = plan.segments.front().pool;
  best.time = {plan.segments.front().time.begin, plan.segments.back().time.end};
  best.expected = *schedule.expected;
  const core::Move move = core::MoveTo(job, cluster, view.last_site, best.pool);
  best.moving = move.takes;
  best.move_energy = move.network + move.there;
  const auto latest =
      LatestEndOn(job, cluster.pools[static_cast<std::size_t>(best.pool)], view.remaining);
  best.late = latest && best.time.end > *latest;
  return best;
}

}  // namespace

std::string_view Name(NoPlan reason) { return kNames[static_cast<std::size_t>(reason)]; }

std::vector<SiteChoice> SiteChoices(const Problem& problem, const JobView& view) {
  std::vector<SiteChoice> choices;
  for (int site = 0; site < static_cast<int>(problem.cluster->sites.size()); ++site) {
    SiteChoice& choice = choices.emplace_back();
    choice.site = site;
    if (const auto obstacle = Obstacle(problem, view, site))
      choice.no_plan = *obstacle;
    else
      choice.best = BestAt(problem, view, site);
  }
  return choices;
}

}  // namespace ebb::plan
