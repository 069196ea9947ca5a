#pragma once
// The progress of a run: JSON lines appended to progress.jsonl (docs/train.md, "Progress") for
// `ebb`, and a bar or plain lines for a person. Both are throttled here, so the training loop may
// report every step. A progress file that cannot be written is reported once and never stops the
// training.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/learning/micro_batch.h"
#include "train/options/options.h"
#include "train/ranks/share_choice.h"

namespace ebb::train {

struct RunSize {
  std::int64_t total_steps = 0;
  std::int64_t epochs = 0;
};

/// How far the training is, from its beginning on and over all attempts.
struct Position {
  std::int64_t step = 0;  ///< updates done
  std::int64_t samples = 0;
  std::int64_t tokens = 0;  ///< 0 unless the run trains a language model
};

struct StepReport {
  std::int64_t step = 0;   ///< updates done in the run
  std::int64_t epoch = 0;  ///< 1-based
  double loss = 0;
  double samples_per_s = 0;
  double tokens_per_s = 0;  ///< 0 unless the run trains a language model
  Position position{};
};

struct EpochReport {
  std::int64_t epoch = 0;  ///< 1-based
  double train_loss = 0;
  double test_loss = 0;
  double test_accuracy = 0;  ///< 0..1
  std::int64_t tokens = 0;   ///< tokens through a language model; otherwise 0
  double seconds = 0;        ///< time spent on training
};

/// Writes progress.jsonl.
class ProgressLog {
 public:
  static Result<ProgressLog> Open(const platform::Path& path, RunSize size);

  void Begin();
  void Resume(const Position& position);
  void Step(const StepReport& report);
  void EpochBegin(std::int64_t epoch);
  void EpochEnd(const EpochReport& report);
  void Checkpoint(const Position& position);
  void CheckpointFailed(std::int64_t step, const std::string& reason);
  void Diverged(std::int64_t step, const std::string& reason);
  void MicroBatch(std::int64_t step, const MicroBatchState& chosen);
  void RankShares(const RankShareState& state, const ShareChoice& choice);
  void Paused(const Position& position);
  void End(const Position& position);

 private:
  ProgressLog(platform::LineWriter writer, RunSize size);
  void Append(const std::string& line);

  platform::LineWriter writer_;
  RunSize size_;
  bool failed_ = false;
};

/// The bar's text, at most `width` characters:
/// "epoch 2/3 [##############----------]  61 %  loss 0.0812  4380 samples/s".
std::string FormatBar(const StepReport& report, RunSize size, std::size_t width);

/// Shows progress on stdout as the style asks.
class ProgressDisplay {
 public:
  ProgressDisplay(ProgressStyle style, RunSize size);
  void Step(const StepReport& report);
  void EpochEnd(const EpochReport& report);
  /// Ends the bar's line, if one is drawn.
  void Finish();
  /// Prints a line of its own, unless the style is none.
  void Say(const std::string& line);

 private:
  ProgressStyle style_;
  RunSize size_;
  std::size_t width_ = 80;
  bool bar_drawn_ = false;
};

/// True at most once per interval, and the first time.
class Throttle {
 public:
  explicit Throttle(std::chrono::milliseconds interval) : interval_(interval) {}
  bool Due(std::chrono::steady_clock::time_point now);

 private:
  std::chrono::milliseconds interval_;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace ebb::train
