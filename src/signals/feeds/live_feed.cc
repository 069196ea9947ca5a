#include "signals/feeds/live_feed.h"

#include <algorithm>
#include <random>

namespace ebb::signals {
namespace {

// A machine that was asleep wakes with a wall clock far ahead: the thread looks at it this often.
constexpr Duration kLongestSleep{std::chrono::seconds{20}};

// Whether a value came, changed or went. What is expected is observed when it is due, but for
// now's.
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

// A request that hangs is given up when the feed goes away.
LiveFeed::LiveFeed(HttpGetFunction http_get, LiveFeedOptions options)
    : options_(std::move(options)),
      http_(
          [this, http_get = std::move(http_get)](platform::HttpRequest request) {
            request.cancelled = &stopping_;
            return http_get(request);
          },
          *this, options_.patience),
      snapshot_(std::make_shared<LiveSnapshot>()) {}

std::unique_ptr<LiveFeed> LiveFeed::Start(const MakeProviderFunction& make_provider,
                                          HttpGetFunction http_get, LiveFeedOptions options) {
  options.live.after_interval += Duration{std::random_device{}() % 5000};
  std::unique_ptr<LiveFeed> feed(new LiveFeed(std::move(http_get), std::move(options)));
  LiveFeed* self = feed.get();
  auto provider = make_provider(
      [self](const platform::HttpRequest& request) { return self->http_.Get(request); });
  feed->identity_ = provider->identity();
  feed->signal_ = std::make_unique<LiveSignal>(std::move(provider), feed->options_.live);
  feed->thread_ = std::thread([self] { self->Work(); });
  feed->AwaitFirstAnswer();
  return feed;
}

LiveFeed::~LiveFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LiveFeed::Work() {
  while (!stopping_) {
    auto brought = signal_->Refresh(Now());
    const Time next = brought->next_question;
    bool news = false;
    {
      const std::lock_guard lock(mutex_);
      news = Differs(*snapshot_, *brought, Now());
      snapshot_ = std::move(brought);
      for (std::string& note : signal_->TakeNotes()) notes_.push_back(std::move(note));
    }
    changed_.notify_all();
    if (news) Tell();
    for (Time now = Now(); now < next && !IsOfAnotherClock(next, now); now = Now())
      if (!Wait(std::min<Duration>(next - now, kLongestSleep))) return;
  }
}

// No question is further away: the clock was set back since it was planned.
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

void LiveFeed::AwaitFirstAnswer() {
  constexpr Duration kLook{50};
  const auto deadline = std::chrono::steady_clock::now() + options_.first_answer;
  std::unique_lock lock(mutex_);
  while (!snapshot_->asked_at && std::chrono::steady_clock::now() < deadline) {
    if (options_.interrupted && options_.interrupted()) break;
    changed_.wait_for(lock, std::min(kLook, options_.first_answer));
  }
  // What the first answer said about itself; not changed later, since others hold references.
  if (snapshot_->answered_at) identity_ = snapshot_->identity;
}

Result<core::SignalView> LiveFeed::Observe(Time now, Duration) {
  return ViewAt(*snapshot(), now, options_.outage);
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

// Just after the next question, so that its answer is there.
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

}  // namespace ebb::signals
