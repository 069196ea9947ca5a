#include "cli/job_values.h"

#include "app/options/flag_values.h"
#include "app/options/when.h"
#include "platform/system_clock.h"

namespace ebb::cli {

Result<std::string> DurationForService(const std::string& flag, const std::string& text) {
  EBB_ASSIGN_OR_RETURN(const Duration duration, app::DurationOf(flag, text));
  return FormatExact(duration);
}

Result<std::string> WhenForService(const std::string& flag, const std::string& text) {
  EBB_ASSIGN_OR_RETURN(const auto zone, app::ZoneOfUser(""));
  EBB_ASSIGN_OR_RETURN(const app::When when, app::WhenOf(flag, text, platform::WallNow(), zone));
  const auto* at = std::get_if<Time>(&when);
  return at ? FormatTime(*at) : FormatExact(std::get<Duration>(when));
}

}  // namespace ebb::cli
