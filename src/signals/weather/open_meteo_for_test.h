#pragma once
// An Open-Meteo server for tests, as far as Ebb uses one: it answers by the parameters of the
// address.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "signals/provider.h"

namespace ebb::signals {

/// One place of an answer. Tests change a field to make it wrong.
struct MeteoPlace {
  Time begin{};
  int hours = 48;
  std::vector<std::string> suffixes{""};  ///< "", or "_previous_day1" and so on
  double wind_mps = 5;                    ///< at every full hour
  std::string wind_unit = "m/s";
  int null_from = 1 << 20;  ///< first element from which wind is null
  int missing_values = 0;   ///< how many fewer winds than times

  std::string Text() const {
    std::string units, hourly, times;
    for (int i = 0; i < hours; ++i)
      times += (i > 0 ? "," : "") +
               std::to_string((begin + i * std::chrono::hours{1}).time_since_epoch() /
                              std::chrono::seconds{1});
    for (const std::string& suffix : suffixes) {
      Add("wind_speed_10m" + suffix, wind_unit, hours - missing_values, units, hourly,
          [&](int i) { return i >= null_from ? "null" : FormatExact(wind_mps); });
      Add("temperature_2m" + suffix, "°C", hours, units, hourly,
          [](int i) { return FormatExact(i); });
      Add("shortwave_radiation" + suffix, "W/m²", hours, units, hourly,
          [](int i) { return FormatExact(10 * i); });
      Add("precipitation" + suffix, "mm", hours, units, hourly,
          [](int) { return std::string("0.5"); });
    }
    return R"({"latitude":54.4,"longitude":9.2,"hourly_units":{"time":"unixtime")" + units +
           R"(},"hourly":{"time":[)" + times + "]" + hourly + "}}";
  }

 private:
  template <typename ValueOf>
  static void Add(const std::string& name, const std::string& unit, int count, std::string& units,
                  std::string& hourly, const ValueOf& value_of) {
    units += ",\"" + name + "\":\"" + unit + "\"";
    hourly += ",\"" + name + "\":[";
    for (int i = 0; i < count; ++i) hourly += (i > 0 ? "," : "") + value_of(i % 24);
    hourly += "]";
  }
};

/// The answer's shape is the server's: an object for one place, a list for several.
inline std::string MeteoAnswer(const std::vector<MeteoPlace>& places) {
  std::string text;
  for (const MeteoPlace& place : places) text += (text.empty() ? "" : ",") + place.Text();
  return places.size() == 1 ? text : "[" + text + "]";
}

/// The number of places in an address: "latitude=54.4,53.4" asks for two.
inline std::size_t PlacesAsked(std::string_view url) {
  const auto begin = url.find("latitude=");
  const std::string_view list = url.substr(begin, url.find('&', begin) - begin);
  return Split(list, ',').size();
}

}  // namespace ebb::signals
