#pragma once
// Turns the rows of an answer into samples. Every provider checks and orders its rows here, so that
// a negative, impossible or doubled value is refused in one place. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "signals/provider.h"

namespace ebb::signals {

/// A row as the payload states it.
struct Point {
  Time begin{};
  std::optional<Time> end;      ///< absent: up to the next row, at most the step
  std::optional<double> value;  ///< g/kWh; absent: the source does not know it, so there is a gap
  core::SampleStatus status = core::SampleStatus::kMeasured;
};

inline constexpr double kHighestPossibleGPerKwh = 10'000;
inline constexpr double kGramsPerKwhOfPoundsPerMwh = 0.45359237;

/// Reads a member that must exist and be a number or null.
Result<std::optional<double>> NumberOrNull(const JsonNode& row, std::string_view member,
                                           const std::string& where);
/// Reads a member that must exist and be a time.
Result<Time> TimeMember(const JsonNode& row, std::string_view member, const std::string& where);

/// Orders the rows. If two have the same time, the better status wins, then the later row. A row
/// without an end lasts `step`, or else the shortest distance of rows (an hour if there is only
/// one), and ends where the next begins. Refuses values that cannot be g/kWh and empty intervals.
Result<std::vector<core::Sample>> SamplesFrom(std::vector<Point> points,
                                              std::optional<Duration> step,
                                              const std::string& where);

}  // namespace ebb::signals
