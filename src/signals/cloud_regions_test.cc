#include "signals/cloud_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "core/signal/countries.h"
#include "signals/choose_source.h"
#include "testing/source_tree.h"

namespace ebb::signals {
namespace {

using ::testing::HasSubstr;

std::string ZoneOf(std::string_view text) {
  const auto region = CloudRegionFromText(text);
  return region ? std::string((*region)->zone) : region.error().Message();
}

TEST(CloudRegions, EveryZoneIsOneOfElectricityMaps) {
  std::ifstream file(SourceTree() + "/src/signals/testdata/zone_keys.txt");
  std::set<std::string> keys;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("#")) keys.insert(line);
  ASSERT_GT(keys.size(), 300u);
  for (const CloudRegion& row : CloudRegions())
    EXPECT_TRUE(keys.contains(std::string(row.zone))) << row.region << " " << row.zone;
}

TEST(CloudRegions, OfEveryZoneTypicalHoursOrAYearlyMeanAreKnown) {
  int with_hours = 0;
  for (const CloudRegion& row : CloudRegions()) {
    const core::Country* country = core::CountryOfZone(row.zone);
    EXPECT_TRUE(HasProfile(row.zone) || (country && country->has_mean())) << row.zone;
    with_hours += HasProfile(row.zone);
  }
  EXPECT_EQ(with_hours, 115) << "of " << CloudRegions().size();
}

TEST(CloudRegions, AreOrderedAndUniqueAndComplete) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::map<std::string_view, int> count;
  std::string_view last;
  for (const CloudRegion& row : CloudRegions()) {
    EXPECT_TRUE(seen.insert({row.provider, row.region}).second) << row.region;
    if (count[row.provider]++ > 0) {
      EXPECT_LT(last, row.region);
    }
    last = row.region;
    EXPECT_NE(row.time_zone.find('/'), std::string_view::npos) << row.region;
    EXPECT_FALSE(row.location.empty()) << row.region;
  }
  EXPECT_GE(count["aws"], 37);
  EXPECT_GE(count["gcp"], 42);
  EXPECT_GE(count["azure"], 60);
}

TEST(CloudRegions, WhatOtherTablesHaveWrongIsRightHere) {
  for (const auto& [region, zone] : std::vector<std::pair<const char*, const char*>>{
           {"aws/us-east-1", "US-MIDA-PJM"},
           {"aws/us-east-2", "US-MIDA-PJM"},
           {"gcp/us-east4", "US-MIDA-PJM"},
           {"aws/ca-central-1", "CA-QC"},
           {"gcp/northamerica-northeast1", "CA-QC"},
           {"gcp/northamerica-northeast2", "CA-ON"},
           {"gcp/us-west3", "US-NW-PACE"},
           {"gcp/us-west4", "US-NW-NEVP"},
           {"gcp/us-east1", "US-CAR-SCEG"},
           {"gcp/us-central1", "US-MIDW-MISO"},
           {"azure/centralus", "US-MIDW-MISO"},
           {"azure/southcentralus", "US-TEX-ERCO"},
           {"aws/ap-south-1", "IN-WE"},
           {"gcp/asia-south1", "IN-WE"},
           {"gcp/asia-south2", "IN-NO"},
           {"gcp/asia-northeast2", "JP-KN"},
           {"azure/japanwest", "JP-KN"},
           {"aws/eu-north-1", "SE-SE3"},
       })
    EXPECT_EQ(ZoneOf(region), zone) << region;
  EXPECT_THAT(ZoneOf("aws/us-central-1"), HasSubstr("not a region of aws"));
}

TEST(CloudRegions, AreReadAsPeopleAndCloudsWriteThem) {
  EXPECT_EQ(ZoneOf("AWS/us-east-1"), "US-MIDA-PJM");
  EXPECT_EQ(ZoneOf("Gcp/us-west1"), "US-NW-PACW");
  EXPECT_EQ(ZoneOf("AZURE/WestEurope"), "NL");
  EXPECT_EQ(ZoneOf("google/europe-west1-c"), "BE");
  EXPECT_EQ(ZoneOf("gce/us-central1-a"), "US-MIDW-MISO");
  EXPECT_EQ(ZoneOf("aws/us-west-2b"), "US-NW-PACW");
}

TEST(CloudRegions, UnknownIsAnErrorWithWhatIsNearestAndNeverANeighbour) {
  EXPECT_THAT(ZoneOf("unknown/region"), HasSubstr("write it as aws/us-west-2"));
  EXPECT_THAT(ZoneOf("awz/us-east-1"), HasSubstr("did you mean \"aws\"?"));
  EXPECT_THAT(ZoneOf("aws/unknown-region"), HasSubstr("with --zone"));
  EXPECT_THAT(ZoneOf("aws/us-wset-2"), HasSubstr("did you mean \"us-west-2\"?"));
  // This local zone is in Los Angeles, on another grid than Oregon.
  EXPECT_THAT(ZoneOf("aws/us-west-2-lax-1a"), HasSubstr("not a region of aws"));
  EXPECT_THAT(ZoneOf("aws/us-east-1-zone-a"), HasSubstr("not a region of aws"));
  EXPECT_THAT(ZoneOf("aws/"), HasSubstr("not a region of aws"));
  EXPECT_THAT(ZoneOf("/us-east-1"), HasSubstr("names no cloud region"));
}

TEST(SettleZone, ARegionBecomesItsZoneAndSaysSo) {
  SignalOptions options;
  options.zone = "gcp/europe-west1";
  ASSERT_TRUE(SettleZone(options));
  EXPECT_EQ(options.zone, "BE");
  EXPECT_EQ(options.zone_origin, "gcp/europe-west1 (St. Ghislain)");
  ASSERT_TRUE(SettleZone(options)) << "a zone stays as it is";
  EXPECT_EQ(options.zone, "BE");
}

TEST(SettleZone, SourcesWithRegionsOfTheirOwnSaySo) {
  SignalOptions options;
  options.zone = "aws/us-west-2";
  options.source = SignalSource::kWattTime;
  const auto settled = SettleZone(options);
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().Message(), HasSubstr("watttime"));
}

TEST(SettleZone, ThisMachinesRegionIsAskedForOnlyWhenNamed) {
  SignalOptions options;
  int asked = 0;
  const auto ask = [&]() -> Result<const CloudRegion*> {
    ++asked;
    return CloudRegionFromText("azure/westeurope");
  };
  options.zone = "DE";
  ASSERT_TRUE(SettleZone(options, ask));
  EXPECT_EQ(asked, 0);
  options.zone = "cloud";
  ASSERT_TRUE(SettleZone(options, ask));
  EXPECT_EQ(options.zone, "NL");
  EXPECT_EQ(options.zone_origin, "azure/westeurope (Netherlands), by this machine's cloud");
}

}  // namespace
}  // namespace ebb::signals
