#pragma once
// A tracker on a thread of its own, so that callers never wait for a disk or a server. Failed
// deliveries are tried again, at growing intervals, and reported once; they never fail a run.
//
// Thread contract: one thread calls the methods here; the tracker's Begin, Log and End run on the
// thread of its own.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "trackers/tracker.h"

namespace ebb::trackers {

struct BackgroundOptions {
  Duration pause{2000};               ///< between deliveries; doubled after each failure...
  Duration longest_pause{60'000};     ///< the limit of that doubling
  Duration patience{5'000};           ///< how long End goes on delivering what is left
  std::size_t most_waiting = 20'000;  ///< undelivered values; beyond that the oldest are dropped
};

class BackgroundTracker {
 public:
  /// `make` gets a flag; once it is set, requests under way end.
  using Make = std::function<std::unique_ptr<Tracker>(const std::atomic<bool>& cancelled)>;
  BackgroundTracker(const Make& make, TrackedRun run, BackgroundOptions options = {});
  ~BackgroundTracker();

  void Log(std::vector<Value> values);
  /// Has the values that are left delivered, then the outcome. No Log afterwards. Does not wait.
  void End(Outcome outcome, Time wall);
  /// Call after End. Waits until everything is delivered or the patience is over.
  void WaitForEnd();
  /// Call after End. True if WaitForEnd would not wait.
  bool HasEnded();
  /// Call after WaitForEnd. True if the tracker has taken everything, the outcome included.
  bool Delivered();
  /// A note for the user, once, if a delivery failed.
  std::optional<std::string> TakeNote();

 private:
  void Work();
  Status Deliver(const std::vector<Value>& values);
  void Stop();

  std::atomic<bool> cancelled_{false};
  const std::unique_ptr<Tracker> tracker_;
  const TrackedRun run_;
  const BackgroundOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Value> waiting_;
  std::size_t dropped_ = 0;
  std::optional<std::pair<Outcome, Time>> end_;
  std::chrono::steady_clock::time_point give_up_at_{};  // set with end_
  std::optional<Error> failure_;
  bool told_ = false, ended_ = false, stopping_ = false;
  bool began_ = false;  // only the thread uses it
  std::thread thread_;
};

}  // namespace ebb::trackers
