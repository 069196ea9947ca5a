#include "signals/signal_options.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::signals {
namespace {

constexpr std::array<std::string_view, 4> kSourceNames{"replay", "profile", "constant", "http"};
constexpr std::array<std::string_view, 4> kForecastNames{"auto", "archived", "history", "perfect"};

}  // namespace

std::string_view Name(SignalSource source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}
std::string_view Name(ForecastMode mode) { return kForecastNames[static_cast<std::size_t>(mode)]; }
std::optional<SignalSource> SignalSourceFromName(std::string_view name) {
  return EnumFromName<SignalSource>(kSourceNames, name);
}
std::optional<ForecastMode> ForecastModeFromName(std::string_view name) {
  return EnumFromName<ForecastMode>(kForecastNames, name);
}

}  // namespace ebb::signals
