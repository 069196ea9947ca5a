#pragma once
// The port through which a run's figures reach an experiment tracker: TensorBoard event files,
// MLflow. What a tracker cannot take costs the run nothing (background_tracker.h).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::trackers {

struct Value {
  std::string key;  ///< "train/loss", "emissions_g"
  double value = 0;
  std::int64_t step = 0;
  Time wall{};
};

using Texts = std::vector<std::pair<std::string, std::string>>;

struct TrackedRun {
  std::string experiment, name, run_id;
  Time begin{};          ///< wall
  Texts configuration;   ///< key and text, in order
  bool resumed = false;  ///< an earlier attempt of it was tracked
};

enum class Outcome { kDone, kFailed, kKilled, kPaused };

class Tracker {
 public:
  virtual ~Tracker() = default;
  /// For people: "MLflow http://127.0.0.1:5000".
  virtual std::string name() const = 0;
  /// Called before anything else, and again after it failed.
  virtual Status Begin(const TrackedRun& run) = 0;
  /// In the order in which they came about. After an Error the same values are offered again.
  virtual Status Log(std::span<const Value> values) = 0;
  virtual Status End(Outcome outcome, Time wall) = 0;
  /// Instead of all others: ends the run of an earlier attempt that nothing goes on with. Nothing
  /// to do where a tracker knows of no such run, or keeps no outcomes. Idempotent.
  virtual Status EndEarlier(Outcome, Time) { return {}; }
};

}  // namespace ebb::trackers
