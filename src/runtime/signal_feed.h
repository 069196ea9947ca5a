#pragma once
// The port through which grid intensity reaches decisions and accounting. One feed serves both, so
// what decided is what measures. Implementations live in signals/; tests use testing/fake_feed.h.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/intensity.h"

namespace ebb::runtime {

/// What the value of this moment is, at a source that is asked while it changes.
enum class Freshness { kFresh, kLastKnown, kForecast, kMissing };
inline std::string_view Name(Freshness freshness) {
  constexpr std::array<std::string_view, 4> kNames{"fresh", "stale", "forecast", "missing"};
  return kNames[static_cast<std::size_t>(freshness)];
}

struct SignalState {
  Freshness freshness = Freshness::kMissing;
  std::optional<Duration> value_age;   ///< since the last published value ended; 0 while it holds
  std::optional<Duration> answer_age;  ///< since the source last answered
  std::string text;                    ///< for people: how fresh, and what stands in if it stops
};

class SignalFeed {
 public:
  virtual ~SignalFeed() = default;

  virtual const core::SignalIdentity& identity() const = 0;

  /// What is known at grid time `now`: published values up to the interval containing it, and a
  /// forecast after it (at least `horizon` long where the source can). Never contains the truth
  /// about the future unless the user asked for perfect foresight, and then its forecast says so. A
  /// value that is missing is a gap, not an error; an Error means the source cannot be reached or
  /// read right now (it may work later).
  virtual Result<core::SignalView> Observe(Time now, Duration horizon) = 0;

  /// What an interval that has just passed is accounted at: published values, where there are none
  /// what stands in for them, gaps where nothing does. With a source that cannot look back, what
  /// this process itself observed.
  virtual Result<core::IntensitySeries> Believed(Interval interval) = 0;

  /// Only values that have been published, for intervals that are over: what a baseline or the best
  /// start in hindsight may know. A recorded or generated source has published all of it.
  virtual Result<core::IntensitySeries> Settled(Interval interval) { return Believed(interval); }

  /// Whether a source that is asked beside has not answered for the first time: what it will say of
  /// the moments until now is worth waiting for.
  virtual bool AwaitsFirstAnswer() const { return false; }
  /// Returns when that is over: answered, failed, or waited for long enough.
  virtual void AwaitFirstAnswer() {}

  /// Whether values that were published may still change: those of a web service.
  virtual bool Revises() const { return false; }

  /// When, after `now`, a new value is due: the earliest moment at which deciding again can change
  /// anything.
  virtual Time NextChange(Time now) const = 0;

  /// A count that rises when what Observe says has changed before the moment that NextChange told:
  /// whoever remembers a lower one observes again.
  virtual std::uint64_t news() const { return 0; }
  /// From now on `tell` is called when that count has risen, from any thread; it must not call the
  /// feed. An empty one: nobody is called any more once this returns.
  virtual void OnNews(const std::function<void()>& tell) { std::ignore = tell; }

  /// How fresh a live source is; nothing for recorded and generated ones.
  virtual std::optional<SignalState> State(Time now) const {
    std::ignore = now;
    return std::nullopt;
  }

  /// What people should be told of a source beside its values: terms of use, a cache that cannot be
  /// used, weather that does not come. Emptied by the call.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  /// Beginning and end of what a replayed source covers; nothing for live and generated ones.
  virtual std::optional<Interval> Coverage() const { return std::nullopt; }
};

}  // namespace ebb::runtime
