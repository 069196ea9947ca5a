#include "signals/weather/gfs_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "signals/weather/grib_for_test.h"
#include "signals/weather/live_weather.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const Time kNow = *ParseTime("2026-05-06T17:20Z");
const Time kToday = *ParseTime("2026-05-06T00:00Z");

// NOAA's server: each file has one value everywhere, and 100,000 unrelated bytes before each field.
class Noaa {
 public:
  bool away = false, gives_parts = true;
  Time has_from = kToday - days{5}, has_until = kToday + hours{12};
  int last_hour_of_newest = 384;
  std::vector<std::string> asked;

  Result<platform::HttpResponse> Answer(const platform::HttpRequest& request) {
    asked.push_back(request.url);
    if (away || --answers_left == 0)
      return Fail({ExitCode::kUnavailable, "cannot resolve host", "x", ""});
    const auto file = Find(request.url);
    if (!file) return platform::HttpResponse{404, "none"};
    if (request.headers.empty()) return platform::HttpResponse{200, file->index};
    if (!gives_parts) return platform::HttpResponse{200, file->bytes};
    std::size_t first = 0, last = file->bytes.size() - 1;
    std::sscanf(request.headers.front().c_str(), "Range: bytes=%zu-%zu", &first, &last);
    return platform::HttpResponse{206, file->bytes.substr(first, last - first + 1)};
  }
  int answers_left = -1;  ///< answers before the server fails once
  std::size_t QuestionsFor(const std::string& part) const {
    std::size_t count = 0;
    for (const std::string& url : asked) count += url.find(part) != std::string::npos;
    return count;
  }
  HttpGetFunction Get() {
    return [this](const platform::HttpRequest& request) { return Answer(request); };
  }

