#include "core/power_cap.h"

#include <optional>

#include "base/text.h"

namespace ebb::core {
namespace {

constexpr double kLeastWatts = 1, kMostWatts = 10'000;
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
  const bool percent = TakeEnding(text, "%");
  if (!percent && !TakeEnding(text, "W")) TakeEnding(text, "w");
  const auto number = ParseNumber(text);
  const double least = percent ? kLeastPercent : kLeastWatts;
  const double most = percent ? kMostPercent : kMostWatts;
  if (!number || *number < least || *number > most)
    return Fail({ExitCode::kUsage, "\"" + std::string(given) + "\" is not a power cap", "",
                 "watts of each GPU, or 10 to 100 % of its default limit: 250W, 70%"});
  return percent ? PowerCap{0, *number} : PowerCap{*number, 0};
}

std::string Describe(const PowerCap& cap) {
  return cap.watts > 0 ? FormatExact(cap.watts) + "W" : FormatExact(cap.percent) + "%";
}

}  // namespace ebb::core
