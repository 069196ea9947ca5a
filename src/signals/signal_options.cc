#include "signals/signal_options.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::signals {
namespace {

constexpr std::array<std::string_view, 9> kSourceNames{"replay",
                                                       "profile",
                                                       "constant",
                                                       "yearly-average",
                                                       "http",
                                                       "electricity-maps",
                                                       "uk-carbon-intensity",
                                                       "watttime",
                                                       "carbon-aware-sdk"};
constexpr std::array<std::string_view, 4> kForecastNames{"auto", "archived", "history", "perfect"};

}  // namespace

std::string_view Name(SignalSource source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}
std::string_view Name(ForecastMode mode) { return kForecastNames[static_cast<std::size_t>(mode)]; }
std::optional<SignalSource> SignalSourceFromName(std::string_view name) {
  return EnumFromName<SignalSource>(kSourceNames, name);
}
std::vector<std::string> SignalSourceNames() { return {kSourceNames.begin(), kSourceNames.end()}; }
bool IsLive(SignalSource source) { return source >= SignalSource::kHttp; }
std::optional<ForecastMode> ForecastModeFromName(std::string_view name) {
  return EnumFromName<ForecastMode>(kForecastNames, name);
}

}  // namespace ebb::signals
