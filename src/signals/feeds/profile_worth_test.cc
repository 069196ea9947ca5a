#include "signals/feeds/profile_worth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/feeds/profile_feed.h"

namespace ebb::signals {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProfileWorth, SaysHowCleanTheCleanestHoursWere) {
  EXPECT_EQ(WorthText("AU-NSW"),
            "in 2024 the six hours that they call cleanest lay 34.5 % below the mean");
  EXPECT_EQ(WorthText("SE-SE3"), WorthText("SE")) << "a part has the days of the whole";
  EXPECT_THAT(WorthText("JP"), HasSubstr("100 % of the values behind them are estimates"));
  EXPECT_EQ(WorthText("IN-WE"), "they were not checked on another year");
}

TEST(ProfileWorth, SaysWhereTypicalHoursAreWorthNothingAndWhy) {
  EXPECT_THAT(WorthText("AR"),
              AllOf(HasSubstr("typical hours are worth nothing here"),
                    HasSubstr("off by 42.7 g/kWh on average"), HasSubstr("for the year by 30.9"),
                    Not(HasSubstr("although"))));
  EXPECT_THAT(WorthText("AU-TAS"), HasSubstr("although the six hours that they call cleanest lay "
                                             "23.7 % below the mean"));
  EXPECT_THAT(WorthText("CR"), HasSubstr("worth nothing here: in 2024 the six hours that they call "
                                         "cleanest lay 8.3 % above the mean"))
      << "closer than the mean, and of no use to decide";
}

TEST(ProfileWorth, OfTheCheckedZonesFewAreWorthNothing) {
  int checked = 0, closer = 0, worth_nothing = 0;
  for (const std::string& zone : ProfileZones()) {
    const ProfileWorth* worth = WorthOfProfile(zone);
    if (!worth) continue;
    ++checked;
    if (worth->mae_typical_g_per_kwh < worth->mae_mean_g_per_kwh) ++closer;
    if (worth->worth_nothing()) ++worth_nothing;
    EXPECT_FALSE(worth->place.empty()) << zone;
  }
  EXPECT_EQ(checked, 121);
  EXPECT_EQ(closer, 105);
  EXPECT_EQ(worth_nothing, 18) << "two more call hours clean that were not";
}

}  // namespace
}  // namespace ebb::signals
