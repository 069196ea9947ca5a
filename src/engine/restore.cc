// Restores an engine, so that it continues where another one stopped.

#include <algorithm>
#include <string>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "engine/apply.h"
#include "engine/engine.h"
#include "engine/queue_index.h"

namespace ebb::engine {
namespace {

core::JobId JobOf(const Command& command) {
  return std::visit([](const auto& c) { return c.job; }, command);
}

// Checks that a decision may be about this state.
Status CheckKnown(const State& state, const Decision& decision) {
  for (const Command& command : decision.commands) {
    const core::JobId id = JobOf(command);
    const auto* start = std::get_if<StartJob>(&command);
    const auto pools = static_cast<int>(state.cluster.pools.size());
    if (state.FindLive(id) && (!start || (start->pool >= 0 && start->pool < pools))) continue;
    return Fail({ExitCode::kConfiguration, "speaks of a job or pool that is not known",
                 "decision about job " + std::to_string(id), ""});
  }
  return {};
}

}  // namespace

void Engine::Restore(Memory memory) {
  state_ = std::move(memory.state);
  change_ = std::move(memory.change);
  unplanned_ = std::move(memory.unplanned);
  question_.reset();
  answer_.reset();
  just_left_ = std::move(memory.just_left);
  touched_.clear();
  queue_index_->Forget();
  deadlines_.reset();
}

void Engine::AdoptStart(LiveJob& live, const StartJob& start) {
  live.command_due = false;
  if (start.attempt == live.attempt && IsFrozen(live)) LetGoOn(live, state_.now);
  if (start.attempt <= live.attempt) return;  // a repeated command
  live.stage = Stage::kStarting;
  live.since = live.segment_begin = state_.now;
  live.pool = start.pool;
  live.devices = start.devices;
  live.moving =
      core::MoveTo(live.job, state_.cluster, live.last_site.value_or(-1), start.pool).takes;
  live.attempt = start.attempt;
  live.attempt_over = false;
  live.start_repeated = false;
  if (!options_.ramp_limit_per_5_minutes) return;
  const auto& pool = state_.cluster.pools[static_cast<std::size_t>(start.pool)];
  state_.recent_starts.push_back({state_.now, core::PowerOn(live.job, pool, live.width())});
}

Status Engine::Adopt(const Decision& decision) {
  EBB_RETURN_IF_ERROR(CheckKnown(state_, decision));
  state_.now = std::max(state_.now, decision.at);
  EndDrainIfOver();
  GiveWidthsBack();
  deadlines_.reset();
  for (const Command& command : decision.commands) {
    LiveJob& live = state_.live[state_.LowerBound(JobOf(command))].Change();
    if (const auto* start = std::get_if<StartJob>(&command)) {
      AdoptStart(live, *start);
      continue;
    }
    live.command_due = false;
    if (std::holds_alternative<PauseJob>(command) && live.stage != Stage::kPausing) {
      live.stage = Stage::kPausing;
      live.since = state_.now;
    }
  }
  Folding fold{options_, state_, change_, just_left_, deadlines_, touched_};
  for (const Explanation& explanation : decision.explanations) {
    const std::size_t index = state_.LowerBound(explanation.job);
    if (const auto ended = state_.ended.find(explanation.job); ended != state_.ended.end())
      ended->second.explanation = explanation;
    if (!state_.FindLive(explanation.job)) continue;
    state_.live[index].Change().explanation = explanation;
    // This rule marks a job that the decision itself ended; decisions end jobs for no other reason.
    if (explanation.reason.rule == core::GateRule::kStoppedInOutage &&
        explanation.stage == Stage::kCancelled)
      EndJob(fold, index, Stage::kCancelled, state_.now);
  }
  just_left_.clear();
  // Plans were made meanwhile, but not stored.
  change_ = {true, true, {}};
  unplanned_ = {};
  return {};
}

}  // namespace ebb::engine
