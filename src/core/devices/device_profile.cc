#include "core/devices/device_profile.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ebb::core {
namespace {

using Words = std::vector<std::string>;

constexpr double kIdleShareOfMax = 0.1;

Words WordsOf(std::string_view text) {
  Words words(1);
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c))
      words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool Has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool HasAll(const Words& words, const Words& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& word) { return Has(words, word); });
}

bool IsMemorySize(const std::string& word) {
  if (!word.ends_with("gb") || word.size() < 3) return false;
  return std::all_of(word.begin(), word.end() - 2,
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// True for a word that says nothing about the model.
bool IsFiller(const std::string& word) {
  return word == "nvidia" || word == "tesla" || word == "geforce" || word == "quadro" ||
         IsMemorySize(word);
}

// The number of words of `model` that `name` has if they match; 0 if they do not.
std::size_t Match(const Words& name, const Words& model, bool strictly) {
  if (model.empty() || !HasAll(name, model)) return 0;
  const auto is_known = [&](const std::string& word) { return Has(model, word) || IsFiller(word); };
  if (strictly && !std::all_of(name.begin(), name.end(), is_known)) return 0;
  return model.size();
}

const DeviceProfile* BestMatch(const Words& name, std::span<const DeviceProfile> profiles,
                               bool strictly) {
  const DeviceProfile* best = nullptr;
  std::size_t most = 0;
  for (const DeviceProfile& profile : profiles) {
    const std::size_t words = Match(name, WordsOf(profile.model), strictly);
    if (words <= most) continue;
    most = words;
    best = &profile;
  }
  return best;
}

double Ratio(double of, double to) { return of > 0 && to > 0 ? of / to : 1; }

}  // namespace

DeviceProfile ProfileOf(std::string_view name, std::span<const DeviceProfile> own) {
  const Words words = WordsOf(name);
  DeviceProfile profile;
  if (const DeviceProfile* built_in = BestMatch(words, BuiltInDeviceProfiles(), true))
    profile = *built_in;
  if (const DeviceProfile* given = BestMatch(words, own, false)) {
    profile.model = given->model;
    if (given->idle) profile.idle = given->idle;
    if (given->max) profile.max = given->max;
    if (given->tflops) profile.tflops = given->tflops;
    profile.source = given->source;
  }
  return profile;
}

DeviceProfile PartOf(DeviceProfile profile, double share) {
  if (profile.idle) profile.idle->watts *= share;
  if (profile.max) profile.max->watts *= share;
  if (profile.tflops) *profile.tflops *= share;
  return profile;
}

RelativeDevice RelativeTo(const DeviceProfile& reference, const DeviceProfile& device) {
  RelativeDevice relative;
  relative.speed = Ratio(device.tflops.value_or(0), reference.tflops.value_or(0));
  relative.power_factor =
      Ratio(device.max.value_or(Power{0}).watts, reference.max.value_or(Power{0}).watts);
  return relative;
}

std::optional<Power> EstimatedPower(const DeviceProfile& profile, double utilisation) {
  if (!profile.max) return std::nullopt;
  const double max_w = profile.max->watts;
  const double idle_w =
      std::min(profile.idle ? profile.idle->watts : kIdleShareOfMax * max_w, max_w);
  return Power{idle_w + (max_w - idle_w) * std::clamp(utilisation, 0.0, 1.0)};
}

}  // namespace ebb::core
