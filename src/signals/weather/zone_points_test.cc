#include "signals/weather/zone_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

TEST(ZonePoints, EachZoneHasFiveToTenPlacesThatReadBackAsTheyAre) {
  const auto zones = ZonesWithPoints();
  EXPECT_GE(zones.size(), 20u);
  for (const std::string& zone : zones) {
    const auto points = PointsOfZone(zone);
    EXPECT_GE(points.size(), 5u) << zone;
    EXPECT_LE(points.size(), 10u) << zone;
    const auto again = PointsFromText(ToText(points));
    ASSERT_TRUE(again) << zone;
    EXPECT_EQ(*again, points) << zone;
    // No zone is larger than this, so a sign or a swapped pair shows.
    for (const WeatherPoint& point : points) {
      EXPECT_LT(std::abs(point.latitude_deg - points[0].latitude_deg), 13) << zone;
      EXPECT_LT(std::abs(point.longitude_deg - points[0].longitude_deg), 17) << zone;
    }
  }
  EXPECT_TRUE(PointsOfZone("XX").empty());
}

TEST(ZonePoints, ReadsAListAndRefusesWhatIsNone) {
  const auto points = PointsFromText(" 54.4, 9.2 ;-33.9,18.5");
  ASSERT_TRUE(points);
  EXPECT_EQ(*points, (std::vector<WeatherPoint>{{54.4, 9.2}, {-33.9, 18.5}}));
  for (const char* text : {"", "54.4", "54.4,9.2,3", "91,0", "0,181", "nan,0", "a,b", "1,2;", ";"})
    EXPECT_FALSE(PointsFromText(text)) << text;
  std::string many = "1,1";
  for (int i = 1; i < 50; ++i) many += ";1,1";
  EXPECT_TRUE(PointsFromText(many));
  EXPECT_FALSE(PointsFromText(many + ";1,1"));
}

}  // namespace
}  // namespace ebb::signals
