#include "app/options/missing_zone.h"

#include <cstdlib>

#include "app/options/user_settings.h"
#include "app/options/when.h"
#include "config/neo_clock.h"
#include "platform/file.h"
#include "signals/cloud_metadata.h"
#include "signals/zone_guess.h"

namespace ebb::app {
namespace {

constexpr const char* kVariable = "EBB_ZONE";

// A metadata service is asked only in a cloud: a machine at home does not have one.
bool IsInCloud() {
  const auto vendor = platform::ReadFile("/sys/class/dmi/id/sys_vendor", 4096);
  if (!vendor) return false;
  for (const char* cloud : {"Amazon EC2", "Google", "Microsoft Corporation"})
    if (vendor->starts_with(cloud)) return true;
  return false;
}

std::optional<ZoneGuess> GuessByCloud() {
  if (!IsInCloud()) return std::nullopt;
  const auto region = signals::RegionOfThisMachine();
  if (!region) return std::nullopt;
  return ZoneGuess{std::string((*region)->zone),
                   std::string((*region)->provider) + "/" + std::string((*region)->region)};
}

std::optional<ZoneGuess> GuessByClock() {
  const auto clock = ZoneOfEnvironment();
  const auto table = platform::ReadFile("/usr/share/zoneinfo/zone.tab", 1 << 20);
  if (!clock || !table) return std::nullopt;
  const auto zone = signals::ZoneOfTimeZone(clock->name(), *table);
  return zone ? std::optional(ZoneGuess{*zone, "the time zone " + clock->name()}) : std::nullopt;
}

bool NeedsZone(signals::SignalSource source) {
  using signals::SignalSource;
  return source == SignalSource::kProfile || source == SignalSource::kElectricityMaps;
}

}  // namespace

const std::optional<ZoneGuess>& GuessedZone() {
  static const std::optional<ZoneGuess> guess = [] {
    auto by_cloud = GuessByCloud();
    return by_cloud ? by_cloud : GuessByClock();
  }();
  return guess;
}

bool FindMissingZone(signals::SignalOptions& options) {
  if (!options.zone.empty() || !NeedsZone(options.source)) return false;
  if (const char* variable = std::getenv(kVariable); variable && *variable != 0) {
    options.zone = variable;
    options.zone_origin = kVariable;
    return true;
  }
  if (const config::Setting* setting = SettingsOfUser().Find("zone")) {
    options.zone = setting->value;
    options.zone_origin = setting->Where();
    return true;
  }
  const std::optional<ZoneGuess>& guess = GuessedZone();
  if (!guess) return false;
  options.zone = guess->zone;
  options.zone_origin =
      guess->from + ": a guess; to settle it, run ebb init, or give --zone " + guess->zone;
  return true;
}

void FindMissingNeoClock(signals::SignalOptions& options) {
  if (options.zone != signals::kNeoProfile || !options.neo_clock.name.empty()) return;
  const auto zone = ZoneOfUser("");
  const auto clock = config::NeoClockOf(zone ? zone->name() : "");
  options.neo_clock = clock ? *clock : config::FixedNeoClock(Duration{0});
}

}  // namespace ebb::app
