#include "signals/weather/zone_points.h"

#include <cmath>

#include "base/text.h"

namespace ebb::signals {
namespace {

struct Row {
  std::string_view zone;
  std::string_view points;
};

// For each zone wind places first, then sun, then cities; in tenths of a degree, finer than the
// grid of a global model.
constexpr Row kTable[] = {
    {"AU-NSW", "-34.8,149.4; -35.3,149.1; -31.0,151.8; -33.9,151.2; -32.6,148.9; -34.3,146.0"},
    {"DE",
     "54.5,9.1; 53.5,7.6; 53.0,8.9; 52.8,12.0; 51.9,11.8; 51.6,8.5; 51.4,7.0; 48.5,12.0; "
     "48.8,9.2"},
    {"DK-DK1", "55.6,8.2; 56.5,8.5; 57.2,9.9; 56.2,10.2; 55.0,9.3"},
    {"ES",
     "42.0,-1.8; 41.5,-0.9; 39.0,-2.3; 42.5,-8.3; 42.3,-4.4; 36.4,-5.8; 38.9,-6.4; 40.4,-3.7; "
     "41.4,2.1"},
    {"FR",
     "49.9,2.5; 48.9,4.2; 47.9,1.7; 48.1,-2.8; 43.3,2.8; 44.0,-0.7; 48.9,2.4; 45.8,4.8; "
     "43.4,5.3"},
    {"GB",
     "57.5,-3.6; 55.7,-3.9; 53.9,1.9; 53.8,-3.6; 51.6,1.2; 52.0,-4.0; 51.5,-0.1; 53.5,-2.2; "
     "52.5,-1.9"},
    {"IE", "52.1,-9.5; 53.2,-8.6; 54.6,-8.1; 52.3,-6.5; 53.3,-6.3"},
    {"IN-WE", "23.2,69.7; 22.3,70.8; 17.6,74.0; 20.9,75.6; 24.0,71.5; 19.1,72.9; 23.0,72.6"},
    {"IT-NO", "45.5,9.2; 45.1,7.7; 45.4,11.9; 44.5,11.3; 44.4,8.9"},
    {"JP-TK", "35.7,140.8; 36.6,140.4; 36.4,139.1; 35.7,139.7; 35.4,139.5; 37.5,140.4"},
    {"NL", "52.9,4.9; 52.7,5.7; 51.7,3.9; 53.3,6.8; 52.1,4.9"},
    {"NO", "60.4,5.3; 58.6,5.8; 59.5,7.5; 60.8,8.5; 63.8,10.0; 66.3,14.1; 59.9,10.8"},
    {"PL",
     "54.3,16.5; 54.4,18.4; 53.2,15.3; 52.7,18.2; 52.0,17.0; 52.2,21.0; 50.3,19.0; 50.1,22.0"},
    {"PT-MT", "41.5,-8.0; 40.6,-7.7; 39.4,-9.0; 38.0,-7.9; 38.7,-9.1; 41.2,-8.6"},
    {"SE",
     "65.0,20.8; 64.1,17.5; 62.9,16.5; 61.1,15.5; 58.4,13.0; 56.9,12.5; 55.7,13.2; 59.3,18.1; "
     "57.7,12.0"},
    {"US-CAL-CISO",
     "35.0,-118.4; 33.9,-116.6; 38.1,-121.8; 37.7,-121.6; 34.9,-118.2; 36.7,-120.3; "
     "33.0,-115.5; 34.1,-118.2; 37.4,-122.0"},
    {"US-MIDA-PJM",
     "41.5,-88.6; 40.5,-88.5; 40.4,-86.9; 40.0,-79.0; 41.0,-83.6; 37.5,-77.4; "
     "40.0,-75.2; 39.0,-77.0; 41.9,-87.7; 40.0,-82.9"},
    {"US-NE-ISNE", "44.9,-68.5; 44.6,-71.5; 41.2,-70.6; 42.4,-71.1; 41.8,-72.7; 42.9,-71.5"},
    {"US-NY-NYIS",
     "44.8,-73.8; 43.9,-75.5; 42.7,-78.2; 42.2,-77.5; 40.8,-72.8; 40.7,-74.0; 42.9,-78.8"},
    {"US-TEX-ERCO",
     "32.4,-100.5; 34.5,-101.5; 33.0,-99.3; 31.1,-102.3; 27.3,-97.7; 26.3,-98.0; "
     "31.3,-103.0; 32.8,-96.8; 29.8,-95.4; 30.3,-97.7"},
    {"ZA",
     "-32.6,24.5; -33.0,20.0; -31.5,20.8; -28.5,21.2; -34.0,25.0; -26.2,28.0; -29.9,31.0; "
     "-33.9,18.5"},
};

constexpr std::size_t kMostPoints = 50;

Error BadPoints(std::string_view text) {
  return {ExitCode::kUsage, "\"" + std::string(text) + "\" is not a list of places", "",
          "give latitude,longitude in degrees, with semicolons between places: 54.4,9.2; 53.4,7.6"};
}

}  // namespace

std::vector<WeatherPoint> PointsOfZone(std::string_view zone) {
  for (const Row& row : kTable)
    if (row.zone == zone) return PointsFromText(row.points).value();
  return {};
}

std::vector<std::string> ZonesWithPoints() {
  std::vector<std::string> zones;
  for (const Row& row : kTable) zones.emplace_back(row.zone);
  return zones;
}

Result<std::vector<WeatherPoint>> PointsFromText(std::string_view text) {
  std::vector<WeatherPoint> points;
  for (const std::string_view field : Split(text, ';')) {
    const auto pair = Split(field, ',');
    if (pair.size() != 2) return Fail(BadPoints(text));
    const auto latitude = ParseNumber(Trim(pair[0])), longitude = ParseNumber(Trim(pair[1]));
    if (!latitude || !longitude || !(std::fabs(*latitude) <= 90) || !(std::fabs(*longitude) <= 180))
      return Fail(BadPoints(text));
    points.push_back({*latitude, *longitude});
  }
  if (points.size() > kMostPoints) return Fail(BadPoints(text));
  return points;
}

std::string ToText(const std::vector<WeatherPoint>& points) {
  std::vector<std::string> parts;
  for (const WeatherPoint& point : points)
    parts.push_back(FormatExact(point.latitude_deg) + "," + FormatExact(point.longitude_deg));
  return Join(parts, "; ");
}

}  // namespace ebb::signals
