#pragma once
// When the values of a series become known. A measured intensity is the mean of an interval that
// has to end first, and then has to be collected and published. What is generated, or was read at
// one moment, is known when its interval begins. Values only.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ebb::core {

class Publication {
 public:
  /// Known as soon as the interval begins.
  static constexpr Publication AtBegin() { return {}; }
  /// Known `lag` after the interval has ended; not negative.
  static constexpr Publication AfterEnd(Duration lag) {
    Publication publication;
    publication.lag_ = lag;
    return publication;
  }

  constexpr Time Of(Interval interval) const {
    return lag_ ? interval.end + *lag_ : interval.begin;
  }
  /// Nothing: known at the begin.
  constexpr std::optional<Duration> lag() const { return lag_; }
  friend bool operator==(const Publication&, const Publication&) = default;

 private:
  std::optional<Duration> lag_;
};

/// Of measured series whose source does not say otherwise: what European law allows for generation
/// by type of plant (Regulation (EU) 543/2013, article 16: no later than one hour after the
/// operational period).
inline constexpr Publication kMeasuredPublication = Publication::AfterEnd(std::chrono::hours{1});

/// "1h", "0s", "none": known at the begin. At most a week.
Result<Publication> PublicationFromText(std::string_view text);
/// What PublicationFromText reads as the same: "3600000ms".
std::string ToText(const Publication& publication);
/// "each value known 1h 0m after its interval", "each value known as its interval begins".
std::string Describe(const Publication& publication);

}  // namespace ebb::core
