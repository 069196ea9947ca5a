#include "signals/feeds/live_feed.h"

#include <algorithm>
#include <random>

#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

// A machine that was asleep wakes with a wall clock far ahead: the thread looks at it this often.
constexpr Duration kLongestSleep{std::chrono::seconds{20}};

// Whether a value came, changed or went. Forecast values count only for `now`: later ones are
// observed when they are due.
bool Differs(const LiveSnapshot& before, const LiveSnapshot& after, Time now) {
  const auto expected_now = [&](const LiveSnapshot& snapshot) {
    const core::Sample* sample = snapshot.forecast.series.At(now);
    return sample ? std::optional(sample->intensity.g_per_kwh) : std::nullopt;
  };
  return before.known.samples() != after.known.samples() ||
         before.failure.has_value() != after.failure.has_value() ||
         (!after.known.At(now) && expected_now(before) != expected_now(after));
}

}  // namespace

// Every request gets the flag stopping_, so that a request that hangs ends with the feed.
LiveFeed::LiveFeed(HttpGetFunction http_get, LiveFeedOptions options)
    : options_(std::move(options)),
      first_answer_by_(std::chrono::steady_clock::now() + options_.first_answer),
      http_get_(std::move(http_get)),
      http_(Watched(Cancelled(http_get_), &LiveFeed::trouble_), *this, options_.patience),
      weather_http_(Watched(Cancelled(http_get_), &LiveFeed::weather_trouble_), *this,
                    options_.weather_patience),
      snapshot_(std::make_shared<LiveSnapshot>()) {}

HttpGetFunction LiveFeed::Cancelled(const HttpGetFunction& http_get) {
  return [this, http_get](platform::HttpRequest request) {
    request.cancelled = &stopping_;
    return http_get(request);
  };
}

HttpGetFunction LiveFeed::Watched(HttpGetFunction http_get, Trouble LiveFeed::*trouble) {
  return [this, http_get = std::move(http_get), trouble](const platform::HttpRequest& request) {
    auto answer = http_get(request);
    {
      const std::lock_guard lock(mutex_);
      Trouble& now = this->*trouble;
      now.error.reset();
      if (answer) now.unreachable_since.reset();
      if (!answer) {
        now.error = answer.error();
        if (!now.unreachable_since) now.unreachable_since = std::chrono::steady_clock::now();
      } else if (answer->status / 100 != 2) {
        now.error = {ExitCode::kUnavailable,
                     "it answers with HTTP status " + std::to_string(answer->status),
                     ShownUrl(request.url), ""};
      }
    }
    changed_.notify_all();
    return answer;
  };
}

// The caller holds mutex_.
bool LiveFeed::MayStillAnswer(const Trouble& trouble) const {
  return !trouble.unreachable_since ||
         std::chrono::steady_clock::now() < *trouble.unreachable_since + options_.unreachable;
}

std::unique_ptr<LiveFeed> LiveFeed::Start(const MakeProviderFunction& make_provider,
                                          HttpGetFunction http_get, LiveFeedOptions options) {
  options.live.after_interval += Duration{std::random_device{}() % 5000};
  std::unique_ptr<LiveFeed> feed(new LiveFeed(std::move(http_get), std::move(options)));
  LiveFeed* self = feed.get();
  auto provider = make_provider(
      [self](const platform::HttpRequest& request) { return self->http_.Get(request); });
  feed->identity_ = provider->identity();
  LiveOptions live = feed->options_.live;
  live.knows_weather = static_cast<bool>(feed->options_.make_weather);
  feed->signal_ = std::make_unique<LiveSignal>(std::move(provider), std::move(live));
  feed->StartWeather();
  feed->StartMarkets();
  feed->thread_ = std::thread([self] { self->Work(); });
  if (!feed->options_.answers_beside) feed->AwaitStart();
  return feed;
}

