#include "app/slurm/start_choice.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "engine/engine.h"
#include "plan/make_policy.h"

namespace ebb::app {
namespace {

// A mean over a part of the run says nothing of the rest.
std::optional<Intensity> MeanOf(const core::SignalView& view, Time start, Duration length) {
  constexpr double kWhole = 0.999;
  const auto mean = view.Mean({start, start + length});
  return mean && mean->coverage > kWhole ? std::optional(mean->intensity) : std::nullopt;
}

bool IsStarted(const engine::Decision& decision, core::JobId job) {
  return std::ranges::any_of(decision.commands, [&](const engine::Command& command) {
    const auto* start = std::get_if<engine::StartJob>(&command);
    return start && start->job == job;
  });
}

void Read(const engine::Engine& engine, const engine::Decision& decision, const core::Job& job,
          const core::SignalView& view, StartChoice& choice) {
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
  choice.start = std::max(view.now, choice.latest);
  if (const engine::Explanation* why = engine.Explain(job.id)) {
    choice.reason = why->reason;
    choice.pool = why->pool;
  }
  if (IsStarted(decision, job.id))
    choice.start = view.now;
  else if (choice.reason.start)
    choice.start = std::clamp(*choice.reason.start, view.now, choice.start);
  choice.if_now = MeanOf(view, view.now, job.duration);
  choice.expected = MeanOf(view, choice.start, job.duration);
}

}  // namespace

std::vector<StartChoice> ChooseStarts(const core::Cluster& cluster, std::vector<core::Job> jobs,
                                      const core::SignalView& view, Time next_change) {
  auto planner = plan::MakePolicy("planner", {});
  EBB_CHECK(planner);
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  engine::Engine engine(options, *std::move(planner));
  const Time now = view.now;
  EBB_CHECK(engine.Apply({now, engine::ClusterChanged{cluster}}));
  EBB_CHECK(engine.Apply({now, engine::SignalObserved{0, view, next_change}}));
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
    if (choices[i].refused.empty()) Read(engine, decision, jobs[i], view, choices[i]);
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
