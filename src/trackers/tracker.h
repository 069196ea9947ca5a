#pragma once
// The port through which a run's figures reach an experiment tracker: TensorBoard event files,
// MLflow. A tracker that fails never harms the run (background_tracker.h).

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
  Time begin{};          ///< wall clock
  Texts configuration;   ///< key and text, in order
  bool resumed = false;  ///< an earlier attempt of the run was tracked
};

enum class Outcome { kDone, kFailed, kKilled, kPaused };

class Tracker {
 public:
  virtual ~Tracker() = default;
  /// A name for people: "MLflow http://127.0.0.1:5000".
  virtual std::string name() const = 0;
  /// Called before all other methods, and again if it failed.
  virtual Status Begin(const TrackedRun& run) = 0;
  /// Values come in order of time. After an Error the same values are offered again.
  virtual Status Log(std::span<const Value> values) = 0;
  virtual Status End(Outcome outcome, Time wall) = 0;
  /// Called instead of all other methods: ends the run of an earlier attempt that nobody resumes.
  /// Does nothing if the tracker does not know such a run, or keeps no outcomes. Idempotent.
  virtual Status EndEarlier(Outcome, Time) { return {}; }
};

}  // namespace ebb::trackers
