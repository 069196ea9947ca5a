#include "signals/make_weather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "signals/make_feed.h"
#include "signals/weather/grib_for_test.h"
#include "signals/weather/open_meteo.h"
#include "signals/weather/open_meteo_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::Contains;
using testing::HasSubstr;

SignalOptions Options() {
  SignalOptions options;
  options.source = SignalSource::kHttp;
  options.zone = "DE";
  options.url = "https://grid.example/now";
  options.json = {"/value", "/from", "/rows", "g/kWh"};
  options.weather.Choose("open-meteo");
  options.cache_directory = "";
  return options;
}

TEST(MakeWeather, SaysWhereWeatherHasNoUse) {
  const auto what = [](const SignalOptions& options) {
    const auto feed = MakeFeed(options);
    return feed ? "no error" : feed.error().Message();
  };
  SignalOptions profile = Options();
  profile.source = SignalSource::kProfile;
  EXPECT_THAT(what(profile), HasSubstr("for live sources: signal profile is none"));
  SignalOptions file = Options();
  file.weather.Choose("runs.csv");
  EXPECT_THAT(what(file), HasSubstr("is for traces, not for signal http"));
  SignalOptions points;
  points.zone = "DE";
  points.weather.points = "54,9";
  EXPECT_THAT(what(points), HasSubstr("no weather"));
  SignalOptions unknown = Options();
  unknown.zone = "XX";
  EXPECT_THAT(what(unknown), HasSubstr("--weather-points"));
  SignalOptions server = Options();
  server.weather.url = "meteo";
  EXPECT_NE(what(server), "no error");
  SignalOptions places = Options();
  places.weather.points = "54";
  EXPECT_THAT(what(places), HasSubstr("\"54\" is not a list of places"));
}

// The address of the very first question, with its server and parameters.
std::string FirstQuestion(const SignalOptions& options) {
  std::string url;
  const auto make = WeatherOf(options, "");
  EXPECT_TRUE(make);
  auto weather = (*make)([&](const platform::HttpRequest& request) {
    if (url.empty()) url = request.url;
    return Result<platform::HttpResponse>(platform::HttpResponse{500, ""});
  });
  weather->Refresh(*ParseTime("2026-05-06T07:20Z"));
  return url;
}

TEST(MakeWeather, TheKeyGoesToOpenMeteoAndToNoOtherServer) {
  ::unsetenv(kOpenMeteoKeyVariable);
  EXPECT_THAT(FirstQuestion(Options()), HasSubstr("https://previous-runs-api.open-meteo.com/v1/"));
  ::setenv(kOpenMeteoKeyVariable, "secret", 1);
  EXPECT_THAT(FirstQuestion(Options()),
              testing::AllOf(HasSubstr("https://customer-previous-runs-api.open-meteo.com/v1/"),
                             HasSubstr("apikey=secret")));
  SignalOptions own = Options();
  own.weather.url = "http://127.0.0.1:8080/";
  own.weather.points = "54.4,9.2; 53.4,7.6";
  EXPECT_THAT(FirstQuestion(own),
              testing::AllOf(HasSubstr("http://127.0.0.1:8080/v1/forecast?latitude=54.4,53.4&"),
                             testing::Not(HasSubstr("secret"))));
  ::unsetenv(kOpenMeteoKeyVariable);
}

TEST(MakeWeather, GfsIsAskedWhereItsFilesAreLaidOut) {
  EBB_SKIP_WITHOUT_ECCODES();
  SignalOptions gfs = Options();
  gfs.weather.Choose("gfs");
  EXPECT_EQ(FirstQuestion(gfs),
            "https://noaa-gfs-bdp-pds.s3.amazonaws.com/gfs.20260505/00/atmos/"
            "gfs.t00z.pgrb2.1p00.f096.idx");
  gfs.weather.url = "http://127.0.0.1:8080/prod/";
  EXPECT_THAT(FirstQuestion(gfs), HasSubstr("http://127.0.0.1:8080/prod/gfs.20260505/00/atmos/"));
}

// A grid of 100 days that answers at once, and a weather server that may hang.
struct Services {
  std::atomic<bool> weather_hangs = false, weather_is_away = false;
  std::atomic<int> weather_questions = 0;

