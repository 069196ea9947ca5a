#include "base/units_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "base/text.h"

namespace ebb {
namespace {

constexpr int kDigits = 3;
constexpr double kSmallestAmount = 1e-6;
constexpr const char* kMinus = "\u2212";

struct Unit {
  double size;
  const char* name;
};

// Rounds to three digits, so that 999.6 becomes 1000 and is written in the next unit.
double Rounded(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*e", kDigits - 1, value);
  return std::strtod(buffer, nullptr);
}

std::string Digits(double value) {
  return FormatSignificant(std::fabs(value) < 1000 ? Rounded(value) : value, kDigits);
}

// The value in the largest unit in which it is at least 1, or else in the smallest unit.
std::string InUnits(double value, std::span<const Unit> units) {
  const Unit* chosen = &units.front();
  for (const Unit& unit : units)
    if (std::fabs(Rounded(value / unit.size)) >= 1) chosen = &unit;
  return Digits(value / chosen->size) + " " + chosen->name;
}

// The digits with a comma between thousands: "8,672.5".
std::string Grouped(const std::string& digits) {
  std::string grouped;
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

}  // namespace

std::string EnergyText(Energy energy) {
  // Whole microjoules: the smallest unit of JoulesText never comes.
  return JoulesText(energy.joules());
}

std::string JoulesText(double joules) {
  static constexpr std::array<Unit, 8> kUnits{{{1e-9, "nJ"},
                                               {1e-6, "\u00b5J"},
                                               {1e-3, "mJ"},
                                               {1, "J"},
                                               {3600, "Wh"},
                                               {3.6e6, "kWh"},
                                               {3.6e9, "MWh"},
                                               {3.6e12, "GWh"}}};
  if (joules == 0) return "0 J";
  return InUnits(joules, kUnits);
}

std::string EmissionsText(Emissions emissions) {
  static constexpr std::array<Unit, 6> kUnits{
      {{1e-9, "ng"}, {1e-6, "\u00b5g"}, {1e-3, "mg"}, {1, "g"}, {1e3, "kg"}, {1e6, "t"}}};
  if (emissions.grams == 0) return "0 g";
  return InUnits(emissions.grams, kUnits);
}

std::string PowerText(Power power) {
  static constexpr std::array<Unit, 4> kUnits{{{1e-3, "mW"}, {1, "W"}, {1e3, "kW"}, {1e6, "MW"}}};
  if (power.watts == 0) return "0 W";
  return InUnits(power.watts, kUnits);
}

std::string IntensityText(Intensity intensity) {
  return FormatFixed(intensity.g_per_kwh, intensity.g_per_kwh < 10 ? 1 : 0) + " g/kWh";
}

std::string BytesText(double bytes) {
  static constexpr std::array<Unit, 4> kUnits{{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}}};
  if (bytes == 0) return "0 B";
  return InUnits(bytes, kUnits);
}

std::string MoneyText(double amount, const std::string& currency) {
  if (amount != 0 && std::fabs(amount) < kSmallestAmount)
    return "under " + FormatSignificant(kSmallestAmount, 1) + " " + currency;
  return Digits(amount) + " " + currency;
}

std::string CountText(std::int64_t count) {
  return count < 0 ? kMinus + Grouped(std::to_string(-count)) : Grouped(std::to_string(count));
}

std::string TimesText(double ratio) {
  return (ratio < 0 ? kMinus : "") + Grouped(FormatSignificant(std::fabs(ratio), 3)) + " times";
}

std::string ChangeText(double percent) {
  if (percent >= kMostPercent) return TimesText(1 + percent / 100) + " as much";
  const std::string size = FormatFixed(std::fabs(percent), 1);
  if (size == "0.0") return "the same";
  return size + " % " + (percent < 0 ? "less" : "more");
}

std::string ChangeAgainst(double percent, const std::string& other) {
  const std::string change = ChangeText(percent);
  if (change == "the same") return "as much as " + other;
  return change + (percent >= kMostPercent ? " as " : " than ") + other;
}

std::string SignedPercentText(double percent) {
  if (percent >= kMostPercent) return TimesText(1 + percent / 100);
  const std::string size = FormatFixed(std::fabs(percent), 1);
  if (size == "0.0") return "0.0 %";
  return (percent < 0 ? kMinus : "+") + size + " %";
}

}  // namespace ebb
