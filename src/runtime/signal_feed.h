#pragma once
// The port through which grid intensity reaches decisions and accounting. One feed serves both, so
// decisions and accounting use the same values. Implementations live in signals/; tests use
// testing/fake_feed.h.

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
#include "core/signal/intensity.h"

namespace ebb::runtime {

/// The freshness of the present value at a source that changes while it is asked.
enum class Freshness { kFresh, kLastKnown, kForecast, kMissing };
inline std::string_view Name(Freshness freshness) {
  constexpr std::array<std::string_view, 4> kNames{"fresh", "stale", "forecast", "missing"};
  return kNames[static_cast<std::size_t>(freshness)];
}

struct SignalState {
  Freshness freshness = Freshness::kMissing;
  /// Time since the last published value ended; 0 while it holds.
  std::optional<Duration> value_age;
  std::optional<Duration> answer_age;  ///< time since the source last answered
  /// For people: how fresh the value is, and what replaces it if the source stops.
  std::string text;
};

class SignalFeed {
 public:
  virtual ~SignalFeed() = default;

  virtual const core::SignalIdentity& identity() const = 0;

  /// The knowledge at grid time `now`: published values up to the interval that contains it, and a
  /// forecast after it (at least `horizon` long if the source can). Never contains the truth about
  /// the future, unless the user asked for perfect foresight, and then the forecast says so. A
  /// value that is missing is a gap, not an error; an Error means the source cannot be reached or
  /// read right now (it may work later).
  virtual Result<core::SignalView> Observe(Time now, Duration horizon) = 0;

  /// The values for accounting an interval that has just passed: published values, otherwise their
  /// substitutes, otherwise gaps. For a source that cannot look back, the values that this process
  /// itself observed.
  virtual Result<core::IntensitySeries> Believed(Interval interval) = 0;

  /// Only published values, for intervals that are over: the values that a baseline or the best
  /// start in hindsight may use. A recorded or generated source has published all of it.
  virtual Result<core::IntensitySeries> Settled(Interval interval) { return Believed(interval); }

  /// True if a source that another thread asks has not given its first answer yet, so that waiting
  /// for its values up to now is useful.
  virtual bool AwaitsFirstAnswer() const { return false; }
  /// Waits until the source has answered or failed, or the wait took too long.
  virtual void AwaitFirstAnswer() {}

  /// True if published values may still change, as those of web services do.
  virtual bool Revises() const { return false; }

  /// The time after `now` at which a new value is due: the earliest time at which deciding again
  /// can change anything.
  virtual Time NextChange(Time now) const = 0;

  /// A count that rises when the answer of Observe has changed before the time of NextChange. A
  /// caller that remembers a lower count observes again.
  virtual std::uint64_t news() const { return 0; }
  /// Sets the function that is called, from any thread, when the count of news() has risen. It must
  /// not call the feed. With an empty function, no call is made any more once this returns.
  virtual void OnNews(const std::function<void()>& tell) { std::ignore = tell; }

  /// The freshness of a live source; nullopt for recorded and generated ones.
  virtual std::optional<SignalState> State(Time now) const {
    std::ignore = now;
    return std::nullopt;
  }

  /// Messages for people on a source, apart from its values: terms of use, a cache that cannot be
  /// used, weather that does not arrive. The call empties the list.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  /// The begin and end of the data of a replayed source; nullopt for live and generated ones.
  virtual std::optional<Interval> Coverage() const { return std::nullopt; }
};

}  // namespace ebb::runtime
