#pragma once
// Values of job flags in the form that the API takes.

#include <string>

#include "base/result.h"

namespace ebb::cli {

/// A duration with a unit. The service would take a number without a unit as seconds.
Result<std::string> DurationForService(const std::string& flag, const std::string& text);
/// A time by the person's clock, or a distance, which counts from the moment when the service takes
/// it.
Result<std::string> WhenForService(const std::string& flag, const std::string& text);

}  // namespace ebb::cli
