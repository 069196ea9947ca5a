#include "signals/feeds/profile_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "signals/feeds/constant_feed.h"
#include "signals/feeds/zone_profiles.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Time kDay = *ParseTime("2023-05-01");

double At(runtime::SignalFeed& feed, Time time) {
  return feed.Observe(time, Duration{0})->Current()->intensity.g_per_kwh;
}

TEST(ProfileFeed, EveryZoneOfTheTableHasFourSeasonsOfPlausibleValues) {
  ASSERT_EQ(ProfileZones().size(), 123u);
  const std::vector<std::string> zones = ProfileZones();
  EXPECT_EQ(std::set<std::string>(zones.begin(), zones.end()).size(), zones.size());
  for (const ZoneProfile& profile : ZoneProfiles()) {
    for (const SeasonProfile& season : profile.seasons) {
      EXPECT_GT(season.day_to_day_sd_g_per_kwh, 0) << profile.zone;
      for (const double value : season.g_per_kwh) {
        EXPECT_GT(value, 10) << profile.zone;
        EXPECT_LT(value, 1100) << profile.zone;
      }
    }
  }
}

TEST(ProfileFeed, IsModelledAndSaysSo) {
  const auto feed = *MakeZoneProfileFeed("US-CAL-CISO", 1);
  const auto view = feed->Observe(kDay, Duration{days{2}});
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kModelled);
  EXPECT_THAT(feed->identity().source, HasSubstr("modelled"));
  EXPECT_EQ(view->forecast.method, "typical day");
  EXPECT_EQ(view->forecast.series.span(), (Interval{kDay + hours{1}, kDay + days{2}}));
  EXPECT_EQ(view->known.span(), (Interval{kDay - days{15}, kDay + hours{1}}));
}

TEST(ProfileFeed, TheSameSeedGivesTheSameSeriesAndAnotherSeedAnother) {
  const Interval week{kDay, kDay + days{7}};
  const auto series = [&](const char* zone, std::uint64_t seed) {
    return (*MakeZoneProfileFeed(zone, seed))->Believed(week)->samples();
  };
  EXPECT_EQ(series("DE", 1), series("DE", 1));
  EXPECT_NE(series("DE", 1), series("DE", 2));
}

TEST(ProfileFeed, AnHourIsTheSameFromWhereverItIsAsked) {
  const auto feed = *MakeZoneProfileFeed("GB", 3);
  const auto all = *feed->Believed({kDay, kDay + days{3}});
  for (int hour = 0; hour < 72; hour += 7) {
    const Time time = kDay + hours{hour} + minutes{20};
    EXPECT_EQ(At(*feed, time), all.At(time)->intensity.g_per_kwh);
    EXPECT_EQ(feed->Believed({time, time + minutes{1}})->samples()[0].intensity.g_per_kwh,
              At(*feed, time));
  }
}

