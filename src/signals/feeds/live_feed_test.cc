#include "signals/feeds/live_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "signals/http/scripted_http_for_test.h"
#include "signals/make_feed.h"
#include "signals/providers/json_address.h"
#include "signals/weather/gfs_server.h"

namespace ebb::signals {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

Time Now() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

SignalOptions Options() {
  SignalOptions options;
  options.source = SignalSource::kHttp;
  options.url = "https://grid.example/now";
  options.cache_directory = "";
  return options;
}

std::unique_ptr<LiveFeed> StartJsonAddress(HttpGetFunction http_get, LiveFeedOptions options) {
  JsonAddressOptions address;
  address.url = "https://grid.example/now";
  address.refresh = minutes{5};
  return LiveFeed::Start(
      [address](HttpGetFunction get) { return MakeJsonAddress(address, std::move(get)); },
      std::move(http_get), std::move(options));
}

Result<platform::HttpResponse> NobodyThere(const platform::HttpRequest&) {
  return Fail({ExitCode::kUnavailable, "cannot resolve host", "x", ""});
}

// Never answers until the request is cancelled, like a firewall that drops packets.
Result<platform::HttpResponse> BlackHole(const platform::HttpRequest& request) {
  while (!*request.cancelled) std::this_thread::sleep_for(milliseconds{1});
  return Fail({ExitCode::kUnavailable, "request failed: given up", "x", ""});
}

TEST(LiveFeed, HasAnAnswerWhenItIsMadeAndServesEveryoneFromIt) {
  ScriptedHttp http;
  http.Say("/now", R"({"carbonIntensity": 300, "zone": "DE"})");
  const auto feed = MakeFeed(Options(), http.Get());
  ASSERT_TRUE(feed) << feed.error().Message();
  EXPECT_EQ((*feed)->identity().zone, "DE");
  for (int look = 0; look < 10'000; ++look)
    ASSERT_EQ((*feed)->Observe(Now(), {})->Current()->intensity.g_per_kwh, 300);
  EXPECT_EQ(http.requests.size(), 1u);
  const Time next = (*feed)->NextChange(Now());
  EXPECT_GT(next, Now() + minutes{4});
  EXPECT_LT(next, Now() + minutes{6});
}

TEST(LiveFeed, AskedBesideItIsThereAtOnceAndAnswersLater) {
  std::mutex mutex;
  std::condition_variable may_answer;
  bool let = false;
  const auto feed = MakeFeed(
      Options(),
      [&](const platform::HttpRequest&) -> Result<platform::HttpResponse> {
        std::unique_lock lock(mutex);
        may_answer.wait(lock, [&] { return let; });
        return platform::HttpResponse{200, R"({"carbonIntensity": 300})"};
      },
      {}, FirstAnswer::kBeside);
  ASSERT_TRUE(feed) << feed.error().Message();
  EXPECT_TRUE((*feed)->AwaitsFirstAnswer()) << "it is made while nothing was answered";
  EXPECT_FALSE((*feed)->Observe(Now(), {}));
  {
    const std::lock_guard lock(mutex);
    let = true;
  }
  may_answer.notify_all();
  (*feed)->AwaitFirstAnswer();
  EXPECT_FALSE((*feed)->AwaitsFirstAnswer());
  EXPECT_EQ((*feed)->Observe(Now(), {})->Current()->intensity.g_per_kwh, 300);
}

TEST(LiveFeed, WhileItIsAskedAgainItsTroubleIsSaidAndNotWaitedFor) {
  ScriptedHttp http;
  http.unreachable = true;
  const auto feed = MakeFeed(Options(), http.Get(), {}, FirstAnswer::kBeside);
  ASSERT_TRUE(feed) << feed.error().Message();
  (*feed)->AwaitFirstAnswer();
  const auto view = (*feed)->Observe(Now(), {});
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().Message(), HasSubstr("cannot resolve host"));
}

// The feed's thread goes on asking; waiting for it would take this test an hour.
TEST(LiveFeed, AHostThatCannotBeReachedIsNotWaitedFor) {
  LiveFeedOptions options;
  options.first_answer = std::chrono::hours{1};
  options.unreachable = milliseconds{20};
  options.patience.back_off = {std::chrono::hours{1}, std::chrono::hours{1}};
  options.weather_patience = options.patience;
  options.make_weather = [](HttpGetFunction get) {
    return std::make_unique<LiveWeather>(MakeGfsServer("https://x", std::move(get)),
                                         ZoneToAsk{"DE", {{54, 9}}}, LiveWeatherOptions{});
  };
  const auto feed = StartJsonAddress(NobodyThere, options);
  const auto view = feed->Observe(Now(), {});
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().Message(), HasSubstr("cannot resolve host"));
}

