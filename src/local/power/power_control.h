#pragma once
// The power of one attempt's GPUs while it runs: a fixed limit, or one that is found
// (cap_search.h). Without permission, or for GPUs that cannot be limited, the program runs
// unlimited and a warning says why. A limit that was found, and why, is written to power-cap.jsonl.
//
// Thread contract: one thread, except Push.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/power_choice.h"
#include "local/power/cap_search.h"
#include "local/power/power_guard.h"
#include "local/readings/reading_queue.h"

namespace ebb::local {

struct PowerTerms {
  core::PowerCap cap;
  core::Slowdown slower_by;       ///< for a limit that is found
  std::vector<std::string> gpus;  ///< named as in AttemptPlan::gpus; empty: there are none
  std::string nvml_library = "libnvidia-ml.so.1";
  Duration sample_interval{1000};
  /// Returns the program's reports of progress since the last call. Needed to find a limit.
  std::function<std::vector<ProgressMark>()> progress{};
  /// A limit that was found before: `cap` is fixed then, and this is written down as the reason.
  std::optional<core::PowerChoice> known{};
};

class PowerControl {
 public:
  /// Call it before the program starts, at `now` on the wall clock.
  PowerControl(const AttemptPaths& paths, PowerTerms terms, Time now);

  void Push(const std::vector<core::EnergyReading>& readings) { queue_.Push(readings); }
  /// Follows the program, and changes the limit while one is searched for. Call it at least every
  /// sample interval.
  void Look(Time now);
  /// The program was stopped, or goes on.
  void Interrupt(Time now);
  /// True while a limit is searched for.
  bool searches() const { return search_ && !search_->done(); }
  /// Restores the limits. Returns everything that people should know about them.
  std::vector<std::string> End();

 private:
  void BeginSearch(Time now);
  void SetWanted();
  void Write(core::PowerChoice choice);

  AttemptPaths paths_;
  PowerTerms terms_;
  PowerGuard guard_;
  ReadingQueue queue_;
  std::optional<CapSearch> search_;
  std::string model_;  // of the GPUs, once a search has begun
  std::vector<std::string> notes_;
  bool written_ = false;
};

}  // namespace ebb::local