TEST(ProfileFeed, OverManyYearsTheMeanIsTheTableAndTheDaysScatterAsInTheTable) {
  const auto feed = *MakeZoneProfileFeed("US-CAL-CISO", 11);
  const ZoneProfile* profile = nullptr;
  for (const ZoneProfile& candidate : ZoneProfiles()) {
    if (candidate.zone == "US-CAL-CISO") profile = &candidate;
  }
  // Summer is June to August, 60 years, whole local days (UTC-8).
  const SeasonProfile& summer = profile->seasons[2];
  double table_mean = 0;
  for (const double value : summer.g_per_kwh) table_mean += value / 24;
  double sum = 0, squares = 0;
  int count = 0;
  for (int year = 1980; year < 2040; ++year) {
    const Time june = *ParseTime(std::to_string(year) + "-06-01T08:00Z");
    for (int day = 0; day < 92; ++day) {
      const Interval whole{june + days{day}, june + days{day + 1}};
      const double mean = feed->Believed(whole)->Mean(whole)->intensity.g_per_kwh;
      sum += mean;
      squares += (mean - table_mean) * (mean - table_mean);
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, table_mean, 4);
  EXPECT_NEAR(std::sqrt(squares / count), summer.day_to_day_sd_g_per_kwh, 3);
}

TEST(ProfileFeed, TheSunOfCaliforniaShinesAtNoonLocalTime) {
  const auto feed = *MakeZoneProfileFeed("US-CAL-CISO", 1);
  // Hours 12:00 and 22:00 Pacific standard time, on every day of a month.
  for (int day = 0; day < 30; ++day)
    EXPECT_LT(At(*feed, kDay + days{day} + hours{20}), At(*feed, kDay + days{day} + hours{30}));
}

TEST(ProfileFeed, HoursOfAZoneAtHalfHoursBeginWithItsLocalHours) {
  const auto feed = *MakeZoneProfileFeed("IN-WE", 1);
  EXPECT_EQ(feed->NextChange(kDay), kDay + minutes{30});
  EXPECT_EQ(feed->Observe(kDay, Duration{0})->Current()->interval.end, kDay + minutes{30});
}

TEST(ProfileFeed, TheForecastBeginsNearTheCurrentLevelAndReturnsToTheTypicalDay) {
  const auto feed = *MakeZoneProfileFeed("DE", 5);
  double near = 0, far = 0;
  for (int day = 0; day < 60; ++day) {
    const Time now = kDay + days{day};
    const auto view = feed->Observe(now, Duration{days{6}});
    near += std::fabs(view->At(now + hours{1})->intensity.g_per_kwh - At(*feed, now + hours{1}));
    far += std::fabs(view->At(now + hours{140})->intensity.g_per_kwh - At(*feed, now + hours{140}));
  }
  EXPECT_LT(near, 0.25 * far) << "an hour ahead is nearly known, six days ahead is not";
}

// A zone and a seed give the same values in every version.
TEST(ProfileFeed, TheFirstFourteenZonesKeepTheirPlacesAndSoTheirDays) {
  const std::vector<std::string> first{"AU-NSW",      "DE",          "ES",          "FR", "GB",
                                       "IN-WE",       "JP-TK",       "NO",          "PL", "SE",
                                       "US-CAL-CISO", "US-MIDA-PJM", "US-TEX-ERCO", "ZA"};
  const std::vector<std::string> zones = ProfileZones();
  EXPECT_EQ(std::vector(zones.begin(), zones.begin() + 14), first);
}

TEST(ProfileFeed, AZoneOfTheFileGoesByHoursOfUtc) {
  // Chile: the sun of the Atacama stands high at 16:00 UTC and is down at 04:00.
  const auto chile = *MakeZoneProfileFeed("CL-SEN", 1);
  for (int day = 0; day < 30; ++day)
    EXPECT_LT(At(*chile, kDay + days{day} + hours{16}), At(*chile, kDay + days{day} + hours{28}));
  const ZoneProfile* profile = FindZoneProfile("CL-SEN");
  EXPECT_EQ(profile->utc_offset_minutes, 0);
  EXPECT_EQ(chile->NextChange(kDay), kDay + hours{1});
}

TEST(ProfileFeed, APartOfAZoneHasTheDaysOfTheWholeAndSaysWhose) {
  const auto part = *MakeZoneProfileFeed("SE-SE3", 1);
  const auto whole = *MakeZoneProfileFeed("SE", 1);
  EXPECT_EQ(part->identity().zone, "SE-SE3");
  EXPECT_THAT(part->identity().source, HasSubstr("of SE, which holds it"));
  EXPECT_EQ(At(*part, kDay), At(*whole, kDay));
  EXPECT_FALSE(MakeZoneProfileFeed("JP-ON", 1)) << "islands with a grid of their own";
  EXPECT_EQ((*MakeZoneProfileFeed("JP-TK", 1))->identity().source, whole->identity().source)
      << "days of its own";
}

TEST(ProfileFeed, WhereTypicalHoursAreWorthNothingItSaysSoOnce) {
  const auto feed = *MakeZoneProfileFeed("AR", 1);
  EXPECT_THAT(feed->TakeNotes(),
              ElementsAre(HasSubstr("AR: typical hours are worth nothing here: in 2024")));
  EXPECT_THAT(feed->TakeNotes(), IsEmpty());
  EXPECT_THAT((*MakeZoneProfileFeed("DE", 1))->TakeNotes(), IsEmpty());
}

TEST(ProfileFeed, AnUnknownZoneIsRefusedWithTheNearest) {
  const auto feed = MakeZoneProfileFeed("US-CAL-CSIO", 1);
  ASSERT_FALSE(feed);
  EXPECT_EQ(feed.error().code, ExitCode::kConfiguration);
  EXPECT_THAT(feed.error().Message(), HasSubstr("did you mean \"US-CAL-CISO\"?"));
}

TEST(NeoProfile, IsNeosTableByLocalHour) {
  const auto utc = MakeNeoProfileFeed({});
  const double table[24] = {280, 285, 220, 230, 240, 250, 260, 385, 390, 395, 400, 400,
                            405, 410, 415, 420, 425, 430, 380, 370, 360, 350, 340, 395};
  double mean = 0;
  for (int hour = 0; hour < 24; ++hour) {
    EXPECT_EQ(At(*utc, kDay + hours{hour}), table[hour]) << hour;
    mean += table[hour] / 24;
  }
  EXPECT_NEAR(mean, 351.5, 0.05);
  const auto berlin = MakeNeoProfileFeed({"Berlin", [](Time) { return Duration{hours{2}}; }});
  EXPECT_EQ(At(*berlin, kDay), 220);
  const auto delhi = MakeNeoProfileFeed({"Delhi", [](Time) { return Duration{minutes{330}}; }});
  EXPECT_EQ(At(*delhi, kDay + minutes{29}), 250) << "05:59 local";
  EXPECT_EQ(At(*delhi, kDay + minutes{30}), 260) << "06:00 local";
  EXPECT_EQ(delhi->NextChange(kDay), kDay + minutes{30});
}

TEST(NeoProfile, FollowsTheClockAsItIsSet) {
  const Time change = kDay + hours{12};
  const auto feed = MakeNeoProfileFeed(
      {"Somewhere", [change](Time time) { return Duration{hours{time < change ? 1 : 2}}; }});
  EXPECT_EQ(At(*feed, kDay + hours{11}), 405) << "12 o'clock";
  EXPECT_EQ(At(*feed, kDay + hours{12}), 415) << "14 o'clock";
  EXPECT_THAT(feed->identity().source, HasSubstr("by the clock of Somewhere"));
}

TEST(ConstantFeed, KnowsEverything) {
  const auto feed = *MakeConstantFeed({250}, "Z");
  const auto view = feed->Observe(kDay + minutes{5}, Duration{hours{5}});
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 250);
  EXPECT_EQ(view->Mean({kDay, kDay + hours{5}})->coverage, 1);
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kModelled);
  EXPECT_THAT(feed->identity().source, HasSubstr("constant 250 g/kWh, modelled"));
  EXPECT_FALSE(MakeConstantFeed({-1}, "Z"));
  EXPECT_FALSE(MakeConstantFeed({std::nan("")}, "Z"));
}

}  // namespace
}  // namespace ebb::signals