  Result<platform::HttpResponse> Answer(const platform::HttpRequest& request) {
    const Time now = std::chrono::floor<hours>(std::chrono::system_clock::now());
    if (request.url.find("grid.example") != std::string::npos) {
      std::string rows;
      for (Time hour = now - days{100}; hour <= now; hour += hours{1})
        rows += std::string(rows.empty() ? "" : ",") + R"({"from":")" + FormatTime(hour) +
                R"(","value":)" + std::to_string(300 + (hour.time_since_epoch() / hours{1}) % 24) +
                "}";
      return platform::HttpResponse{200, "{\"rows\":[" + rows + "]}"};
    }
    ++weather_questions;
    while (weather_hangs && !*request.cancelled)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    if (weather_hangs || weather_is_away)
      return Fail({ExitCode::kConfiguration, "the weather is away", "x", ""});
    const Time today = std::chrono::floor<days>(now);
    MeteoPlace place{.begin = today - days{1}, .hours = 6 * 24};
    if (request.url.find("_previous_day1") != std::string::npos) {
      place = {.begin = today - days{92}, .hours = 93 * 24};
      place.suffixes = {"_previous_day1", "_previous_day2", "_previous_day3", "_previous_day4"};
    }
    return platform::HttpResponse{200, MeteoAnswer(std::vector(PlacesAsked(request.url), place))};
  }
  HttpGetFunction Get() {
    return [this](const platform::HttpRequest& request) { return Answer(request); };
  }
};

TEST(MakeWeather, TheForecastOfALiveSourceKnowsTheWeatherFromTheStart) {
  Services services;
  const auto feed = MakeFeed(Options(), services.Get());
  ASSERT_TRUE(feed) << feed.error().Message();
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const auto view = (*feed)->Observe(now, hours{96});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_THAT(view->forecast.method, HasSubstr("and the weather (run of "));
  EXPECT_EQ(services.weather_questions, 2) << "the past, and ahead; of nine places at once";
  EXPECT_THAT((*feed)->TakeNotes(), Contains(HasSubstr("CC BY 4.0")));
  EXPECT_TRUE((*feed)->TakeNotes().empty());
}

TEST(MakeWeather, WithoutAnAnswerTheForecastIsThatOfThePastAndSaysSo) {
  Services services;
  services.weather_is_away = true;
  const auto feed = MakeFeed(Options(), services.Get());
  ASSERT_TRUE(feed) << feed.error().Message();
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const auto view = (*feed)->Observe(now, hours{96});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_THAT(view->forecast.method, HasSubstr("no weather is known"));
  EXPECT_THAT((*feed)->TakeNotes(), Contains(HasSubstr("no new weather: x: the weather is away")));

  SignalOptions without = Options();
  without.weather = {};
  const auto past = MakeFeed(without, services.Get());
  ASSERT_TRUE(past);
  const auto expected = (*past)->Observe(now, hours{96});
  ASSERT_TRUE(expected);
  for (Time hour = now + hours{1}; hour < now + hours{94}; hour += hours{1}) {
    ASSERT_TRUE(view->forecast.series.At(hour));
    EXPECT_EQ(view->forecast.series.At(hour)->intensity.g_per_kwh,
              expected->forecast.series.At(hour)->intensity.g_per_kwh);
  }
}

TEST(MakeWeather, IntensityDoesNotWaitForAWeatherServerThatHangs) {
  Services services;
  services.weather_hangs = true;
  std::atomic<bool> interrupted = false;
  std::thread impatient([&] {
    while (services.weather_questions == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    interrupted = true;
  });
  const auto feed = MakeFeed(Options(), services.Get(), [&] { return interrupted.load(); });
  impatient.join();
  ASSERT_TRUE(feed) << feed.error().Message();
  const auto observe = [&] {
    const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    return (*feed)->Observe(now, hours{96});
  };
  auto view = observe();
  for (int i = 0; i < 2000 && !view; ++i, view = observe())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_NE(view->Current(), nullptr);
  EXPECT_FALSE(view->forecast.series.empty());
}

}  // namespace
}  // namespace ebb::signals
