#pragma once
// A live source as a feed: one thread asks, and all others read its latest snapshot. Observe and
// Settled take a pointer under a lock and copy a part of a series; they never wait for a network.
// The weather has a thread of its own, and so have markets, so that intensity never waits for them.
//
// Thread contract: every method from any thread.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "platform/system_clock.h"
#include "runtime/signal_feed.h"
#include "signals/feeds/live_signal.h"
#include "signals/http/patient_http.h"
#include "signals/markets/live_market.h"
#include "signals/weather/live_weather.h"

namespace ebb::signals {

/// Makes the weather of a zone, which asks through the given client.
using MakeWeatherFunction = std::function<std::unique_ptr<LiveWeather>(HttpGetFunction)>;

/// The parts of a market or operator's source; it asks over a client of its own with this patience.
struct LiveMarketParts {
  std::function<std::unique_ptr<LiveMarket>(HttpGetFunction)> make;
  PatienceOptions patience;
};

struct LiveFeedOptions {
  LiveOptions live;
  OutageRules outage;
  PatienceOptions patience;
  PatienceOptions weather_patience;  ///< for the client of the weather
  /// How long Start waits for the first answer, and for the first weather if none is kept on disk.
  /// A slower source goes on being asked on the feed's thread.
  Duration first_answer{std::chrono::seconds{15}};
  /// The part of `first_answer` that Start waits for a host that cannot be reached at all: a
  /// machine without a network should say so at once. Retries go on on the feed's thread.
  Duration unreachable{std::chrono::seconds{2}};
  /// If set, Start does not wait at all; callers that need the first answer call AwaitFirstAnswer.
  bool answers_beside = false;
  /// Absent: forecasts know no weather.
  MakeWeatherFunction make_weather{};
  std::vector<LiveMarketParts> markets{};  ///< drivers of forecasts
  /// Called some 20 times a second during the wait; returning true ends the wait, not the feed.
  std::function<bool()> interrupted{};
};

class LiveFeed final : public runtime::SignalFeed, private FetchTime {
 public:
  static std::unique_ptr<LiveFeed> Start(const MakeProviderFunction& make_provider,
                                         HttpGetFunction http_get, LiveFeedOptions options);
  /// Returns within about a second, even while a request hangs.
  ~LiveFeed() override;

  /// The identity that the provider states before the first answer.
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override;
  Result<core::IntensitySeries> Settled(Interval interval) override;
  bool AwaitsFirstAnswer() const override;
  /// Does not wait after a failed request: its retries take too long for a caller.
  void AwaitFirstAnswer() override;
  bool Revises() const override { return true; }
  Time NextChange(Time now) const override;
  std::uint64_t news() const override { return news_; }
  void OnNews(const std::function<void()>& tell) override;
  std::optional<runtime::SignalState> State(Time now) const override;

  std::shared_ptr<const LiveSnapshot> snapshot() const;
  const OutageRules& outage() const { return options_.outage; }
  std::vector<std::string> TakeNotes() override;

 private:
  LiveFeed(HttpGetFunction http_get, LiveFeedOptions options);
  /// State of the requests to one service.
  struct Trouble {
    std::optional<Error> error;  ///< error of the latest request; nullopt: it succeeded
    /// When the host was first found unreachable; nullopt: the latest request was answered.
    std::optional<std::chrono::steady_clock::time_point> unreachable_since;
  };
  HttpGetFunction Watched(HttpGetFunction http_get, Trouble LiveFeed::*trouble);
  bool MayStillAnswer(const Trouble& trouble) const;
  HttpGetFunction Cancelled(const HttpGetFunction& http_get);
  void Work();
  void Note(std::vector<std::string> notes);
  /// Other knowledge besides intensity; either may be null.
  struct Beside {
    std::shared_ptr<const forecast::WeatherArchive> weather;
    std::shared_ptr<const Drivers> drivers;
    friend bool operator==(const Beside&, const Beside&) = default;
  };
  struct Market {
    std::unique_ptr<PatientHttp> http;
    std::unique_ptr<LiveMarket> market;
  };

  void StartWeather();
  void StartMarkets();
  void WorkBeside(const std::function<bool()>& refresh, const std::function<void(bool)>& publish);
  void WorkOnWeather();
  void WorkOnMarkets();
  std::shared_ptr<const Drivers> DriversOfMarkets() const;
  void AwaitStart();
  template <typename Waits>
  void WaitWhile(Waits waits, std::unique_lock<std::mutex>& lock);
  bool IsOfAnotherClock(Time question, Time now) const;
  void Tell();

  Time Now() const override;
  Duration SinceBoot() const override { return platform::SinceBoot(); }
  bool Wait(Duration duration) override;
  /// Ends early if the latest `beside_` differs from `beside`.
  bool Wait(Duration duration, const Beside& beside);
  Beside Latest() const;

  const LiveFeedOptions options_;
  const std::chrono::steady_clock::time_point first_answer_by_;
  const HttpGetFunction http_get_;
  std::atomic<bool> stopping_ = false;
  PatientHttp http_, weather_http_;
  std::unique_ptr<LiveSignal> signal_;    ///< only its thread uses it once that runs
  std::unique_ptr<LiveWeather> weather_;  ///< only the weather's thread uses it; may be absent
  std::vector<Market> markets_;           ///< only the markets' thread uses them; may be empty
  core::SignalIdentity identity_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const LiveSnapshot> snapshot_;
  Beside beside_;  ///< latest of weather_ and markets_
  Beside shown_;   ///< the part that snapshot_ knows
  // True while nothing is known and the first question has not ended.
  bool awaits_weather_ = false, awaits_markets_ = false;
  Trouble trouble_, weather_trouble_, market_trouble_;
  std::vector<std::string> notes_;
  std::atomic<std::uint64_t> news_ = 0;
  std::mutex tell_mutex_;
  std::function<void()> tell_;
  std::thread thread_, weather_thread_, market_thread_;
};

}  // namespace ebb::signals
