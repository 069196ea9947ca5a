#include "engine/drain.h"

#include "base/times_in_text.h"
#include "engine/apply.h"

namespace ebb::engine {

std::string DrainText(const Drain& drain) {
  std::string text = "the service is draining";
  if (drain.until) text += " until " + MinuteText(*drain.until);
  return drain.why.empty() ? text : text + ": " + drain.why;
}

Status ApplyDrain(Folding& fold, Time at, const DrainSet& fact) {
  std::optional<Drain>& drain = fold.state.drain;
  if (fact.drain && IsOver(*fact.drain, at))
    return Fail({ExitCode::kUsage, "ends in the past: " + MinuteText(*fact.drain->until), "drain",
                 "give a later end, or none"});
  if (fact.drain == drain) return {};
  drain = fact.drain;
  fold.change.cluster = true;  // the policy makes every plan anew
  return {};
}

Time OpensAt(const State& state, Time now) {
  return state.drain && state.drain->until ? std::max(now, *state.drain->until) : now;
}

}  // namespace ebb::engine
