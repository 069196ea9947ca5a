#include "cli/site_text.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

const LocalTimes kTimes{std::nullopt, *ParseTime("2026-05-01T16:10:00Z")};

TEST(SiteText, GivesTheGramsOfAJobAtEachSiteWithItsMove) {
  const std::string text = SiteChoicesText(R"({"id":7,"site_choices":[
      {"site":"norway","start":"2026-05-01T16:10:00Z","end":"2026-05-01T18:10:00Z",
       "expected_g":12.3,"move_s":8.0,"move_kwh":0.06},
      {"site":"here","start":"2026-05-01T23:00:00Z","expected_g":1410},
      {"site":"spain","start":"2026-05-01T23:00:00Z","expected_g":9,"late":true},
      {"site":"france","why_not":"it may not run there"}]})",
                                           kTimes);
  EXPECT_NE(text.find("12.3 g"), std::string::npos) << text;
  EXPECT_NE(text.find("8.0s, 60.0 Wh"), std::string::npos) << text;
  EXPECT_NE(text.find("1.41 kg"), std::string::npos) << text;
  EXPECT_NE(text.find("23:00"), std::string::npos) << text;
  EXPECT_NE(text.find("too late for its deadline"), std::string::npos) << text;
  EXPECT_NE(text.find("it may not run there"), std::string::npos) << text;
  EXPECT_LT(text.find("norway"), text.find("here")) << "in the order of the answer";
}

TEST(SiteText, ShowsTheGridTheDevicesAndTheJobsOfEachSite) {
  const std::string text = SitesText(R"({"now":"2026-05-01T16:10:00Z","sites":[
      {"site":"here","zone":"DE","g_per_kwh":310,"next_24_hours_g_per_kwh":280.4,
       "cleanest_hour":"2026-05-01T23:00:00Z","cleanest_hour_g_per_kwh":120,"devices":2,"free":1,
       "away":0,"jobs":[{"id":7,"name":"train"},{"id":9,"name":"eval"}]},
      {"site":"norway","zone":"NO-NO1","lost":"no answer","devices":2,"free":2,"away":3,
       "jobs":[]},
      {"site":"spain","zone":"ES","g_per_kwh":90,"status":"modelled"},
      {"site":"france","zone":"FR","g_per_kwh":25,"status":"measured"}]})",
                                     kTimes);
  for (const char* part :
       {"310 g/kWh", "280 g/kWh", "120 g/kWh at 23:00", "1 of 2", "7 train, 9 eval",
        "unknown (source lost)", "2 of 2, 3 away", "90 g/kWh (modelled)", "25 g/kWh"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("25 g/kWh ("), std::string::npos) << text;
}

const char* const kEnded = R"({"id":7,"stage":"succeeded","emissions_g":60,"place_and_time":{
    "home_at_once_g":250,"place_at_once_g":90,"site_at_once":"norway","home_best_g":120,
    "home_start":"2026-05-01T23:00:00Z","best_g":50,"best_site":"norway",
    "best_start":"2026-05-01T14:00:00Z","moves_g":2,"saving_g":188}})";

TEST(SiteText, SaysWhatPlaceAndTimeWereWorthToAJob) {
  const std::string text = PlaceAndTimeText(kEnded, kTimes);
  for (const char* part :
       {"at submission, at home", "250 g", "at home, at its best time", "120 g", "23:00",
        "at submission, at its best site", "90.0 g", "at its best site and time", "50.0 g",
        "norway", "14:00", "as it ran, moves included", "62.0 g",
        "as it ran, it saved 94 % of the 200 g that place and time could save\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(SiteText, SaysThatBestStartsAreNotKnownYetAndThatNothingCouldBeSaved) {
  const std::string open = PlaceAndTimeText(
      R"({"id":7,"place_and_time":{"home_at_once_g":250,"place_at_once_g":90,
          "site_at_once":"norway"}})",
      kTimes);
  EXPECT_NE(open.find("not known yet"), std::string::npos) << open;
  EXPECT_NE(open.find("unknown"), std::string::npos) << "what its moves took:\n" << open;
  EXPECT_EQ(open.find("it saved"), std::string::npos) << open;
  const std::string best = PlaceAndTimeText(
      R"({"id":7,"emissions_g":250,"place_and_time":{"home_at_once_g":250,"place_at_once_g":250,
          "site_at_once":"here","home_best_g":250,"best_g":250,"best_is_as_it_ran":true,
          "moves_g":0,"saving_g":0}})",
      kTimes);
  EXPECT_NE(best.find("would have saved anything"), std::string::npos) << best;
}

TEST(SiteText, IsNothingForAServiceWithOneSite) {
  EXPECT_EQ(PlaceAndTimeText(R"({"id":7,"stage":"succeeded"})", kTimes), "");
  EXPECT_EQ(SiteChoicesText(R"({"id":7,"stage":"waiting"})", kTimes), "");
  EXPECT_EQ(SitesText(R"({"version":3,"running":[]})", kTimes), "");
}

}  // namespace
}  // namespace ebb::cli
