#include "app/options/missing_zone.h"

#include <cstdlib>

#include "app/options/when.h"
#include "platform/file.h"
#include "signals/cloud_metadata.h"
#include "signals/zone_guess.h"

namespace ebb::app {
namespace {

constexpr const char* kVariable = "EBB_ZONE";

struct Guess {
  std::string zone, from;
};

// A machine at home is not asked for a metadata service that it does not have.
bool IsInCloud() {
  const auto vendor = platform::ReadFile("/sys/class/dmi/id/sys_vendor", 4096);
  if (!vendor) return false;
  for (const char* cloud : {"Amazon EC2", "Google", "Microsoft Corporation"})
    if (vendor->starts_with(cloud)) return true;
  return false;
}

std::optional<Guess> GuessByCloud() {
  if (!IsInCloud()) return std::nullopt;
  const auto region = signals::RegionOfThisMachine();
  if (!region) return std::nullopt;
  return Guess{std::string((*region)->zone),
               std::string((*region)->provider) + "/" + std::string((*region)->region)};
}

std::optional<Guess> GuessByClock() {
  const auto clock = ZoneOfEnvironment();
  const auto table = platform::ReadFile("/usr/share/zoneinfo/zone.tab", 1 << 20);
  if (!clock || !table) return std::nullopt;
  const auto zone = signals::ZoneOfTimeZone(clock->name(), *table);
  return zone ? std::optional(Guess{*zone, "the time zone " + clock->name()}) : std::nullopt;
}

const std::optional<Guess>& GuessOfThisMachine() {
  static const std::optional<Guess> guess = [] {
    auto by_cloud = GuessByCloud();
    return by_cloud ? by_cloud : GuessByClock();
  }();
  return guess;
}

bool NeedsZone(signals::SignalSource source) {
  using signals::SignalSource;
  return source == SignalSource::kProfile || source == SignalSource::kElectricityMaps;
}

}  // namespace

bool FindMissingZone(signals::SignalOptions& options) {
  if (!options.zone.empty() || !NeedsZone(options.source)) return false;
  if (const char* variable = std::getenv(kVariable); variable && *variable != 0) {
    options.zone = variable;
    options.zone_origin = kVariable;
    return true;
  }
  const std::optional<Guess>& guess = GuessOfThisMachine();
  if (!guess) return false;
  options.zone = guess->zone;
  options.zone_origin = guess->from + ": a guess; to settle it, give --zone or export " +
                        std::string(kVariable) + "=" + guess->zone;
  return true;
}

}  // namespace ebb::app
