#include "cli/weather_explanation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace ebb::cli {
namespace {

using forecast::Coverage;
using forecast::DriverShares;
using forecast::HourOfWeather;
using forecast::WeatherDriver;

constexpr std::size_t kNextHours = 24;
constexpr std::size_t kNameColumns = 12, kDepartureColumns = 30, kNumberColumns = 12;
constexpr std::size_t kDateLetters = 10;  // letters of the date in "2026-11-19 17:52"

constexpr WeatherDriver DriverAt(std::size_t index) { return static_cast<WeatherDriver>(index); }

// Means over the hours with known weather.
struct Means {
  DriverShares effects{}, departures{};
  double hours = 0;
  void Add(const HourOfWeather& hour) {
    if (hour.coverage == Coverage::kNone) return;
    ++hours;
    for (std::size_t driver = 0; driver < forecast::kWeatherDrivers; ++driver) {
      effects[driver] += (hour.effects[driver] - effects[driver]) / hours;
      departures[driver] += (hour.departures[driver] - departures[driver]) / hours;
    }
  }
  double Together() const {
    double sum = 0;
    for (const double effect : effects) sum += effect;
    return sum;
  }
};

// "-40", "+3", "0".
std::string Signed(double value) {
  const std::string text = FormatFixed(std::abs(value), 0);
  return text == "0" ? text : (value < 0 ? "-" : "+") + text;
}

// The number of letters, each of which takes one column.
std::size_t ColumnsOf(const std::string& text) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

std::string Left(std::string text, std::size_t columns) {
  const std::size_t taken = ColumnsOf(text);
  return text + std::string(columns > taken ? columns - taken : 0, ' ');
}

std::string Right(const std::string& text, std::size_t columns) {
  const std::size_t taken = ColumnsOf(text);
  return std::string(columns > taken ? columns - taken : 0, ' ') + text;
}

// "1.8 m/s above usual", "more than usual", "as usual".
std::string DepartureText(WeatherDriver driver, double departure) {
  const std::string_view unit = forecast::UnitOf(driver);
  const std::string size = FormatFixed(std::abs(departure), driver == WeatherDriver::kSun ? 0 : 1);
  if (size == "0" || size == "0.0") return "as usual";
  if (unit.empty()) return departure > 0 ? "more than usual" : "less than usual";
  return size + " " + std::string(unit) + (departure > 0 ? " above usual" : " below usual");
}

std::string NextText(const std::vector<HourOfWeather>& hours) {
  Means next;
  for (std::size_t i = 0; i < std::min(kNextHours, hours.size()); ++i) next.Add(hours[i]);
  if (next.hours == 0) return "";
  std::string text = "next " + std::to_string(std::min(kNextHours, hours.size())) + " h\n";
  for (std::size_t i = 0; i < forecast::kWeatherDrivers; ++i)
    text += "  " + Left(std::string(Name(DriverAt(i))), kNameColumns) +
            Left(DepartureText(DriverAt(i), next.departures[i]), kDepartureColumns) +
            Right(Signed(next.effects[i]), kNumberColumns) + "\n";
  return text;
}

std::string DaysText(const std::vector<HourOfWeather>& hours, const LocalTimes& times) {
  std::map<std::string, Means> days;
  for (const HourOfWeather& hour : hours)
    days[times.Minute(hour.hour.begin).substr(0, kDateLetters)].Add(hour);
  std::string text = Left("", kNameColumns);
  for (std::size_t i = 0; i < forecast::kWeatherDrivers; ++i)
    text += Right(std::string(Name(DriverAt(i))), kNumberColumns);
  text += Right("together", kNumberColumns) + "\n";
  for (const auto& [day, means] : days) {
    text += Left(day, kNameColumns);
    for (const double effect : means.effects)
      text += Right(means.hours > 0 ? Signed(effect) : "-", kNumberColumns);
    text += Right(means.hours > 0 ? Signed(means.Together()) : "-", kNumberColumns) + "\n";
  }
  return text;
}

}  // namespace

std::string WeatherExplanationText(const std::vector<HourOfWeather>& hours,
                                   const LocalTimes& times) {
  const bool known = std::any_of(hours.begin(), hours.end(), [](const HourOfWeather& hour) {
    return hour.coverage != Coverage::kNone;
  });
  if (!known) return "no weather is known of these hours: this is the forecast from the own past\n";
  return "what the weather adds, beside weather as is usual at each hour (g/kWh, means; below 0: "
         "cleaner)\n" +
         NextText(hours) + "\n" + DaysText(hours, times);
}

}  // namespace ebb::cli
