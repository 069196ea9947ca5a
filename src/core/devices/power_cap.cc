#include "core/devices/power_cap.h"

#include <optional>

#include "base/text.h"

namespace ebb::core {
namespace {

constexpr double kLeastWatts = 1, kMostWatts = 10'000;
constexpr std::string_view kAutomatic = "auto";
constexpr double kMostSlowdown = 100;
constexpr double kLeastPercent = 10, kMostPercent = 100;

bool TakeEnding(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  text = Trim(text);
  return true;
}

}  // namespace

Result<PowerCap> ParsePowerCap(std::string_view given) {
  std::string_view text = Trim(given);
  if (text == kAutomatic) return PowerCap{.automatic = true};
  const bool percent = TakeEnding(text, "%");
  if (!percent && !TakeEnding(text, "W")) TakeEnding(text, "w");
  const auto number = ParseNumber(text);
  const double least = percent ? kLeastPercent : kLeastWatts;
  const double most = percent ? kMostPercent : kMostWatts;
  if (!number || *number < least || *number > most)
    return Fail({ExitCode::kUsage, "\"" + std::string(given) + "\" is not a power cap", "",
                 "watts of each GPU, 10 to 100 % of its default limit, or auto: 250W, 70%, auto"});
  return percent ? PowerCap{.percent = *number} : PowerCap{.watts = *number};
}

std::string Describe(const PowerCap& cap) {
  if (cap.automatic) return std::string(kAutomatic);
  return cap.watts > 0 ? FormatExact(cap.watts) + "W" : FormatExact(cap.percent) + "%";
}

Result<Slowdown> ParseSlowdown(std::string_view given) {
  std::string_view text = Trim(given);
  TakeEnding(text, "%");
  const auto number = ParseNumber(text);
  if (!number || *number < 0 || *number > kMostSlowdown)
    return Fail({ExitCode::kUsage, "\"" + std::string(given) + "\" is not a slowdown", "",
                 "percent of the time of a step, 0 to 100: 5%"});
  return Slowdown{*number};
}

std::string Describe(const Slowdown& slowdown) { return FormatExact(slowdown.percent) + "%"; }

}  // namespace ebb::core