void LiveFeed::StartWeather() {
  if (!options_.make_weather) return;
  weather_ = options_.make_weather(
      [this](const platform::HttpRequest& request) { return weather_http_.Get(request); });
  weather_->ReadCache();
  beside_.weather = weather_->archive();
  awaits_weather_ = beside_.weather->empty();
  weather_thread_ = std::thread([this] { WorkOnWeather(); });
}

void LiveFeed::StartMarkets() {
  if (options_.markets.empty()) return;
  for (const LiveMarketParts& parts : options_.markets) {
    Market& made = markets_.emplace_back();
    made.http =
        std::make_unique<PatientHttp>(Watched(Cancelled(http_get_), &LiveFeed::market_trouble_),
                                      static_cast<FetchTime&>(*this), parts.patience);
    made.market = parts.make([http = made.http.get()](const platform::HttpRequest& request) {
      return http->Get(request);
    });
    made.market->ReadCache();
    awaits_markets_ = awaits_markets_ || made.market->drivers()->empty();
  }
  beside_.drivers = DriversOfMarkets();
  market_thread_ = std::thread([this] { WorkOnMarkets(); });
}

LiveFeed::~LiveFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (weather_thread_.joinable()) weather_thread_.join();
  if (market_thread_.joinable()) market_thread_.join();
}

void LiveFeed::Work() {
  while (!stopping_) {
    const Beside beside = Latest();
    if (beside.weather) signal_->Use(beside.weather);
    if (beside.drivers) signal_->Use(beside.drivers);
    auto brought = signal_->Refresh(Now());
    const Time next = brought->next_question;
    bool news = false;
    {
      const std::lock_guard lock(mutex_);
      news = Differs(*snapshot_, *brought, Now());
      snapshot_ = std::move(brought);
      shown_ = beside;
      Note(signal_->TakeNotes());
    }
    changed_.notify_all();
    if (news) Tell();
    signal_->Keep();
    {
      const std::lock_guard lock(mutex_);
      Note(signal_->TakeNotes());
    }
    for (Time now = Now(); now < next && !IsOfAnotherClock(next, now); now = Now()) {
      if (!Wait(std::min<Duration>(next - now, kLongestSleep), beside)) return;
      if (Latest() != beside) break;
    }
  }
}

// The caller holds mutex_.
void LiveFeed::Note(std::vector<std::string> notes) {
  for (std::string& note : notes) notes_.push_back(std::move(note));
}

// Asks for other knowledge for as long as the feed lives. `refresh` asks if a question is due, and
// returns whether the next is due at once; `publish` is told that, and called with the lock held.
void LiveFeed::WorkBeside(const std::function<bool()>& refresh,
                          const std::function<void(bool)>& publish) {
  bool goes_on = false;
  do {
    goes_on = refresh();
    {
      const std::lock_guard lock(mutex_);
      publish(goes_on);
    }
    changed_.notify_all();
  } while (Wait(goes_on ? Duration::zero() : kLongestSleep));
}

void LiveFeed::WorkOnWeather() {
  const auto refresh = [this] {
    weather_->Refresh(Now());
    return false;
  };
  WorkBeside(refresh, [this](bool) {
    beside_.weather = weather_->archive();
    awaits_weather_ = false;
    Note(weather_->TakeNotes());
  });
}

// Asks one market after the other: each has a service of its own, and all answer slowly.
void LiveFeed::WorkOnMarkets() {
  const auto refresh = [this] {
    for (Market& one : markets_) one.market->Refresh(Now());
    return std::ranges::any_of(markets_,
                               [&](const Market& one) { return one.market->GoesOn(Now()); });
  };
  WorkBeside(refresh, [this](bool goes_on) {
    const auto drivers = DriversOfMarkets();
    // Publishes drivers only when all pieces are there, because each change fits forecasts anew.
    if (*drivers != *beside_.drivers && (!goes_on || awaits_markets_)) beside_.drivers = drivers;
    awaits_markets_ = false;
    for (Market& one : markets_) Note(one.market->TakeNotes());
  });
}

std::shared_ptr<const Drivers> LiveFeed::DriversOfMarkets() const {
  Drivers drivers;
  for (const Market& one : markets_) drivers.push_back(one.market->drivers());
  return std::make_shared<const Drivers>(std::move(drivers));
}

