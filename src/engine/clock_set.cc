// The clock was set. What is under way goes on as if nothing had been: a job that ran for an hour
// has run for an hour. What was noted while the clock ran ahead lies in the future once it is put
// right, and is moved by as much. A clock that ran behind is put right by moving forward: what was
// noted under it is not told from what was noted before, and stays.

#include <algorithm>

#include "engine/apply.h"

namespace ebb::engine {
namespace {

// Beyond these, differences of moments might overflow.
constexpr Duration kMostFromEpoch = std::chrono::years{100'000};

bool IsSane(Time time) { return time >= Time(-kMostFromEpoch) && time <= Time(kMostFromEpoch); }

// What was noted at `moment`, in the future by now, is moved back, and `moved` remembers by how
// much. A clock that goes forward again as far was right before: it comes back.
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

// Deadlines are mostly given as so long after the submission.
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

// Kept in order: the oldest are forgotten first.
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
  if (state.drain) state.drain->since = std::min(state.drain->since, fact.to);
  for (RecentStart& start : state.recent_starts) start.at += fact.to - fact.from;
  // What is observed from now on is news, whatever its time.
  for (SiteSignal& signal : state.signals) signal.observed = std::min(signal.observed, fact.to);
  fold.change.signals = fold.change.cluster = true;  // all is planned anew
  return {};
}

}  // namespace ebb::engine
