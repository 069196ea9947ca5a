#pragma once
// Values of flags about a job, as the API takes them.

#include <string>

#include "base/result.h"

namespace ebb::cli {

/// A length of time. The service would take a number without a unit as seconds.
Result<std::string> DurationForService(const std::string& flag, const std::string& text);
/// A time is by the clock of the person; a distance counts from when the service takes it.
Result<std::string> WhenForService(const std::string& flag, const std::string& text);

}  // namespace ebb::cli
