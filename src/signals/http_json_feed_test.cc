#include "signals/http_json_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kDay = *ParseTime("2026-05-06T12:00Z");

// Answers in order, the last one for ever; counts requests.
struct FakeServer {
  std::deque<Result<platform::HttpResponse>> answers;
  std::vector<platform::HttpRequest> requests;

  void Say(std::string body) { answers.push_back(platform::HttpResponse{200, std::move(body)}); }
  void Refuse(int status) { answers.push_back(platform::HttpResponse{status, "{}"}); }
  void BreakDown() {
    answers.push_back(Fail({ExitCode::kUnavailable, "cannot resolve host", "http://x", ""}));
  }
  HttpGetFunction Get() {
    return [this](const platform::HttpRequest& request) {
      requests.push_back(request);
      const auto answer = answers.front();
      if (answers.size() > 1) answers.pop_front();
      return answer;
    };
  }
};

SignalOptions Options() {
  SignalOptions options;
  options.source = SignalSource::kHttp;
  options.url = "https://user:pw@grid.example/now?token=abc";
  return options;
}

std::unique_ptr<HttpJsonFeed> Feed(FakeServer& server, const SignalOptions& options = Options()) {
  auto feed = HttpJsonFeed::Create(options, server.Get());
  EXPECT_TRUE(feed) << feed.error().Message();
  return *std::move(feed);
}

TEST(LivePayload, UnderstandsNeosShapes) {
  EXPECT_EQ(ParseLivePayload(R"({"carbonIntensity": 123.5})", "x")->intensity->g_per_kwh, 123.5);
  EXPECT_EQ(ParseLivePayload(R"({"value": 0})", "x")->intensity->g_per_kwh, 0);
  EXPECT_FALSE(ParseLivePayload(R"({"value": 5})", "x")->begin);
}

TEST(LivePayload, UnderstandsElectricityMaps) {
  const auto reading = ParseLivePayload(
      R"({"zone":"DE","carbonIntensity":322,"datetime":"2026-05-06T12:00:00.000Z",
          "emissionFactorType":"lifecycle","isEstimated":true,"estimationMethod":"X"})",
      "x");
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(*reading, (LiveReading{Intensity{322}, core::SampleStatus::kEstimated, kDay,
                                   std::nullopt, "DE", core::Boundary::kLifecycle}));
  EXPECT_FALSE(ParseLivePayload(R"({"carbonIntensity":null})", "x")->intensity);
}

TEST(LivePayload, UnderstandsTheUkApiAndMarksItsForecastAsEstimated) {
  const auto reading = ParseLivePayload(
      R"({"data":[{"from":"2026-05-06T12:00Z","to":"2026-05-06T12:30Z",
          "intensity":{"forecast":266,"actual":263,"index":"moderate"}}]})",
      "x");
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->intensity->g_per_kwh, 263);
  EXPECT_EQ(reading->status, core::SampleStatus::kMeasured);
  EXPECT_EQ(*reading->end, kDay + minutes{30});
  const auto ahead = ParseLivePayload(
      R"({"data":[{"from":"2026-05-06T12:00Z","to":"2026-05-06T12:30Z",
          "intensity":{"forecast":266,"actual":null}}]})",
      "x");
  EXPECT_EQ(ahead->intensity->g_per_kwh, 266);
  EXPECT_EQ(ahead->status, core::SampleStatus::kEstimated);
}

TEST(LivePayload, RefusesEverythingElse) {
  for (const char* body :
       {"", "<html>", "null", "[]", "3", "{}", R"({"carbonIntensity":"300"})",
        R"({"carbonIntensity":-1})", R"({"value":1e9})", R"({"data":[]})", R"({"data":{}})",
        R"({"data":[{"intensity":5}]})", R"({"error":{"code":"400 Bad Request"}})",
        R"({"data":[{"from":"2026-05-06T12:30Z","to":"2026-05-06T12:00Z","intensity":{}}]})"}) {
    const auto reading = ParseLivePayload(body, "https://x/y");
    ASSERT_FALSE(reading) << body;
    EXPECT_EQ(reading.error().code, ExitCode::kUnavailable);
    EXPECT_EQ(reading.error().where, "https://x/y");
  }
}

