#include "signals/zone_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr const char* kTab =
    "#code\tcoordinates\tTZ\tcomments\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n"
    "PL\t+5215+02100\tEurope/Warsaw\nKE\t-0117+03649\tAfrica/Nairobi\n"
    "AU\t-3352+15113\tAustralia/Sydney\tNew South Wales\n"
    "AU\t-3157+11551\tAustralia/Perth\tWestern Australia\n"
    "NZ\t-3652+17446\tPacific/Auckland\nUS\t+404251-0740023\tAmerica/New_York\tEastern\n";

std::vector<std::string> NamesOf(const std::vector<ListedZone>& zones, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, zones.size()); ++i) names.push_back(zones[i].zone);
  return names;
}

TEST(ZoneList, HasEveryZoneOnceWithAPlaceAndWhatItGets) {
  const auto zones = ListZones("");
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(zones[i - 1].zone, zones[i].zone);
    }
    EXPECT_FALSE(zones[i].place.empty()) << zones[i].zone;
  }
  const auto of = [&](const char* name) {
    return *std::find_if(zones.begin(), zones.end(),
                         [&](const ListedZone& zone) { return zone.zone == name; });
  };
  EXPECT_EQ(of("GB-13").place, "London");
  EXPECT_EQ(of("GB-13").source, SignalSource::kUkCarbonIntensity);
  EXPECT_EQ(of("AU-NSW").source, SignalSource::kOpenElectricity);
  EXPECT_EQ(of("AU-NSW").mean_g_per_kwh, 574);
  EXPECT_EQ(of("KE").source, SignalSource::kYearlyAverage);
  EXPECT_THAT(of("US-NW-PACW").cloud_regions, Contains("aws/us-west-2"));
}

TEST(ZoneList, TheNearestByTheClockComeFirst) {
  auto zones = ListZones(kTab);
  SortByNearness(zones, "Australia/Sydney", kTab);
  EXPECT_EQ(zones[0].zone, "AU-NSW");
  for (std::size_t i = 1; i < 7; ++i) EXPECT_TRUE(zones[i].zone.starts_with("AU")) << zones[i].zone;
  const auto at = [&](const char* name) {
    return std::ranges::find(zones, name, &ListedZone::zone) - zones.begin();
  };
  EXPECT_LT(at("NZ"), at("KE"));
  EXPECT_LT(at("KE"), at("US-NY-NYIS"));
  auto utc = ListZones(kTab);
  SortByNearness(utc, "UTC", kTab);
  EXPECT_EQ(utc[0].zone, "AE") << "a clock on UTC says nothing";
}

TEST(ZoneList, IsSearchedByZonePlaceCountryCityAndCloudRegion) {
  const auto zones = ListZones(kTab);
  EXPECT_EQ(FindZones(zones, "de")[0].zone, "DE");
  EXPECT_THAT(NamesOf(FindZones(zones, "new york"), 9), ElementsAre("US-NY-NYIS"));
  EXPECT_THAT(NamesOf(FindZones(zones, "aws/eu-central-2"), 9), ElementsAre("CH"));
  EXPECT_THAT(NamesOf(FindZones(zones, "Nairobi"), 9), ElementsAre("KE"));
  EXPECT_EQ(FindZones(zones, "tasmania")[0].zone, "AU-TAS");
  EXPECT_THAT(NamesOf(FindZones(zones, "sweden"), 9), Contains("SE-SE3"));
  EXPECT_TRUE(FindZones(zones, "Atlantis").empty());
}

}  // namespace
}  // namespace ebb::signals
