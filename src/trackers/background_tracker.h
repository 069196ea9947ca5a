#pragma once
// A tracker on a thread of its own: whoever has values never waits for a disk or a server. What
// fails is tried again, less and less often, and said once; a run is never failed by it.
//
// Thread contract: one thread; `say` is called on it.

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
  Duration longest_pause{60'000};     ///< ...up to this
  Duration patience{5'000};           ///< at the end, for what was not delivered
  std::size_t most_waiting = 20'000;  ///< values; the oldest beyond are dropped
};

class BackgroundTracker {
 public:
  /// `make` gets a flag that ends what is under way once it is set.
  using Make = std::function<std::unique_ptr<Tracker>(const std::atomic<bool>& cancelled)>;
  BackgroundTracker(const Make& make, TrackedRun run, BackgroundOptions options = {});
  ~BackgroundTracker();

  void Log(std::vector<Value> values);
  /// Delivers what is left; nothing is taken afterwards. Does not wait.
  void End(Outcome outcome, Time wall);
  /// After End: until it is delivered, or its patience is over.
  void WaitForEnd();
  /// After End: WaitForEnd would not wait.
  bool HasEnded();
  /// After WaitForEnd: the tracker has taken everything, the outcome included.
  bool Delivered();
  /// What the user should be told, once: it could not be delivered.
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
  std::chrono::steady_clock::time_point give_up_at_{};  // once end_ is set
  std::optional<Error> failure_;
  bool told_ = false, ended_ = false, stopping_ = false;
  bool began_ = false;  // the thread's
  std::thread thread_;
};

}  // namespace ebb::trackers
