#pragma once
// Carbon intensity as a step function of time. A series belongs to one zone, one kind (average or
// marginal) and one accounting boundary; each sample says how its value came about. An unknown
// value is absent: never 0, never carried over from the neighbour. Values only; no thread of its
// own, no clock.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

/// Average and marginal intensity answer different questions; no sum may mix them.
enum class SignalKind { kAverage, kMarginal };
/// Emissions that the intensity covers: fuel burnt (direct) or the whole life cycle of the plants.
enum class Boundary { kLifecycle, kDirect, kUnknown };
/// The origin of a value, best first.
enum class SampleStatus { kMeasured, kEstimated, kForecast, kModelled };

std::string_view Name(SignalKind kind);
std::string_view Name(Boundary boundary);
std::string_view Name(SampleStatus status);
std::optional<SampleStatus> SampleStatusFromName(std::string_view name);
std::optional<SignalKind> SignalKindFromName(std::string_view name);
std::optional<Boundary> BoundaryFromName(std::string_view name);

/// One value over a half-open interval.
struct Sample {
  Interval interval;
  Intensity intensity;
  SampleStatus status = SampleStatus::kMeasured;
  std::uint8_t link = 0;  ///< index in SignalIdentity::links of the link that knew the value
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// The common properties of all samples of a series. Two series may be joined only if kind and
/// boundary agree.
struct SignalIdentity {
  std::string zone;
  SignalKind kind = SignalKind::kAverage;
  Boundary boundary = Boundary::kUnknown;
  std::string
      source;  ///< provider and file, model or address, for people: "replay US-CAL-CISO_2023.csv"
  /// The sources of a fallback chain in order, by name; empty: there is one source.
  std::vector<std::string> links{};
  friend bool operator==(const SignalIdentity&, const SignalIdentity&) = default;
};

/// The name of the link that knew the sample; "" if the signal has one source.
std::string_view LinkOf(const SignalIdentity& identity, const Sample& sample);

/// Mean over a window, weighted by time, with the share of the window that had a value.
struct WindowMean {
  Intensity intensity;
  double coverage = 0;  ///< share of the window with a value, in (0, 1]
};

/// Ordered, non-overlapping samples; gaps are allowed and stay gaps.
class IntensitySeries {
 public:
  IntensitySeries() = default;
  /// Refuses empty intervals, overlap, disorder, and values that are negative or not finite.
  static Result<IntensitySeries> Create(SignalIdentity identity, std::vector<Sample> samples);

  const SignalIdentity& identity() const { return identity_; }
  const std::vector<Sample>& samples() const { return samples_; }
  bool empty() const { return samples_.empty(); }
  /// The interval from the first begin to the last end; empty if there is no sample.
  Interval span() const;

  /// The sample whose interval contains `time`, or nullptr in a gap. O(log n).
  const Sample* At(Time time) const;
  /// The first sample that begins after `time`, or nullptr.
  const Sample* NextAfter(Time time) const;
  /// Time-weighted mean over the known part of the window; nullopt if no part is known.
  std::optional<WindowMean> Mean(Interval window) const;
  /// The samples that overlap `window`, cut to it. O(log n) beside the copied samples.
  IntensitySeries Slice(Interval window) const;
  friend bool operator==(const IntensitySeries&, const IntensitySeries&) = default;

 private:
  SignalIdentity identity_;
  std::vector<Sample> samples_;
};

/// Merges two lists, both in order of time and without overlap: all `samples`, and the parts of
/// `more` that no sample covers.
std::vector<Sample> Filled(const std::vector<Sample>& samples, const std::vector<Sample>& more);

/// A forecast as it was issued. It is a type of its own, so that no live policy can be handed the
/// truth by mistake.
struct Forecast {
  Time issued{};
  std::string
      method;  ///< for people: "typical day", "archived forecast", "yesterday and last week"
  IntensitySeries series;    ///< the median (P50), or the point forecast of a source without a band
  IntensitySeries p10, p90;  ///< 10th and 90th percentile, with the intervals of `series`; both
                             ///< empty: no band is known
  friend bool operator==(const Forecast&, const Forecast&) = default;
};

/// Everything that a decision may know at one moment: the past and present as published, and a
/// forecast beyond.
struct SignalView {
  Time now{};
  IntensitySeries known;  ///< ends with the interval that contains `now` at the latest
  Forecast forecast;      ///< begins at or after the end of `known`; may be empty

  /// The value of the interval that contains `now`; nullptr if it is missing.
  const Sample* Current() const { return known.At(now); }
  /// Mean over a window that may reach from the known into the forecast part.
  std::optional<WindowMean> Mean(Interval window) const;
  /// The known or forecast sample at `time`; nullptr if there is none.
  const Sample* At(Time time) const;
  friend bool operator==(const SignalView&, const SignalView&) = default;
};

}  // namespace ebb::core
