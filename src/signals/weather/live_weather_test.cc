#include "signals/weather/live_weather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "signals/weather/weather_csv.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Time kNow = *ParseTime("2026-05-06T07:20:03.250Z");

// The questions that a service was asked, and whether it answers.
struct Service {
  std::vector<std::vector<std::string>> ahead;  ///< the zones of each question
  std::vector<std::string> past;
  bool away = false, past_away = false;
};

class FakeSource final : public WeatherSource {
 public:
  FakeSource(Service& service, std::string server)
      : service_(service), server_(std::move(server)) {}
  const std::string& name() const override { return name_; }
  std::string_view terms() const override { return "the terms"; }
  const std::string& server() const override { return server_; }
  Result<RunsByZone> Ahead(const std::vector<ZoneToAsk>& zones, Time now, Time) override {
    service_.ahead.emplace_back();
    RunsByZone runs;
    for (const ZoneToAsk& zone : zones) {
      service_.ahead.back().push_back(zone.zone);
      const Time begin = std::chrono::floor<hours>(now);
      runs.push_back({{begin, now, begin, std::vector(96, Hour(0.1))}});
    }
    if (service_.away) return Fail({ExitCode::kUnavailable, "cannot resolve host", "x", ""});
    return runs;
  }
  Result<std::vector<forecast::WeatherRun>> Past(const ZoneToAsk& zone, Time now,
                                                 const forecast::WeatherArchive&) override {
    service_.past.push_back(zone.zone);
    if (service_.away || service_.past_away)
      return Fail({ExitCode::kUnavailable, "no past today", "x", ""});
    std::vector<forecast::WeatherRun> runs;
    const Time today = std::chrono::floor<days>(now);
    for (Time day = today - days{92}; day < today; day += days{1})
      runs.push_back({day, day, day, std::vector(96, Hour(7))});
    return runs;
  }

 private:
  static std::optional<forecast::WeatherHour> Hour(double wind) {
    return forecast::WeatherHour{wind, 283.15, 100.125, 1.0 / 3};
  }
  Service& service_;
  const std::string name_ = "fake", server_;
};

class LiveWeatherTest : public ::testing::Test {
 protected:
  LiveWeather Of(const std::string& zone, const std::string& server = "https://x",
                 bool cached = true) {
    LiveWeatherOptions options;
    if (cached) options.cache_directory = directory_;
    return LiveWeather(std::make_unique<FakeSource>(service_, server), {zone, {{54, 9}}}, options);
  }
  std::filesystem::path FileEndingWith(const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      if (entry.path().string().ends_with(ending)) return entry.path();
    return {};
  }

  const std::filesystem::path directory_ =
      ScratchDirectory(::testing::UnitTest::GetInstance()->current_test_info()->name());
  Service service_;
};

TEST_F(LiveWeatherTest, AsksForThePastOnceAndAheadEverySixHours) {
  LiveWeather weather = Of("DE");
  EXPECT_TRUE(weather.archive()->empty());
  for (Time now = kNow; now < kNow + days{1}; now += minutes{5}) weather.Refresh(now);
  EXPECT_THAT(service_.past, ElementsAre("DE"));
  EXPECT_EQ(service_.ahead.size(), 5u);  // 7, 13, 19, 1 and 7 o'clock
  EXPECT_EQ(weather.archive()->runs().size(), 92u + 5);
  EXPECT_THAT(weather.TakeNotes(), ElementsAre("the terms"));
}

TEST_F(LiveWeatherTest, ARestartKnowsWhatTheProcessBeforeKnew) {
  LiveWeather before = Of("DE");
  before.Refresh(kNow);
  LiveWeather after = Of("DE");
  after.Refresh(kNow + hours{1});
  EXPECT_EQ(service_.ahead.size(), 1u);
  EXPECT_TRUE(after.archive()->runs() == before.archive()->runs()) << "to the last bit";
  EXPECT_THAT(after.TakeNotes(), IsEmpty()) << "terms are told at first use";
  LiveWeather elsewhere = Of("DE", "https://another");
  elsewhere.Refresh(kNow + hours{1});
  EXPECT_EQ(service_.ahead.size(), 2u) << "another server has said nothing yet";
}