TEST(LiveFeed, AHostThatIsBackAtOnceIsWaitedFor) {
  std::atomic<int> asked = 0;
  LiveFeedOptions options;
  options.first_answer = options.unreachable = std::chrono::hours{1};
  options.patience.back_off.first = milliseconds{1};
  const auto feed = StartJsonAddress(
      [&](const platform::HttpRequest& request) -> Result<platform::HttpResponse> {
        if (++asked < 3) return NobodyThere(request);
        return platform::HttpResponse{200, R"({"carbonIntensity": 300})"};
      },
      options);
  EXPECT_EQ(feed->Observe(Now(), {})->Current()->intensity.g_per_kwh, 300);
}

TEST(LiveFeed, TellsOfAValueThatChangedAndOfNothingElse) {
  std::atomic<int> value = 300;
  LiveFeedOptions options;
  options.live.refresh = milliseconds{20};
  options.patience.rate = {6000, 1000};
  const std::string when =
      FormatTime(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
  const auto feed = StartJsonAddress(
      [&](const platform::HttpRequest&) -> Result<platform::HttpResponse> {
        const std::string body =
            R"({"carbonIntensity": )" + std::to_string(value) + R"(, "datetime": ")" + when + "\"}";
        return platform::HttpResponse{200, body};
      },
      options);
  const std::uint64_t before = feed->news();
  std::mutex mutex;
  std::condition_variable told;
  int calls = 0;
  feed->OnNews([&] {
    const std::lock_guard lock(mutex);
    ++calls;
    told.notify_all();
  });
  value = 120;
  std::unique_lock lock(mutex);
  ASSERT_TRUE(told.wait_for(lock, std::chrono::seconds{20}, [&] { return calls > 0; }));
  lock.unlock();
  feed->OnNews({});
  EXPECT_EQ(feed->news(), before + 1);
  EXPECT_EQ(calls, 1);
}

TEST(LiveFeed, ANetworkThatIsDownIsAnErrorAndNeverMockData) {
  ScriptedHttp http;
  http.Say("/now", "{}", 403);
  const auto feed = MakeFeed(Options(), http.Get());
  ASSERT_TRUE(feed);
  const auto view = (*feed)->Observe(Now(), {});
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().Message(), HasSubstr("403"));
}

TEST(LiveFeed, DecisionsDoNotWaitWhileTheApiIsBlackHoledAndItEndsAtOnce) {
  LiveFeedOptions options;
  options.first_answer = milliseconds{20};
  auto feed = StartJsonAddress(BlackHole, options);
  std::vector<double> micros;
  for (int look = 0; look < 20'000; ++look) {
    const auto begin = SteadyClock::now();
    EXPECT_FALSE(feed->Observe(Now(), {}));
    micros.push_back(std::chrono::duration<double, std::micro>(SteadyClock::now() - begin).count());
  }
  std::sort(micros.begin(), micros.end());
  const double p99_us = micros[micros.size() * 99 / 100];
  RecordProperty("p99_us", std::to_string(p99_us));
  EXPECT_LT(p99_us, 1000);
  const auto begin = SteadyClock::now();
  feed.reset();
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds{1});
}

}  // namespace
}  // namespace ebb::signals
