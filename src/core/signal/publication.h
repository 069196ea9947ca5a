#pragma once
// When the values of a series become known. A measured intensity is the mean of an interval that
// has to end first, and then has to be collected and published. A generated value, or one that was
// read at one moment, is known when its interval begins. Values only.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ebb::core {

class Publication {
 public:
  /// Values are known as soon as their interval begins.
  static constexpr Publication AtBegin() { return {}; }
  /// Values are known `lag` after their interval has ended; `lag` must not be negative.
  static constexpr Publication AfterEnd(Duration lag) {
    Publication publication;
    publication.lag_ = lag;
    return publication;
  }

  constexpr Time Of(Interval interval) const {
    return lag_ ? interval.end + *lag_ : interval.begin;
  }
  /// The lag; nullopt if values are known at the begin.
  constexpr std::optional<Duration> lag() const { return lag_; }
  friend bool operator==(const Publication&, const Publication&) = default;

 private:
  std::optional<Duration> lag_;
};

/// The rule for measured series whose source says nothing else. European law allows this much time
/// for generation by type of plant (Regulation (EU) 543/2013, article 16: no later than one hour
/// after the operational period).
inline constexpr Publication kMeasuredPublication = Publication::AfterEnd(std::chrono::hours{1});

/// Parses "1h", "0s", or "none" for values known at the begin. The lag must not exceed a week.
Result<Publication> PublicationFromText(std::string_view text);
/// The text that PublicationFromText reads as the same value: "3600000ms".
std::string ToText(const Publication& publication);
/// Text for people: "each value known 1h 0m after its interval", "each value known as its interval
/// begins".
std::string Describe(const Publication& publication);

}  // namespace ebb::core