TEST(HttpJsonFeed, AsksAtMostOncePerRefreshInterval) {
  FakeServer server;
  server.Say(R"({"value": 300})");
  const auto feed = Feed(server);
  EXPECT_EQ(feed->Observe(kDay, hours{1})->Current()->intensity.g_per_kwh, 300);
  EXPECT_EQ(feed->Observe(kDay + minutes{4}, hours{1})->Current()->intensity.g_per_kwh, 300);
  EXPECT_EQ(server.requests.size(), 1u);
  EXPECT_EQ(feed->NextChange(kDay + minutes{4}), kDay + minutes{5});
  EXPECT_TRUE(feed->Observe(kDay + minutes{5}, hours{1}));
  EXPECT_EQ(server.requests.size(), 2u);
}

TEST(HttpJsonFeed, HasNoForecastAndSaysNothingOfTheFuture) {
  FakeServer server;
  server.Say(R"({"value": 300})");
  const auto view = Feed(server)->Observe(kDay, hours{10});
  EXPECT_TRUE(view->forecast.series.empty());
  EXPECT_EQ(view->known.span(), (Interval{kDay, kDay + minutes{5}}));
}

TEST(HttpJsonFeed, ABrokenNetworkIsAnErrorAndNeverMockData) {
  FakeServer server;
  server.BreakDown();
  const auto view = Feed(server)->Observe(kDay, hours{1});
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().Message(), HasSubstr("cannot resolve host"));
}

TEST(HttpJsonFeed, AfterAFailureTheLastValueHoldsMarkedEstimatedAndNotForEver) {
  FakeServer server;
  server.Say(R"({"value": 300})");
  server.BreakDown();
  const auto feed = Feed(server);
  ASSERT_TRUE(feed->Observe(kDay, hours{1}));
  const auto held = feed->Observe(kDay + minutes{30}, hours{1});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->Current()->intensity.g_per_kwh, 300);
  EXPECT_EQ(held->Current()->status, core::SampleStatus::kEstimated);
  EXPECT_FALSE(feed->Observe(kDay + minutes{60}, hours{1}));
}

TEST(HttpJsonFeed, RecoversByItself) {
  FakeServer server;
  server.Refuse(503);
  server.Say(R"({"value": 120})");
  const auto feed = Feed(server);
  EXPECT_FALSE(feed->Observe(kDay, hours{1}));
  EXPECT_FALSE(feed->Observe(kDay + minutes{1}, hours{1})) << "not asked again before the refresh";
  EXPECT_EQ(server.requests.size(), 1u);
  EXPECT_EQ(feed->Observe(kDay + minutes{5}, hours{1})->Current()->intensity.g_per_kwh, 120);
}

TEST(HttpJsonFeed, ALateHourlyValueStandsInForOneHourMore) {
  FakeServer server;
  server.Say(R"({"carbonIntensity":322,"datetime":"2026-05-06T11:00:00Z"})");
  const auto feed = Feed(server);
  const auto view = feed->Observe(kDay + minutes{10}, hours{1});
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kEstimated);
  EXPECT_EQ(view->known.At(kDay - minutes{10})->status, core::SampleStatus::kMeasured);
  const auto later = feed->Observe(kDay + minutes{65}, hours{1});
  ASSERT_TRUE(later) << "a source that answers with an old value has no failure, only a gap";
  EXPECT_EQ(later->Current(), nullptr);
}

TEST(HttpJsonFeed, ANewHourReplacesWhatStoodInForIt) {
  FakeServer server;
  server.Say(R"({"carbonIntensity":300,"datetime":"2026-05-06T11:00:00Z"})");
  server.Say(R"({"carbonIntensity":200,"datetime":"2026-05-06T12:00:00Z"})");
  const auto feed = Feed(server);
  ASSERT_TRUE(feed->Observe(kDay + minutes{10}, hours{1}));
  ASSERT_TRUE(feed->Observe(kDay + minutes{20}, hours{1}));
  const auto settled = feed->Settled({kDay - minutes{30}, kDay + minutes{20}});
  ASSERT_EQ(settled->samples().size(), 2u);
  EXPECT_EQ(settled->samples()[0].intensity.g_per_kwh, 300);
  EXPECT_EQ(settled->samples()[1].interval, (Interval{kDay, kDay + minutes{20}}));
  EXPECT_EQ(settled->samples()[1].intensity.g_per_kwh, 200);
}