LiveFeed::Beside LiveFeed::Latest() const {
  const std::lock_guard lock(mutex_);
  return beside_;
}

// Whether the clock was set back since `question` was planned: no planned question is further away
// than one refresh interval.
bool LiveFeed::IsOfAnotherClock(Time question, Time now) const {
  return question - options_.live.refresh > now;
}

void LiveFeed::Tell() {
  ++news_;
  const std::lock_guard lock(tell_mutex_);
  if (tell_) tell_();
}

void LiveFeed::OnNews(const std::function<void()>& tell) {
  const std::lock_guard lock(tell_mutex_);
  tell_ = tell;
}

// Waits until `waits` returns false, but not beyond first_answer_by_. The caller holds the lock.
template <typename Waits>
void LiveFeed::WaitWhile(Waits waits, std::unique_lock<std::mutex>& lock) {
  constexpr Duration kLook{50};
  while (waits() && std::chrono::steady_clock::now() < first_answer_by_) {
    if (options_.interrupted && options_.interrupted()) break;
    changed_.wait_for(lock, std::min(kLook, options_.first_answer));
  }
}

// Waits for the first snapshot, with the weather and the markets that its forecast needs.
void LiveFeed::AwaitStart() {
  std::unique_lock lock(mutex_);
  WaitWhile(
      [&] {
        const bool is_shown = snapshot_->asked_at && shown_ == beside_;
        return (!is_shown && MayStillAnswer(trouble_)) ||
               (awaits_weather_ && MayStillAnswer(weather_trouble_)) ||
               (awaits_markets_ && MayStillAnswer(market_trouble_));
      },
      lock);
  // The identity from the first answer; it is not changed later, since others hold references.
  if (snapshot_->answered_at) identity_ = snapshot_->identity;
}

bool LiveFeed::AwaitsFirstAnswer() const {
  return !snapshot()->asked_at && std::chrono::steady_clock::now() < first_answer_by_;
}

void LiveFeed::AwaitFirstAnswer() {
  std::unique_lock lock(mutex_);
  WaitWhile([&] { return !snapshot_->asked_at && !trouble_.error; }, lock);
}

Result<core::SignalView> LiveFeed::Observe(Time now, Duration) {
  const auto snapshot = this->snapshot();
  auto view = ViewAt(*snapshot, now, options_.outage);
  if (!view && !snapshot->asked_at) {  // the source is being asked, again and again
    const std::lock_guard lock(mutex_);
    if (trouble_.unreachable_since) return Fail(*trouble_.error);
    if (trouble_.error) view.error().what += ": " + trouble_.error->what;
  }
  return view;
}

Result<core::IntensitySeries> LiveFeed::Believed(Interval interval) {
  return BelievedOver(*snapshot(), interval, options_.outage);
}

Result<core::IntensitySeries> LiveFeed::Settled(Interval interval) {
  return SettledOver(*snapshot(), interval);
}

std::optional<runtime::SignalState> LiveFeed::State(Time now) const {
  return StateAt(*snapshot(), now, options_.outage);
}

// A moment just after the next question, so that its answer is there.
Time LiveFeed::NextChange(Time now) const {
  constexpr Duration kAnswering{std::chrono::seconds{2}};
  const Time question = snapshot()->next_question;
  const Time next = question + kAnswering;
  return next > now && !IsOfAnotherClock(question, Now())
             ? next
             : now + std::min<Duration>(options_.live.refresh, kLongestSleep);
}

std::shared_ptr<const LiveSnapshot> LiveFeed::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::vector<std::string> LiveFeed::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

Time LiveFeed::Now() const {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

bool LiveFeed::Wait(Duration duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return stopping_.load(); });
  return !stopping_;
}

bool LiveFeed::Wait(Duration duration, const Beside& beside) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [&] { return stopping_ || beside_ != beside; });
  return !stopping_;
}

}  // namespace ebb::signals
