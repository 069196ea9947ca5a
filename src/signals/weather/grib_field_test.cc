#include "signals/weather/grib_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/file.h"
#include "signals/weather/grib_for_test.h"
#include "signals/weather/grib_layout.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

const std::vector<WeatherPoint> kPlaces{{54.4, 9.2}, {48.0, 10.0}, {51.5, 0.0}};

// Values on a plane, so that any bilinear interpolation is exact.
double Plane(double latitude, double longitude) { return 2 + latitude / 10 + longitude / 20; }

class Grib : public testing::Test {
 protected:
  void SetUp() override { EBB_SKIP_WITHOUT_ECCODES(); }
  static std::string ErrorOf(const std::string& bytes) {
    const auto fields = ReadGrib(bytes, "f003", kPlaces);
    return fields ? "no error" : fields.error().Message();
  }
};

TEST_F(Grib, ReadsAFieldBetweenThePointsOfItsGrid) {
  const auto fields = ReadGrib(WindEast(3, Plane).Message(), "f003", kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  ASSERT_EQ(fields->size(), 1u);
  const GribField& field = fields->front();
  EXPECT_EQ(field.quantity, GribQuantity::kWindEast);
  EXPECT_EQ(field.height_m, 10);
  EXPECT_EQ(field.issued, *ParseTime("2026-05-06T00:00Z"));
  EXPECT_EQ(field.from, hours{3});
  EXPECT_EQ(field.to, hours{3});
  ASSERT_EQ(field.at_points.size(), 3u);
  for (std::size_t i = 0; i < kPlaces.size(); ++i)
    EXPECT_NEAR(field.at_points[i], Plane(kPlaces[i].latitude_deg, kPlaces[i].longitude_deg), 1e-5);
}

TEST_F(Grib, SpansAreMeansOrSumsInOurUnits) {
  const std::string bytes = Shortwave(6, 9, Everywhere(120)).Message() +
                            RainRate(6, 9, Everywhere(0.001)).Message() +
                            RainSum(0, 9, Everywhere(4)).Message();
  const auto fields = ReadGrib(bytes, "f009", kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  ASSERT_EQ(fields->size(), 3u);
  EXPECT_EQ((*fields)[0].quantity, GribQuantity::kShortwave);
  EXPECT_EQ((*fields)[0].from, hours{6});
  EXPECT_EQ((*fields)[0].to, hours{9});
  EXPECT_NEAR((*fields)[1].at_points[0], 3.6, 1e-6) << "kg/m2/s are mm/s";
  EXPECT_EQ((*fields)[2].quantity, GribQuantity::kRainSum);
  EXPECT_EQ((*fields)[2].from, hours{0});
}

TEST_F(Grib, PassesOverWhatIsNotWanted) {
  TestGrib gust = WindEast(3, Everywhere(9));
  gust.number = 22;
  TestGrib isobaric = WindEast(3, Everywhere(9));
  isobaric.surface = 100;
  isobaric.height_m = 50000;
  const std::string bytes = gust.Message() + isobaric.Message() +
                            WindEast(3, Everywhere(9), 80).Message() +
                            OverSpan(1, 7, 3, 3, Everywhere(1)).Message() +  // a rate at a moment
                            Temperature(3, Everywhere(280)).Message();
  const auto fields = ReadGrib(bytes, "f003", kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  ASSERT_EQ(fields->size(), 1u);
  EXPECT_EQ(fields->front().quantity, GribQuantity::kTemperature);
}

TEST_F(Grib, AGridThatGoesAroundTheGlobeHasNoEdge) {
  TestGrib globe =
      WindEast(0, [](double, double longitude) { return longitude == 0 ? 10.0 : 4.0; });
  globe.north = 90;
  globe.south = -90;
  globe.east = 359;
  globe.columns = 360;
  globe.rows = 181;
  const auto fields = ReadGrib(globe.Message(), "f000", {{51.5, -0.5}, {51.5, 359.75}, {-90, 0}});
  ASSERT_TRUE(fields) << fields.error().Message();
  EXPECT_NEAR(fields->front().at_points[0], 7, 1e-5);
  EXPECT_NEAR(fields->front().at_points[1], 8.5, 1e-5);
  EXPECT_NEAR(fields->front().at_points[2], 10, 1e-5);
}

TEST_F(Grib, RowsMayGoFromSouthToNorth) {
  TestGrib south_first = WindEast(0, Plane);
  std::swap(south_first.north, south_first.south);
  std::string bytes = south_first.Message();
  // Scanning mode: the 72nd byte of section 3, which follows sections 0 and 1.
  bytes[16 + 21 + 71] = 0x40;
  const auto fields = ReadGrib(bytes, "f000", kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  EXPECT_NEAR(fields->front().at_points[0], Plane(54.4, 9.2), 1e-5);
}

TEST_F(Grib, AMissingValueLeavesTheOtherCorners) {
  const auto hole = [](double latitude, double) { return latitude > 54 ? NAN : 5.0; };
  const auto fields = ReadGrib(WindEast(0, hole).Message(), "f000", {{55, 10}, {59, 10}});
  ASSERT_TRUE(fields) << fields.error().Message();
  EXPECT_NEAR(fields->front().at_points[0], 5, 1e-5);
  EXPECT_TRUE(std::isnan(fields->front().at_points[1]));
}

TEST_F(Grib, SeveralFieldsInOneMessageAreReadOneByOne) {
  // Sections 4 to 7 may be repeated: north wind after east wind.
  const std::string east = WindEast(0, Everywhere(3)).Message();
  const std::string north = WindNorth(0, Everywhere(4)).Message();
  const std::size_t head = 16 + 21 + 72;
  std::string both = east.substr(0, east.size() - 4) + north.substr(head);
  for (std::size_t i = 0; i < 8; ++i)
    both[8 + i] = static_cast<char>(static_cast<std::uint64_t>(both.size()) >> (56 - 8 * i));
  const auto fields = ReadGrib(both, "f000", kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  ASSERT_EQ(fields->size(), 2u);
  EXPECT_NEAR((*fields)[0].at_points[0], 3, 1e-5);
  EXPECT_NEAR((*fields)[1].at_points[0], 4, 1e-5);
}

TEST_F(Grib, NamesWhatIsWrong) {
  const std::string good = WindEast(3, Everywhere(3)).Message();
  EXPECT_THAT(ErrorOf("no weather at all"), HasSubstr("f003: there is no GRIB message"));
  EXPECT_THAT(ErrorOf(good.substr(0, 100)), HasSubstr("the file ends within a message"));
  EXPECT_THAT(ErrorOf(good + "GRI"), HasSubstr("there is no GRIB message where one should begin"));
  std::string edition_1 = good;
  edition_1[7] = 1;
  EXPECT_THAT(ErrorOf(edition_1), HasSubstr("is of GRIB edition 1, not 2"));
  std::string no_end = good;
  no_end.back() = '8';
  EXPECT_THAT(ErrorOf(no_end), HasSubstr("its sections do not fit"));
  std::string long_section = good;
  long_section[16 + 2] = 1;  // section 1 says 65,557 bytes
  EXPECT_THAT(ErrorOf(long_section), HasSubstr("its sections do not fit"));
  std::string month = good;
  month[16 + 14] = 13;
  EXPECT_THAT(ErrorOf(month), HasSubstr("no reference time that can be"));
  std::string grid = good;
  grid[16 + 21 + 33] = 12;  // columns
  EXPECT_THAT(ErrorOf(grid), HasSubstr("a grid of 12 x 9 points and says 99"));
  TestGrib spain = WindEast(3, Everywhere(3));
  spain.north = 44;
  spain.south = 36;
  EXPECT_THAT(ErrorOf(spain.Message()), testing::AllOf(HasSubstr("the place 54.4,9.2 lies outside"),
                                                       HasSubstr("--weather-points")));
}

// ecCodes would read on beyond the end of the message.
TEST_F(Grib, ValuesThatDoNotFitAreRefused) {
  const std::string good = WindEast(3, Plane).Message();
  const std::size_t data = good.find("7777") - 5 - 99 * 3;
  ASSERT_EQ(good[data + 4], 7) << "section 7: 99 values of 24 bits";
  std::string wide = good;
  wide[data - 6 - 13 - 21 + 19] = 32;  // bits per value, in section 5, before 13 bytes of bitmap
  EXPECT_THAT(ErrorOf(wide), HasSubstr("its values do not fit in it"));
  std::string bitmap = good;
  bitmap[data - 13] = 0x7F;  // one value fewer
  EXPECT_THAT(ErrorOf(bitmap), HasSubstr("its values do not fit in it"));
}

TEST_F(Grib, AnyByteMayBeWrong) {
  const std::string good = RainSum(0, 3, Plane).Message();
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      (void)ReadGrib(damaged, "f003", kPlaces);
      (void)ReadGrib(damaged.substr(0, i), "f003", kPlaces);
    }
}

TEST_F(Grib, AFileIsReadMessageByMessage) {
  const std::string path = (ScratchDirectory() / "f003").string();
  const std::string bytes = WindEast(3, Plane).Message() + WindNorth(3, Everywhere(4)).Message();
  ASSERT_TRUE(platform::WriteFileAtomically(path, bytes));
  const auto fields = ReadGribFile(path, kPlaces);
  ASSERT_TRUE(fields) << fields.error().Message();
  EXPECT_EQ(fields->size(), 2u);
  EXPECT_EQ(RunOfGribFile(path).value(), *ParseTime("2026-05-06T00:00Z"));
  ASSERT_TRUE(platform::WriteFileAtomically(path, bytes.substr(0, bytes.size() - 1)));
  const auto cut = ReadGribFile(path, kPlaces);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().Message(), HasSubstr("the file ends within a message"));
  EXPECT_FALSE(ReadGribFile(path + "x", kPlaces));
}

}  // namespace
}  // namespace ebb::signals
