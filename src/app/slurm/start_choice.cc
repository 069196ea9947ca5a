#include "app/slurm/start_choice.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "engine/engine.h"
#include "plan/make_policy.h"

namespace ebb::app {
namespace {

// The pool in which the decision starts the job; nullopt if it does not.
std::optional<int> StartedIn(const engine::Decision& decision, core::JobId job) {
  for (const engine::Command& command : decision.commands)
    if (const auto* start = std::get_if<engine::StartJob>(&command); start && start->job == job)
      return start->pool;
  return std::nullopt;
}

void Read(const engine::Engine& engine, const engine::Decision& decision, const core::Job& job,
          std::span<const core::SignalView> views, StartChoice& choice) {
  const Time now = views.front().now;
  const auto& live = engine.state().live;
  const auto found =
      std::ranges::find_if(live, [&](const auto& each) { return each->job.id == job.id; });
  if (found == live.end()) {
    choice.refused = "the carbon intensity is unknown, and the job is not to wait for it";
    return;
  }
  choice.latest = (*found)->job.start_by.value_or(Time::max());
  if (const auto& end = (*found)->job.finish_by)
    choice.latest = std::min(choice.latest, *end - job.duration);
  choice.start = std::max(now, choice.latest);
  if (const engine::Explanation* why = engine.Explain(job.id)) {
    choice.reason = why->reason;
    choice.pool = why->pool;
  }
  if (const auto pool = StartedIn(decision, job.id)) {
    choice.start = now;
    choice.pool = *pool;
  } else if (choice.reason.start) {
    choice.start = std::clamp(*choice.reason.start, now, choice.start);
  }
  const auto& pools = engine.state().cluster.pools;
  const bool is_placed = choice.pool >= 0 && choice.pool < static_cast<int>(pools.size());
  const int site = is_placed ? pools[static_cast<std::size_t>(choice.pool)].site : 0;
  const core::SignalView& view = views[static_cast<std::size_t>(site)];
  choice.if_now = MeanOfRun(view, now, job.duration);
  choice.expected = MeanOfRun(view, choice.start, job.duration);
}

}  // namespace

std::optional<Intensity> MeanOfRun(const core::SignalView& view, Time start, Duration length) {
  // A mean over a part of the run says nothing of the rest.
  constexpr double kWhole = 0.999;
  const auto mean = view.Mean({start, start + length});
  return mean && mean->coverage > kWhole ? std::optional(mean->intensity) : std::nullopt;
}

std::vector<StartChoice> ChooseStarts(const core::Cluster& cluster, std::vector<core::Job> jobs,
                                      const core::SignalView& view, Time next_change) {
  return ChooseStarts(cluster, std::move(jobs), std::span(&view, 1), next_change);
}

std::vector<StartChoice> ChooseStarts(const core::Cluster& cluster, std::vector<core::Job> jobs,
                                      std::span<const core::SignalView> views, Time next_change) {
  EBB_CHECK(!views.empty() && views.size() == cluster.sites.size());
  auto planner = plan::MakePolicy("planner", {});
  EBB_CHECK(planner);
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  engine::Engine engine(options, *std::move(planner));
  const Time now = views.front().now;
  EBB_CHECK(engine.Apply({now, engine::ClusterChanged{cluster}}));
  for (std::size_t site = 0; site < views.size(); ++site)
    EBB_CHECK(engine.Apply(
        {now, engine::SignalObserved{static_cast<int>(site), views[site], next_change}}));
  std::vector<StartChoice> choices(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = static_cast<core::JobId>(i + 1);
    // Without a service nobody pauses the job, so it must not be planned in pieces.
    jobs[i].checkpointable = jobs[i].freeze = false;
    if (const Status taken = engine.Apply({now, engine::JobSubmitted{jobs[i]}}); !taken)
      choices[i].refused = taken.error().Message();
  }
  const engine::Decision decision = engine.Decide(now);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (choices[i].refused.empty()) Read(engine, decision, jobs[i], views, choices[i]);
  return choices;
}

core::Cluster ClusterFor(int devices) {
  core::Cluster cluster;
  cluster.sites.emplace_back();
  cluster.pools.emplace_back();
  cluster.pools.front().count = devices;
  return cluster;
}

}  // namespace ebb::app
