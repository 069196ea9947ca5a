#include "train/loop/energy_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ebb::train {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kPeriod{10};
constexpr std::chrono::seconds kLongestGap{1};
constexpr std::chrono::milliseconds kLongestWait{500};
constexpr std::size_t kMostReadings = 1 << 14;  // minutes of a counter that moves each 20 ms

}  // namespace

// The first value stood for an unknown time, so power is known from the second reading on.
void CounterHistory::Add(Moment when, double joules) {
  if (!first_) first_ = joules;
  const double last = readings_.empty() ? *first_ : readings_.back().joules;
  if (joules == last) return;
  readings_.push_back({when, joules});
  if (readings_.size() > kMostReadings) readings_.pop_front();
}

std::optional<double> CounterHistory::At(Moment when) const {
  if (readings_.size() < 2 || when < readings_.front().when) return std::nullopt;
  if (when > readings_.back().when + kLongestGap) return std::nullopt;
  auto after = std::ranges::lower_bound(readings_, when, {}, &Reading::when);
  if (after == readings_.begin()) ++after;
  if (after == readings_.end()) --after;
  const Reading& from = *std::prev(after);
  const double watts = (after->joules - from.joules) / Seconds(after->when - from.when).count();
  return from.joules + watts * Seconds(when - from.when).count();
}

std::optional<double> CounterHistory::JoulesBetween(Moment begin, Moment end) const {
  const auto before = At(begin), after = At(end);
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

EnergyWatch::EnergyWatch(std::function<std::optional<double>()> joules)
    : joules_(std::move(joules)), thread_([this] { Watch(); }) {}

EnergyWatch::~EnergyWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void EnergyWatch::Watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    lock.unlock();
    const auto joules = joules_();
    const auto now = std::chrono::steady_clock::now();
    lock.lock();
    if (joules) history_.Add(now, *joules);
    wake_.wait_for(lock, kPeriod, [this] { return ended_; });
  }
}

std::optional<double> EnergyWatch::JoulesBetween(CounterHistory::Moment begin,
                                                 CounterHistory::Moment end) const {
  const std::lock_guard lock(mutex_);
  return history_.JoulesBetween(begin, end);
}

bool EnergyWatch::WaitUntilKnown() const {
  const auto begin = std::chrono::steady_clock::now();
  for (auto now = begin; now < begin + kLongestWait; now = std::chrono::steady_clock::now()) {
    if (JoulesBetween(now, now)) return true;
    std::this_thread::sleep_for(kPeriod);
  }
  return false;
}

}  // namespace ebb::train
