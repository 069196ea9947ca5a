#include "trackers/background_tracker.h"

#include <algorithm>

namespace ebb::trackers {
namespace {
constexpr Duration kPauseAtEnd{200};
}  // namespace

BackgroundTracker::BackgroundTracker(const Make& make, TrackedRun run, BackgroundOptions options)
    : tracker_(make(cancelled_)),
      run_(std::move(run)),
      options_(options),
      thread_([this] { Work(); }) {}

BackgroundTracker::~BackgroundTracker() { Stop(); }

void BackgroundTracker::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    cancelled_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundTracker::Log(std::vector<Value> values) {
  const std::lock_guard guard(mutex_);
  waiting_.insert(waiting_.end(), std::make_move_iterator(values.begin()),
                  std::make_move_iterator(values.end()));
  if (waiting_.size() <= options_.most_waiting) return;
  const std::size_t beyond = waiting_.size() - options_.most_waiting;
  dropped_ += beyond;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(beyond));
}

void BackgroundTracker::End(Outcome outcome, Time wall) {
  const std::lock_guard guard(mutex_);
  end_ = {outcome, wall};
  give_up_at_ = std::chrono::steady_clock::now() + options_.patience;
  changed_.notify_all();
}

void BackgroundTracker::WaitForEnd() {
  {
    std::unique_lock guard(mutex_);
    changed_.wait_until(guard, give_up_at_, [this] { return ended_; });
  }
  Stop();
}

bool BackgroundTracker::HasEnded() {
  const std::lock_guard guard(mutex_);
  return ended_ || (end_ && std::chrono::steady_clock::now() >= give_up_at_);
}

bool BackgroundTracker::Delivered() {
  const std::lock_guard guard(mutex_);
  return ended_;
}

std::optional<std::string> BackgroundTracker::TakeNote() {
  const std::lock_guard guard(mutex_);
  if (!failure_ || std::exchange(told_, true)) return std::nullopt;
  return tracker_->name() + " does not take the run's figures: " + failure_->Message() +
         " (the run goes on; its directory has them)";
}

Status BackgroundTracker::Deliver(const std::vector<Value>& values) {
  if (!began_) {
    EBB_RETURN_IF_ERROR(tracker_->Begin(run_));
    began_ = true;
  }
  if (values.empty()) return {};
  return tracker_->Log(values);
}

void BackgroundTracker::Work() {
  Duration pause{0};
  bool tried_end = false;
  for (;;) {
    std::vector<Value> values;
    std::optional<std::pair<Outcome, Time>> end;
    {
      std::unique_lock guard(mutex_);
      // The end interrupts the pause.
      changed_.wait_for(guard, pause, [&] { return stopping_ || (end_ && !tried_end); });
      if (stopping_) return;
      values.swap(waiting_);
      end = end_;
    }
    Status done = Deliver(values);
    if (done && end) done = tracker_->End(end->first, end->second);
    const std::lock_guard guard(mutex_);
    if (!done) {
      // Values that failed go before those that came meanwhile.
      values.insert(values.end(), std::make_move_iterator(waiting_.begin()),
                    std::make_move_iterator(waiting_.end()));
      waiting_ = std::move(values);
      failure_ = done.error();
      pause = std::min(2 * std::max(pause, options_.pause / 2), options_.longest_pause);
      if (end) pause = std::min(options_.pause, kPauseAtEnd);
      tried_end = end.has_value();
      continue;
    }
    pause = options_.pause;
    if (!end) continue;
    ended_ = true;
    changed_.notify_all();
    return;
  }
}

}  // namespace ebb::trackers
