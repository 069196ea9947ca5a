#pragma once
// The places at which a zone's weather is read: near its turbines, panels and people. Derivation:
// docs/weather.md. Values only.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::signals {

struct WeatherPoint {
  double latitude_deg = 0, longitude_deg = 0;
  friend bool operator==(const WeatherPoint&, const WeatherPoint&) = default;
};

/// The places of a zone in the shipped table; empty if it is not there.
std::vector<WeatherPoint> PointsOfZone(std::string_view zone);
std::vector<std::string> ZonesWithPoints();

/// Reads "54.4,9.2; 53.4,7.6": at most 50 places.
Result<std::vector<WeatherPoint>> PointsFromText(std::string_view text);
std::string ToText(const std::vector<WeatherPoint>& points);

}  // namespace ebb::signals
