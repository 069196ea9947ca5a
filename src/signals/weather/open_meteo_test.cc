#include "signals/weather/open_meteo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"
#include "signals/weather/open_meteo_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;
using testing::Not;

const Time kDay = *ParseTime("2026-05-06T00:00Z");

Result<HourlyWeather> Parsed(const std::string& body, std::size_t places) {
  return ParseOpenMeteo(body, 0, places, places, "", "https://x/v1/forecast");
}
std::string ErrorOf(const std::string& body, std::size_t places = 1) {
  const auto weather = Parsed(body, places);
  return weather ? "no error" : weather.error().Message();
}

TEST(OpenMeteoAnswer, ValuesOfMomentsBecomeMeansAndMeansOfThePastHourStayThem) {
  const auto weather = Parsed(MeteoAnswer({{.begin = kDay}}), 1);
  ASSERT_TRUE(weather) << weather.error().Message();
  EXPECT_EQ(weather->begin, kDay);
  ASSERT_EQ(weather->hours.size(), 47u);
  // Hour 3 lies between the moments 3 and 4; radiation and rain given at 4 are its means.
  EXPECT_EQ(weather->hours[3], (forecast::WeatherHour{5, 273.15 + 3.5, 40, 0.5}));
}

TEST(OpenMeteoAnswer, IsTheMeanOverItsPlaces) {
  const auto weather = Parsed(MeteoAnswer({{.begin = kDay, .wind_mps = 4},
                                           {.begin = kDay, .wind_mps = 5},
                                           {.begin = kDay, .wind_mps = 9}}),
                              3);
  ASSERT_TRUE(weather) << weather.error().Message();
  EXPECT_DOUBLE_EQ(weather->hours[0]->wind_mps, 6);
}

TEST(OpenMeteoAnswer, AQuarterOfThePlacesMayBeMissing) {
  const MeteoPlace whole{.begin = kDay, .wind_mps = 4};
  const MeteoPlace hole{.begin = kDay, .wind_mps = 40, .null_from = 10};
  const auto one_of_four = Parsed(MeteoAnswer({whole, whole, hole, whole}), 4);
  ASSERT_TRUE(one_of_four) << one_of_four.error().Message();
  EXPECT_DOUBLE_EQ(one_of_four->hours[8]->wind_mps, 13);
  EXPECT_DOUBLE_EQ(one_of_four->hours[12]->wind_mps, 4);
  const auto one_of_three = Parsed(MeteoAnswer({whole, hole, whole}), 3);
  ASSERT_TRUE(one_of_three) << one_of_three.error().Message();
  EXPECT_TRUE(one_of_three->hours[8]);
  EXPECT_FALSE(one_of_three->hours[9]) << "its end is unknown at one place";
  EXPECT_FALSE(one_of_three->hours[12]);
}

TEST(OpenMeteoAnswer, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay, .wind_unit = "km/h"}})),
              HasSubstr("wind_speed_10m is in \"km/h\", not in m/s"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay, .missing_values = 1}})),
              HasSubstr("the answer has no wind_speed_10m"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay}, {.begin = kDay}}), 3),
              HasSubstr("asked for 3 places, answered for 2"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay}, {.begin = kDay + hours{1}}}), 2),
              HasSubstr("different times"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay + minutes{30}}})), HasSubstr("not whole hours"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay, .hours = 0}})), HasSubstr("holds no hours"));
  EXPECT_THAT(ErrorOf(MeteoAnswer({{.begin = kDay, .wind_mps = 90}})), HasSubstr("cannot be"));
  EXPECT_THAT(ErrorOf(R"({"error":true,"reason":"Daily limit exceeded"})"),
              HasSubstr("Daily limit exceeded"));
  for (const char* body : {"", "[]", "null", "{", "<html>", R"({"hourly":[]})",
                           R"({"hourly_units":3,"hourly":{"time":[1e300]}})"})
    EXPECT_NE(ErrorOf(body), "no error") << body;
}

struct Fixture {
  ScriptedHttp http;
  OpenMeteoOptions options{"https://meteo.example", "https://past.example", ""};
  std::unique_ptr<WeatherSource> Source() { return MakeOpenMeteo(options, http.Get()); }
};

