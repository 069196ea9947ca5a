// Changes the state after the machine's clock was set. Durations of what is under way stay: a job
// that ran for an hour has run for an hour. Times that the engine noted while the clock ran ahead
// lie in the future once the clock is right, so they move back by the same amount. If the clock ran
// behind and now moves forward, the engine cannot tell its times from earlier ones, so they stay.

#include <algorithm>

#include "engine/apply.h"

namespace ebb::engine {
namespace {

// Differences between times beyond this limit might overflow.
constexpr Duration kMostFromEpoch = std::chrono::years{100'000};

bool IsSane(Time time) { return time >= Time(-kMostFromEpoch) && time <= Time(kMostFromEpoch); }

// Moves a time back if it lies in the future now, and adds the amount to `moved`. If the clock goes
// forward again by at least that amount, it was right before, and the time moves forward again.
template <typename Move>
void Judge(const ClockSet& fact, const Time& moment, Duration& moved, const Move& move) {
  const Duration by = fact.to - fact.from;
  const auto move_by = [&](Duration amount) {
    move(amount);
    moved += amount;
  };
  if (moved < Duration::zero() && by >= -moved) move_by(-moved);
  if (moment > fact.to) move_by(std::min(by, fact.to - moment));
}

// Deadlines move with the submission, because people mostly give them relative to it.
void MoveSubmission(core::Job& job, Duration by) {
  job.submitted += by;
  if (job.start_by) *job.start_by += by;
  if (job.finish_by) *job.finish_by += by;
}

void Follow(LiveJob& live, const ClockSet& fact) {
  const Duration by = fact.to - fact.from;
  live.since = std::min(live.since + by, fact.to);
  if (HoldsDevices(live)) live.segment_begin = std::min(live.segment_begin + by, fact.to);
  if (live.retry_at != Time::min()) live.retry_at += by;
  Judge(fact, live.job.submitted, live.moved,
        [&](Duration amount) { MoveSubmission(live.job, amount); });
  if (live.first_start)
    Judge(fact, *live.first_start, live.first_start_moved,
          [&](Duration amount) { *live.first_start += amount; });
}

// The order of the ended jobs stays, because the oldest are forgotten first.
void Follow(EndedJob& ended, const ClockSet& fact) {
  if (ended.ended > fact.to) ended.ended = std::min(ended.ended + (fact.to - fact.from), fact.to);
}

}  // namespace

Status ApplyClockSet(Folding& fold, const ClockSet& fact) {
  if (!IsSane(fact.from) || !IsSane(fact.to))
    return Fail({ExitCode::kConfiguration, "no clock shows that", "clock", ""});
  State& state = fold.state;
  state.now = fact.to;
  for (auto& live : state.live) Follow(live.Change(), fact);
  for (auto& [id, held] : state.held) Follow(held.Change(), fact);
  for (auto& [id, ended] : state.ended) Follow(ended, fact);
  for (RefusedWidths& refused : state.refused_widths) refused.until += fact.to - fact.from;
  if (state.drain) state.drain->since = std::min(state.drain->since, fact.to);
  for (RecentStart& start : state.recent_starts) start.at += fact.to - fact.from;
  // A signal observed from now on is newer than these, whatever its time.
  for (SiteSignal& signal : state.signals) signal.observed = std::min(signal.observed, fact.to);
  fold.change.signals = fold.change.cluster = true;  // the policy plans everything anew
  return {};
}

}  // namespace ebb::engine
