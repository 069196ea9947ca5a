#pragma once
// Short ways to write a Field (definition.h) in a table, and the limits that several tables share.
// Pure.

#include <string>
#include <utility>
#include <vector>

#include "core/options/definition.h"

namespace ebb::core {

inline constexpr double kLeastBudget = 1e-9;      ///< least budget, in kWh or g
inline constexpr double kMostBudgetKwh = 2e6;     ///< largest budget; Energy holds 2.56e6 kWh
inline constexpr double kMostBudgetG = 1e12;      ///< largest budget
inline constexpr double kMostIntensity = 10'000;  ///< highest intensity, in g/kWh; no grid on Earth
                                                  ///< exceeds it
inline constexpr double kMostPriority = 1e6;
inline constexpr double kMostDevices = 1e6;
inline constexpr double kMostWatts = 1e7;           ///< highest power of one device, in watts
inline constexpr double kShortestDuration = 0.001;  ///< shortest duration, in seconds: the
                                                    ///< resolution of time
inline constexpr std::size_t kLongestKey = 500;
inline constexpr const char* kOlderThreshold = "threshold_g_per_kwh";  ///< of a job and a tier
inline constexpr std::size_t kLongestAddress = 2000;

// A number. Its unit stands in the key or in the meaning.
inline Field Number(std::string key, std::string meaning, std::string default_text,
                    std::string example, double low, double high) {
  return {std::move(key),
          Shape::kNumber,
          std::move(meaning),
          std::move(default_text),
          std::move(example),
          false,
          low,
          high};
}
inline Field Whole(std::string key, std::string meaning, std::string default_text,
                   std::string example, double low, double high) {
  return {std::move(key),
          Shape::kWhole,
          std::move(meaning),
          std::move(default_text),
          std::move(example),
          false,
          low,
          high};
}
inline Field Choice(std::string key, std::string meaning, std::string default_text,
                    std::string example, std::vector<std::string> choices) {
  Field field{std::move(key), Shape::kChoice, std::move(meaning), std::move(default_text),
              std::move(example)};
  field.choices = std::move(choices);
  return field;
}
/// A field that holds one object or several.
inline Field Part(std::string key, Shape shape, std::string meaning, const Definition& definition,
                  std::string example = "", FlagName flag = {}) {
  Field field{std::move(key), shape, std::move(meaning), "", std::move(example)};
  field.definition = &definition;
  field.flag = std::move(flag);
  return field;
}
inline Field UpTo(std::size_t longest, Field field) {
  field.longest = longest;
  return field;
}
inline Field Required(Field field) {
  field.required = true;
  return field;
}
inline Field Formerly(std::string name, Field field) {
  field.formerly = std::move(name);
  return field;
}
inline Field In(std::string unit, Field field) {
  field.unit = std::move(unit);
  return field;
}
inline Field CalledElsewhere(std::vector<std::string> names, Field field) {
  field.elsewhere = std::move(names);
  return field;
}
/// The field under another key.
inline Field Called(std::string key, Field field) {
  field.key = std::move(key);
  return field;
}
/// The field with another default for people.
inline Field WithDefault(std::string text, Field field) {
  field.default_text = std::move(text);
  return field;
}
/// The field with more words at the end of its meaning.
inline Field Adding(const std::string& words, Field field) {
  field.meaning += words;
  return field;
}
inline Field ByFlag(FlagName flag, Field field) {
  field.flag = std::move(flag);
  return field;
}
inline Field Priority() {
  return Whole("priority", "higher goes first", "0", "2", -kMostPriority, kMostPriority);
}

}  // namespace ebb::core