TEST(OpenMeteo, AsksOnceForAllZonesAndGivesEachItsOwnRun) {
  Fixture fixture;
  fixture.http.Say("meteo.example", MeteoAnswer({{.begin = kDay - days{1}, .wind_mps = 4},
                                                 {.begin = kDay - days{1}, .wind_mps = 6},
                                                 {.begin = kDay - days{1}, .wind_mps = 9}}));
  const Time now = kDay + hours{7} + minutes{20};
  const auto runs =
      fixture.Source()->Ahead({{"DE", {{54.5, 9.25}, {53, -7}}}, {"SE", {{65, 20.8}}}}, now, {});
  ASSERT_TRUE(runs) << runs.error().Message();
  ASSERT_EQ(fixture.http.requests.size(), 1u);
  EXPECT_EQ(fixture.http.requests[0].url,
            "https://meteo.example/v1/forecast?latitude=54.5,53,65&longitude=9.25,-7,20.8"
            "&hourly=wind_speed_10m,temperature_2m,shortwave_radiation,precipitation"
            "&wind_speed_unit=ms&timeformat=unixtime&forecast_days=5&past_days=1");
  ASSERT_EQ(runs->size(), 2u);
  const forecast::WeatherRun& german = runs->at(0).at(0);
  EXPECT_EQ(german.issued, kDay + hours{7});
  EXPECT_EQ(german.published, now) << "known when it was asked for, and no earlier";
  EXPECT_EQ(german.begin, kDay + hours{7});
  EXPECT_EQ(german.hours.size(), 16u);  // up to the last of the 47 hours since the day before
  EXPECT_DOUBLE_EQ(german.hours[0]->wind_mps, 5);
  EXPECT_DOUBLE_EQ(runs->at(1).at(0).hours[0]->wind_mps, 9);
}

// A forecast made K days before an hour was known when the day K - 1 days before its own began.
TEST(OpenMeteo, ThePastIsRunsThatKnewNoMoreThanWasForecastByThen) {
  Fixture fixture;
  MeteoPlace place{.begin = kDay - days{3}, .hours = 4 * 24};
  place.suffixes = {"_previous_day1", "_previous_day2", "_previous_day3", "_previous_day4"};
  fixture.http.Say("past.example", MeteoAnswer({place}));
  const Time now = kDay + hours{7};
  const auto runs = fixture.Source()->Past({"DE", {{54.5, 9}}}, now, {});
  ASSERT_TRUE(runs) << runs.error().Message();
  EXPECT_THAT(fixture.http.requests[0].url, HasSubstr("wind_speed_10m_previous_day4"));
  ASSERT_FALSE(runs->empty());
  for (const forecast::WeatherRun& run : *runs) {
    EXPECT_EQ(run.issued, std::chrono::floor<days>(run.issued));
    EXPECT_LE(run.issued, now - days{1}) << "a run of today is not the past";
    EXPECT_LE(run.hours.size(), 96u);
  }
  EXPECT_EQ(runs->back().issued, kDay - days{1});
  EXPECT_EQ(runs->back().hours.size(), 47u);  // the last hour has no end
}

TEST(OpenMeteo, TheKeyIsInTheQuestionAndInNoMessage) {
  Fixture fixture;
  fixture.options.key = "se cret&1";
  fixture.http.Say("meteo.example", "{}", 401);
  fixture.http.Say("past.example", "no JSON");
  const auto source = fixture.Source();
  const auto refused = source->Ahead({{"DE", {{54, 9}}}}, kDay, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(fixture.http.requests[0].url, HasSubstr("&apikey=se%20cret%261"));
  const auto broken = source->Past({"DE", {{54, 9}}}, kDay, {});
  ASSERT_FALSE(broken);
  fixture.http.unreachable = true;
  const auto away = source->Ahead({{"DE", {{54, 9}}}}, kDay, {});
  ASSERT_FALSE(away);
  for (const Error& error : {refused.error(), broken.error(), away.error()}) {
    EXPECT_THAT(error.Message(), Not(HasSubstr("cret")));
    EXPECT_THAT(error.Message(), Not(HasSubstr("apikey")));
  }
  EXPECT_THAT(source->server(), Not(HasSubstr("cret")));
}

}  // namespace
}  // namespace ebb::signals