TEST(HttpJsonFeed, AnUnknownValueIsAGap) {
  FakeServer server;
  server.Say(R"({"carbonIntensity":null,"datetime":"2026-05-06T12:00:00Z"})");
  const auto view = Feed(server)->Observe(kDay, hours{1});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->Current(), nullptr);
}

TEST(HttpJsonFeed, ARunningProgramIsAccountedWithCurrentValuesAndThePastStays) {
  FakeServer server;
  for (const char* body : {R"({"value": 300})", R"({"value": 300})", R"({"value": 100})"})
    server.Say(body);
  const auto feed = Feed(server);
  ASSERT_TRUE(feed->Observe(kDay, hours{1}));
  ASSERT_TRUE(feed->Settled({kDay, kDay + minutes{6}}));
  ASSERT_TRUE(feed->Settled({kDay + minutes{6}, kDay + minutes{12}}));
  const auto all = feed->Settled({kDay - hours{1}, kDay + minutes{12}});
  ASSERT_EQ(all->samples().size(), 2u)
      << "an unchanged value is one sample, and what holds beyond it another";
  EXPECT_EQ(all->samples()[0].interval.begin, kDay) << "before the first answer: a gap";
  EXPECT_EQ(all->At(kDay + minutes{11})->intensity.g_per_kwh, 300);
  EXPECT_EQ(server.requests.size(), 3u);
}

TEST(HttpJsonFeed, RefusalsSayWhatToDoAndNoMessageShowsASecret) {
  ::setenv("EBB_TEST_TOKEN", "s3cret", 1);
  SignalOptions options = Options();
  options.auth_env = "EBB_TEST_TOKEN";
  const std::pair<int, const char*> cases[] = {{401, "EBB_TEST_TOKEN"},
                                               {429, "check_interval"},
                                               {500, "asked again later"},
                                               {404, "check the address"}};
  for (const auto& [status, next] : cases) {
    FakeServer server;
    server.Refuse(status);
    const auto feed = Feed(server, options);
    const auto view = feed->Observe(kDay, hours{1});
    ASSERT_FALSE(view);
    const std::string message = view.error().Message() + feed->identity().source;
    EXPECT_THAT(message, HasSubstr(std::to_string(status)));
    EXPECT_THAT(message, HasSubstr(next));
    EXPECT_THAT(message, HasSubstr("https://grid.example/now"));
    EXPECT_THAT(message, Not(HasSubstr("s3cret")));
    EXPECT_THAT(message, Not(HasSubstr("abc")));
    EXPECT_THAT(message, Not(HasSubstr("pw")));
    EXPECT_THAT(server.requests[0].headers, ElementsAre("auth-token: s3cret"));
    EXPECT_EQ(server.requests[0].url, options.url);
  }
}

TEST(HttpJsonFeed, RefusesAddressesAndTokensThatCannotWork) {
  FakeServer server;
  SignalOptions options = Options();
  options.url = "grid.example/now";
  EXPECT_FALSE(HttpJsonFeed::Create(options, server.Get()));
  options = Options();
  options.auth_env = "EBB_TEST_TOKEN_THAT_IS_NOT_SET";
  const auto unset = HttpJsonFeed::Create(options, server.Get());
  ASSERT_FALSE(unset);
  EXPECT_THAT(unset.error().Message(), HasSubstr("EBB_TEST_TOKEN_THAT_IS_NOT_SET is not set"));
  ::setenv("EBB_TEST_TOKEN", "s3cret", 1);
  options.auth_env = "EBB_TEST_TOKEN";
  options.url = "http://localhost.example/now";
  const auto open = HttpJsonFeed::Create(options, server.Get());
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().Message(), HasSubstr("not sent unencrypted"));
  options.url = "http://127.0.0.1:8080/now";
  EXPECT_TRUE(HttpJsonFeed::Create(options, server.Get()));
}

}  // namespace
}  // namespace ebb::signals
