#pragma once
// Files that a training program, ours or another, leaves in the run directory: progress.jsonl while
// it runs and train_result.json at its end. Both are optional and written by another program, so
// reading is forgiving: unknown, damaged or half-written lines are skipped. Layout:
// docs/run-directory.md.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"

namespace ebb::report {

/// One line of progress.jsonl. Members that the line does not have are absent.
struct ProgressEvent {
  Time time{};
  std::string event;  ///< "step", "epoch_end", ...
  std::optional<int> epoch;
  /// Counts of the whole training, from its beginning on, except `total_steps`: how many there will
  /// be.
  std::optional<std::int64_t> step, samples_seen, tokens_seen, total_steps;
  std::optional<double> loss, samples_per_second, train_loss, test_loss, test_accuracy_percent;
};
std::optional<ProgressEvent> ParseProgressLine(std::string_view line);
/// The event as a line, without the end of the line. Absent members are left out.
std::string ProgressLine(const ProgressEvent& event);

/// The contents of a run's progress file as a whole.
struct Progress {
  /// The epochs that ended. Their intervals do not overlap: an epoch that was repeated after a
  /// restart lasts from its first beginning to its last end, and so includes the lost work.
  std::vector<core::Epoch> epochs;
  core::Work work;
};
Progress ReadProgress(std::string_view progress_text);

/// The content of train_result.json; nothing if it is not a result of a training.
struct TrainResult {
  core::TrainingSettings settings;
  core::TrainingOutcome outcome;
  std::vector<std::string> notices;  ///< sentences on data that was cut off, left out or changed
};
std::optional<TrainResult> ParseTrainResult(std::string_view text);
/// The notices of a run's train_result.json; none while there is no such file.
std::vector<std::string> TrainNotices(const std::filesystem::path& run_directory);

}  // namespace ebb::report
