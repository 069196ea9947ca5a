#include "signals/weather/gfs_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An index as NOAA writes it, shortened; the wanted messages are far apart, except the two of the
// wind.
const std::string kIndex =
    "1:0:d=2026050600:PRMSL:mean sea level:3 hour fcst:\n"
    "2:900000:d=2026050600:TMP:2 m above ground:3 hour fcst:\n"
    "3:1000000:d=2026050600:DPT:2 m above ground:3 hour fcst:\n"
    "4:1500000:d=2026050600:UGRD:10 m above ground:3 hour fcst:\n"
    "5:1600000:d=2026050600:VGRD:10 m above ground:3 hour fcst:\n"
    "6:1700000:d=2026050600:PRATE:surface:3 hour fcst:\n"
    "7:1800000:d=2026050600:PRATE:surface:0-3 hour ave fcst:\n"
    "8:1900000:d=2026050600:UGRD:100 m above ground:3 hour fcst:\n"
    "9:2900000:d=2026050600:DSWRF:surface:0-3 hour ave fcst:\n";

std::string ErrorOf(const std::string& index, bool first_moment = false) {
  const auto ranges = WantedRanges(index, first_moment, "f003.idx");
  return ranges ? "no error" : ranges.error().Message();
}

TEST(GfsIndex, NamesTheBytesOfTheFieldsOfInterest) {
  const auto ranges = WantedRanges(kIndex, false, "f003.idx");
  ASSERT_TRUE(ranges) << ranges.error().Message();
  EXPECT_THAT(*ranges, ElementsAre(ByteRange{900000, 999999}, ByteRange{1500000, 1699999},
                                   ByteRange{1800000, 1899999}, ByteRange{2900000, {}}));
}

TEST(GfsIndex, RangesThatAreNearAreOneRequest) {
  const auto ranges = WantedRanges(
      "1:0:d=2026050600:TMP:2 m above ground:anl:\n"
      "2:1000:d=2026050600:DPT:2 m above ground:anl:\n"
      "3.1:2000:d=2026050600:UGRD:10 m above ground:anl:\n"
      "3.2:2000:d=2026050600:VGRD:10 m above ground:anl:\n"
      "4:3000:d=2026050600:GUST:surface:anl:\n",
      true, "f000.idx");
  ASSERT_TRUE(ranges) << ranges.error().Message();
  EXPECT_THAT(*ranges, ElementsAre(ByteRange{0, 2999}));
}

TEST(GfsIndex, SaysWhatIsAbsent) {
  const std::string without_sun = kIndex.substr(0, kIndex.find("9:"));
  EXPECT_THAT(ErrorOf(without_sun), HasSubstr("f003.idx: the index has no DSWRF at surface"));
  EXPECT_EQ(ErrorOf(without_sun, true), "no error") << "nothing has been averaged yet";
  EXPECT_THAT(ErrorOf(""), HasSubstr("has no UGRD at 10 m above ground"));
}

TEST(GfsIndex, RefusesWhatIsNone) {
  EXPECT_THAT(ErrorOf("<html>not found</html>"), HasSubstr("line 1 is none of an index"));
  EXPECT_THAT(ErrorOf("1:-5:d=2026050600:TMP:2 m above ground:anl:"), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf("1:nan:d=2026050600:TMP:2 m above ground:anl:"), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf("1:50:d=2026050600:TMP:2 m above ground:anl:\n"
                      "2:40:d=2026050600:DPT:2 m above ground:anl:\n"),
              HasSubstr("out of order"));
}

}  // namespace
}  // namespace ebb::signals