TEST_F(LiveWeatherTest, WhoeverComesFirstAsksForAllZonesThatOthersLookAt) {
  LiveWeather german = Of("DE"), swedish = Of("SE");
  german.Refresh(kNow);
  swedish.Refresh(kNow + minutes{1});
  EXPECT_THAT(service_.past, ElementsAre("DE", "SE"));
  for (Time now = kNow + hours{6}; now < kNow + days{1}; now += minutes{10}) {
    german.Refresh(now);
    swedish.Refresh(now);
  }
  ASSERT_GE(service_.ahead.size(), 3u);
  EXPECT_THAT(service_.ahead[2], ElementsAre("DE", "SE"));
  EXPECT_EQ(service_.ahead.size(), 2u + 4) << "one question, not one for each zone";
  EXPECT_EQ(swedish.archive()->runs().size(), 92u + 5);
  EXPECT_EQ(german.archive()->runs().size(), 92u + 5);
  EXPECT_TRUE(swedish.archive()->runs().back() == german.archive()->runs().back());
  // No process has used Sweden's weather for a week.
  german.Refresh(kNow + days{9});
  EXPECT_THAT(service_.ahead.back(), ElementsAre("DE"));
}

TEST_F(LiveWeatherTest, WhileTheSourceIsAwayItGoesOnWithWhatItHasAndSaysSoOnce) {
  LiveWeather weather = Of("DE");
  weather.Refresh(kNow);
  weather.TakeNotes();
  const auto had = weather.archive();
  service_.away = true;
  std::vector<std::string> notes;
  const std::size_t asked = service_.ahead.size();
  for (Time now = kNow + hours{6}; now < kNow + hours{48}; now += minutes{5}) {
    weather.Refresh(now);
    for (const std::string& note : weather.TakeNotes()) notes.push_back(note);
  }
  EXPECT_EQ(weather.archive(), had);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("no new weather: x: cannot resolve host")));
  EXPECT_LE(service_.ahead.size() - asked, 85u) << "every half hour, not every look";
  service_.away = false;
  weather.Refresh(kNow + hours{49});
  EXPECT_THAT(weather.TakeNotes(), Contains("the weather is known again"));
  EXPECT_EQ(weather.archive()->runs().back().issued, std::chrono::floor<hours>(kNow + hours{49}));
}

TEST_F(LiveWeatherTest, AHoleOfDaysIsFilledFromThePast) {
  LiveWeather before = Of("DE");
  before.Refresh(kNow);
  LiveWeather after = Of("DE");
  after.Refresh(kNow + days{30});
  EXPECT_EQ(service_.past.size(), 2u);
  Time last = after.archive()->runs().front().issued;
  for (const auto& run : after.archive()->runs()) {
    EXPECT_LE(run.issued - last, days{1} + hours{8});
    last = run.issued;
  }
}

TEST_F(LiveWeatherTest, WithoutThePastItStillLooksAheadAndAsksForThePastLater) {
  service_.past_away = true;
  LiveWeather weather = Of("DE", "https://x", false);
  weather.Refresh(kNow);
  EXPECT_EQ(weather.archive()->runs().size(), 1u);
  EXPECT_THAT(weather.TakeNotes(), Contains(HasSubstr("no past today")));
  service_.past_away = false;
  weather.Refresh(kNow + hours{6});
  EXPECT_EQ(weather.archive()->runs().size(), 92u + 2);
}

TEST_F(LiveWeatherTest, ADamagedCacheIsIgnoredReportedAndReplaced) {
  LiveWeather before = Of("DE");
  before.Refresh(kNow);
  std::ofstream(FileEndingWith(".csv")) << "issued,lead_h\nrubbish";
  LiveWeather after = Of("DE");
  after.Refresh(kNow + minutes{10});
  EXPECT_THAT(after.TakeNotes(), Contains(HasSubstr("the cached weather is ignored")));
  EXPECT_EQ(after.archive()->runs().size(), 93u);
  EXPECT_TRUE(LoadWeather(FileEndingWith(".csv")));
}

TEST_F(LiveWeatherTest, AClockThatWasSetBackKeepsNobodyFromAsking) {
  LiveWeather weather = Of("DE", "https://x", false);
  weather.Refresh(kNow + days{100});
  weather.Refresh(kNow);
  EXPECT_EQ(service_.ahead.size(), 2u);
  EXPECT_EQ(weather.archive()->runs().back().issued, std::chrono::floor<hours>(kNow));
}

TEST_F(LiveWeatherTest, KeepsAYearAndAMonthNotMore) {
  LiveWeather weather = Of("DE", "https://x", false);
  for (Time now = kNow; now < kNow + days{900}; now += hours{31}) weather.Refresh(now);
  const auto& runs = weather.archive()->runs();
  const Duration kept = runs.back().issued - runs.front().issued;
  EXPECT_GE(kept, days{399});
  EXPECT_LE(kept, days{429});
}

}  // namespace
}  // namespace ebb::signals
