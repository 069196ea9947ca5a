#include "config/operator_file.h"

#include "platform/file.h"
#include "prices/zone_clock.h"

namespace ebb::config {
namespace {

constexpr const char* kPublishedBy = "Europe/Brussels";
constexpr std::chrono::hours kPublishedAt{18};

}  // namespace

Result<signals::OperatorForecast> LoadOperators(const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFileMaybeGzip(path));
  EBB_ASSIGN_OR_RETURN(signals::OperatorForecast hours, signals::ParseOperatorCsv(text, path));
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kPublishedBy));
  for (signals::ExpectedHour& hour : hours) {
    if (hour.published) continue;
    const auto day = std::chrono::floor<std::chrono::days>(clock.LocalOf(hour.begin));
    hour.published = clock.UtcOf(day - std::chrono::days{1} + kPublishedAt);
  }
  return hours;
}

}  // namespace ebb::config
