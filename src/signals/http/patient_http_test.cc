#include "signals/http/patient_http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signals/http/scripted_http_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2026-05-06T12:00Z");

struct FakeTime final : FetchTime {
  Time now = kNow;
  std::vector<Duration> waits;
  bool going_away = false;
  Duration set{};  // how far the wall clock was set
  Time Now() const override { return now + set; }
  Duration SinceBoot() const override { return now.time_since_epoch(); }
  bool Wait(Duration duration) override {
    waits.push_back(duration);
    now += duration;
    return !going_away;
  }
};

struct Client {
  ScriptedHttp http;
  FakeTime time;
  PatientHttp patient{http.Get(), time, {}};
  Result<platform::HttpResponse> Get() { return patient.Get({"https://x/y?key=s3cret", {}}); }
  void Say(int status, std::string retry_after = "") {
    http.answers["x"].push_back({status, "", std::move(retry_after)});
  }
};

TEST(PatientHttp, RetriesOnlyWhatCanSucceed) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    Client client;
    client.Say(status);
    client.Say(200);
    EXPECT_EQ(client.Get()->status, 200) << status;
    EXPECT_EQ(client.http.requests.size(), 2u) << status;
  }
  for (const int status : {200, 204, 301, 400, 401, 403, 404, 410, 422}) {
    Client client;
    client.Say(status);
    EXPECT_EQ(client.Get()->status, status);
    EXPECT_EQ(client.http.requests.size(), 1u) << status;
  }
}

TEST(PatientHttp, WaitsLongerEveryTimeAndGivesUp) {
  Client client;
  client.http.unreachable = true;
  EXPECT_FALSE(client.Get());
  EXPECT_EQ(client.http.requests.size(), 4u);
  ASSERT_EQ(client.time.waits.size(), 3u) << "not after the last failure";
  for (std::size_t i = 0; i < 3; ++i) {
    const Duration longest = seconds{1 << i};
    EXPECT_LE(client.time.waits[i], longest);
    EXPECT_GE(client.time.waits[i], longest / 2);
  }
}

TEST(PatientHttp, ACertificateThatIsNotTrustedIsNotTriedAgain) {
  int asked = 0;
  FakeTime time;
  PatientHttp patient(
      [&](const platform::HttpRequest&) -> Result<platform::HttpResponse> {
        ++asked;
        return Fail({ExitCode::kConfiguration, "certificate", "", ""});
      },
      time, {});
  EXPECT_FALSE(patient.Get({"https://x", {}}));
  EXPECT_EQ(asked, 1);
}

TEST(PatientHttp, RetryAfterIsHonouredInSecondsAndAsADate) {
  for (const char* header : {"30", "Wed, 06 May 2026 12:00:30 GMT"}) {
    Client client;
    client.Say(429, header);
    client.Say(200);
    EXPECT_EQ(client.Get()->status, 200);
    EXPECT_EQ(client.time.waits, std::vector<Duration>{seconds{30}}) << header;
  }
}

TEST(PatientHttp, ALongRetryAfterLeavesTheServiceAloneUntilThen) {
  Client client;
  client.Say(429, "1800");
  client.Say(200);
  EXPECT_EQ(client.Get()->status, 429);
  client.time.now += minutes{29};
  const auto refused = client.Get();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("2026-05-06T12:30:00Z"));
  EXPECT_THAT(refused.error().Message(), HasSubstr("it answered with HTTP status 429"));
  EXPECT_EQ(client.http.requests.size(), 1u);
  client.time.now += minutes{1};
  EXPECT_EQ(client.Get()->status, 200);
}

TEST(PatientHttp, TheBreakerOpensAndLetsOneProbeThrough) {
  Client client;
  client.http.unreachable = true;
  EXPECT_FALSE(client.Get());
  EXPECT_FALSE(client.Get());
  EXPECT_EQ(client.http.requests.size(), 5u) << "the fifth failure opens it";
  EXPECT_EQ(client.patient.state(), CircuitBreaker::State::kOpen);
  EXPECT_THAT(
      client.Get().error().Message(),
      HasSubstr("several times in a row, the last time: request failed: cannot resolve host"))
      << "with its cause";
  EXPECT_EQ(client.http.requests.size(), 5u);
  client.time.now += minutes{5};
  EXPECT_EQ(client.patient.state(), CircuitBreaker::State::kHalfOpen);
  EXPECT_FALSE(client.Get());
  EXPECT_EQ(client.http.requests.size(), 6u) << "one probe, no retries";
  client.time.now += minutes{5};
  EXPECT_EQ(client.patient.state(), CircuitBreaker::State::kOpen) << "twice as long";
  client.time.now += minutes{5};
  client.http.unreachable = false;
  client.Say(200);
  EXPECT_EQ(client.Get()->status, 200);
  EXPECT_EQ(client.patient.state(), CircuitBreaker::State::kClosed);
}

TEST(PatientHttp, AClockThatIsSetMakesNoDifferenceToWaits) {
  for (const Duration set : {Duration{std::chrono::hours{48}}, Duration{-std::chrono::hours{48}}}) {
    Client client;
    client.Say(503, "1800");
    client.Say(200);
    EXPECT_EQ(client.Get()->status, 503);
    client.time.set = set;
    EXPECT_FALSE(client.Get()) << "it asked to be left alone for half an hour";
    client.time.now += minutes{31};
    EXPECT_EQ(client.Get()->status, 200);
  }
}

TEST(PatientHttp, StopsWaitingWhenItsCallerGoesAway) {
  Client client;
  client.http.unreachable = true;
  client.time.going_away = true;
  EXPECT_THAT(client.Get().error().what, HasSubstr("stopped"));
  EXPECT_EQ(client.http.requests.size(), 1u);
}

TEST(PatientHttp, NoMessageShowsTheQuery) {
  Client client;
  client.http.unreachable = true;
  std::string messages;
  for (int i = 0; i < 3; ++i) messages += client.Get().error().Message();
  EXPECT_THAT(messages, ::testing::Not(HasSubstr("s3cret")));
}

TEST(TokenBucket, GivesABurstThenTheRate) {
  platform::TokenBucket bucket({60, 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Take(kNow), Duration::zero());
  EXPECT_EQ(bucket.Take(kNow), Duration{seconds{1}});
  EXPECT_EQ(bucket.Take(kNow), Duration{seconds{2}}) << "who comes later waits longer";
  EXPECT_EQ(bucket.Take(kNow + seconds{10}), Duration::zero());
  EXPECT_EQ(bucket.Take(kNow), Duration::zero()) << "a clock set back does no harm";
}

TEST(RetryAfter, IsNothingWhereItIsNeitherSecondsNorADate) {
  for (const char* header :
       {"", "soon", "-5", "1.5", "Wed, 06 May 2026 12:00:30 CET", "a b c d e GMT"})
    EXPECT_FALSE(platform::RetryAfter(header, kNow)) << header;
  EXPECT_EQ(*platform::RetryAfter("Wed, 06 May 2026 11:00:00 GMT", kNow), Duration::zero());
  EXPECT_EQ(*platform::RetryAfter("999999999", kNow), Duration{std::chrono::hours{24}});
}

}  // namespace
}  // namespace ebb::signals
