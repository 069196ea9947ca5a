#pragma once
// Reads a web address's statement about the grid now, in several JSON shapes. Understood: NEO's
// {"carbonIntensity": n} or {"value": n}; Electricity Maps' latest (value, datetime, isEstimated);
// the UK Carbon Intensity API's {"data": [{"from", "to", "intensity": {"actual", "forecast"}}]}.
// Pure.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "core/signal/intensity.h"

namespace ebb::signals {

struct LiveReading {
  std::optional<Intensity> intensity;  ///< absent: the source says it does not know
  core::SampleStatus status = core::SampleStatus::kMeasured;
  std::optional<Time> begin;  ///< absent: the source does not say when
  std::optional<Time> end;    ///< absent: the source does not say how long
  std::string zone;           ///< "" if the source does not say
  core::Boundary boundary = core::Boundary::kUnknown;
  friend bool operator==(const LiveReading&, const LiveReading&) = default;
};

/// `where` is for messages. A payload of another shape is an Error that quotes its beginning.
Result<LiveReading> ParseLivePayload(std::string_view body, const std::string& where);

}  // namespace ebb::signals