 private:
  struct File {
    std::string index, bytes;
  };
  std::optional<File> Find(const std::string& url) {
    int year = 0, month = 0, day = 0, cycle = 0, again = 0, hour = 0;
    if (std::sscanf(url.c_str(), "https://x/gfs.%4d%2d%2d/%d/atmos/gfs.t%dz.pgrb2.1p00.f%d", &year,
                    &month, &day, &cycle, &again, &hour) != 6)
      return std::nullopt;
    const Time run = std::chrono::sys_days(std::chrono::year(year) / month / day) + hours{cycle};
    const bool newest = run == has_until;
    if (run < has_from || run > has_until || (newest && hour > last_hour_of_newest))
      return std::nullopt;
    return Make(run, hour);
  }
  static File Make(Time run, int hour) {
    File file;
    const auto add = [&](TestGrib field, const std::string& line) {
      field.issued = run;
      file.bytes += std::string(100'000, 'x');
      file.index += "1:" + std::to_string(file.bytes.size()) + ":d=1:" + line + ":\n";
      file.bytes += field.Message();
      file.index += "1:" + std::to_string(file.bytes.size()) + ":d=1:GUST:surface:anl:\n";
    };
    add(Temperature(hour, Everywhere(280)), "TMP:2 m above ground:anl");
    add(WindEast(hour, Everywhere(3)), "UGRD:10 m above ground:anl");
    add(WindNorth(hour, Everywhere(4)), "VGRD:10 m above ground:anl");
    if (hour == 0) return file;
    const int from = (hour - 1) / 6 * 6;
    add(Shortwave(from, hour, Everywhere(90)), "DSWRF:surface:0-3 hour ave fcst");
    add(RainRate(from, hour, Everywhere(0)), "PRATE:surface:0-3 hour ave fcst");
    return file;
  }
};

class GfsServer : public testing::Test {
 protected:
  void SetUp() override { EBB_SKIP_WITHOUT_ECCODES(); }
  Noaa noaa_;
  std::unique_ptr<WeatherSource> source_ = MakeGfsServer("https://x", noaa_.Get());
  const std::vector<ZoneToAsk> zones_{{"DE", {{54.4, 9.2}, {48, 10}}}, {"here", {{50, 10}}}};
};

TEST_F(GfsServer, TheNewestRunThatIsWholeIsAhead) {
  noaa_.last_hour_of_newest = 60;  // the run of 12 UTC, which is still coming
  const auto ahead = source_->Ahead(zones_, kNow, {});
  ASSERT_TRUE(ahead) << ahead.error().Message();
  ASSERT_EQ(ahead->size(), 2u);
  const forecast::WeatherRun& run = (*ahead)[0].front();
  EXPECT_EQ(run.issued, kToday + hours{6});
  EXPECT_EQ(run.published, kNow);
  ASSERT_EQ(run.hours.size(), 120u);
  EXPECT_NEAR(run.hours[50]->wind_mps, 5, 1e-4);
  EXPECT_NEAR(run.hours[50]->shortwave_w_m2, 90, 1e-2);
  const std::size_t asked = noaa_.asked.size();
  EXPECT_TRUE(source_->Ahead(zones_, kNow, run.issued)->empty());
  EXPECT_EQ(noaa_.asked.size(), asked + 1) << "one question: whether the next run is there";
}

TEST_F(GfsServer, AQuestionThatFailsMidwayGoesOnWhereItWas) {
  noaa_.answers_left = 100;
  EXPECT_FALSE(source_->Ahead(zones_, kNow, {}));
  const std::size_t of_first_step = noaa_.QuestionsFor(".f000");
  ASSERT_TRUE(source_->Ahead(zones_, kNow, {}));
  EXPECT_EQ(noaa_.QuestionsFor(".f000"), of_first_step);
}

TEST_F(GfsServer, SaysWhatIsWrong) {
  noaa_.gives_parts = false;
  EXPECT_THAT(source_->Ahead(zones_, kNow, {}).error().Message(),
              HasSubstr("the server gives no parts of files"));
  noaa_.has_until = kToday - days{3};
  EXPECT_THAT(source_->Ahead(zones_, kNow, {}).error().Message(),
              HasSubstr("https://x: the server has no run of the last day"));
}

TEST_F(GfsServer, ThePastComesInPiecesTheLatestFirst) {
  forecast::WeatherArchive kept;
  std::vector<Time> days_told;
  while (source_->LacksPast(kept, kNow)) {
    auto past = source_->Past(zones_[1], kNow, kept);
    ASSERT_TRUE(past) << past.error().Message();
    EXPECT_LE(past->size(), 3u);
    std::vector<forecast::WeatherRun> runs = kept.runs();
    for (forecast::WeatherRun& run : *past) {
      EXPECT_EQ(run.published, run.issued + hours{6});
      EXPECT_EQ(run.hours.size(), 96u);
      days_told.push_back(run.issued);
      runs.push_back(std::move(run));
    }
    if (past->empty()) break;
    kept = *forecast::WeatherArchive::Create("gfs", std::move(runs));
  }
  EXPECT_THAT(days_told, testing::ElementsAre(kToday - days{1}, kToday - days{2}, kToday - days{3},
                                              kToday - days{4}, kToday - days{5}));
  EXPECT_FALSE(source_->LacksPast(kept, kNow)) << "the server has nothing before";
  EXPECT_TRUE(source_->LacksPast(kept, kNow + days{2})) << "but of yesterday, which came meanwhile";
}

TEST_F(GfsServer, KeptUpToDateItGoesOnUntilThePastIsThere) {
  LiveWeather weather(MakeGfsServer("https://x", noaa_.Get()), zones_[1], {});
  for (Time now = kNow; now < kNow + minutes{2}; now += std::chrono::seconds{20})
    weather.Refresh(now);
  EXPECT_EQ(weather.archive()->runs().size(), 6u) << "five days, and the newest run";
  const std::size_t asked = noaa_.asked.size();
  weather.Refresh(kNow + minutes{3});
  EXPECT_EQ(noaa_.asked.size(), asked) << "nothing is due";
}

}  // namespace
}  // namespace ebb::signals
