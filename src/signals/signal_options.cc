#include "signals/signal_options.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr std::array<std::string_view, 20> kSourceNames{"replay",
                                                        "profile",
                                                        "constant",
                                                        "yearly-average",
                                                        "http",
                                                        "electricity-maps",
                                                        "uk-carbon-intensity",
                                                        "watttime",
                                                        "carbon-aware-sdk",
                                                        "energy-charts",
                                                        "caiso",
                                                        "nyiso",
                                                        "ercot",
                                                        "miso",
                                                        "spp",
                                                        "ieso",
                                                        "openelectricity",
                                                        "eia-930",
                                                        "entso-e",
                                                        "command"};
constexpr std::array<std::string_view, 5> kForecastNames{"auto", "archived", "history", "perfect",
                                                         "weather"};

bool NeedsAddress(SignalSource source) {
  return source == SignalSource::kHttp || source == SignalSource::kCarbonAwareSdk;
}

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
std::vector<std::string> ForecastModeNames() {
  return {kForecastNames.begin(), kForecastNames.end()};
}

Result<std::vector<SignalSource>> SignalSourcesFromText(std::string_view text) {
  std::vector<SignalSource> sources;
  for (const std::string_view field : Split(text, ',')) {
    const std::string name(Trim(field));
    const auto source = SignalSourceFromName(name);
    if (!source)
      return Fail({ExitCode::kUsage, "\"" + name + "\" is not a signal source", "",
                   "choose of " + Join(SignalSourceNames(), ", ") +
                       SuggestionText(name, SignalSourceNames())});
    if (std::find(sources.begin(), sources.end(), *source) != sources.end())
      return Fail({ExitCode::kUsage, name + " is named twice", "", "name each source once"});
    sources.push_back(*source);
  }
  return sources;
}

std::vector<SignalSource> SourcesOf(const SignalOptions& options) {
  std::vector<SignalSource> sources{options.source};
  sources.insert(sources.end(), options.fallbacks.begin(), options.fallbacks.end());
  return sources;
}

std::string NamesOfSources(const SignalOptions& options) {
  std::string names;
  for (const SignalSource source : SourcesOf(options))
    names += (names.empty() ? "" : ",") + std::string(Name(source));
  return names;
}

SignalOptions LinkOptions(const SignalOptions& options, std::size_t link) {
  const std::vector<SignalSource> sources = SourcesOf(options);
  const auto needs = std::find_if(sources.begin(), sources.end(), NeedsAddress);
  const auto owner = needs == sources.end() ? sources.begin() : needs;
  SignalOptions one = options;
  one.source = sources[link];
  one.fallbacks.clear();
  if (sources.begin() + static_cast<std::ptrdiff_t>(link) != owner) one.url.clear();
  return one;
}

}  // namespace ebb::signals
