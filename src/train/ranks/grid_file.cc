#include "train/ranks/grid_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/file.h"

namespace ebb::train {
namespace {

std::optional<double> Number(const nlohmann::json& file, const char* key) {
  const auto found = file.find(key);
  if (found == file.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> GramsPerKwhOf(std::string_view text) {
  const auto file = nlohmann::json::parse(text, nullptr, false);
  if (!file.is_object()) return std::nullopt;
  const auto intensity = Number(file, "g_per_kwh");
  if (!intensity) return std::nullopt;
  return *intensity * Number(file, "pue").value_or(1);
}

std::optional<double> ReadGridFile(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const auto text = platform::ReadFile(path);
  return text ? GramsPerKwhOf(*text) : std::nullopt;
}

}  // namespace ebb::train
