#pragma once
// Reads the losses that runs report at the ends of their epochs, while their progress files grow.
// Successive halving judges by them.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/jobs/job.h"
#include "platform/line_tail.h"
#include "report/run/training_files.h"

namespace ebb::report {

/// The loss of validation, or of training if there is none.
std::optional<double> LossOf(const ProgressEvent& event);

struct EpochLoss {
  Time time{};  ///< wall clock of the program
  core::JobId job = 0;
  int epoch = 0;
  double loss = 0;
  bool is_validation = false;
};

class EpochLosses {
 public:
  using OnEvent = std::function<void(core::JobId, const ProgressEvent&)>;
  /// `on_event` receives every line. Without it, lines that end no epoch are not even parsed, so
  /// that it costs little to follow programs that report every step.
  explicit EpochLosses(OnEvent on_event = nullptr) : on_event_(std::move(on_event)) {}

  /// Follows a job's file from its beginning. Does nothing if the job is followed already.
  void Follow(core::JobId job, const platform::Path& progress_file);
  void Leave(core::JobId job) { tails_.erase(job); }
  /// The losses that these jobs reported since the last call, in order of time. Files of other jobs
  /// are not read.
  std::vector<EpochLoss> Read(std::span<const core::JobId> jobs);
  /// The losses of all followed jobs since the last call.
  std::vector<EpochLoss> Read();

 private:
  void ReadOf(core::JobId job, platform::LineTail& tail, std::vector<EpochLoss>& losses) const;

  OnEvent on_event_;
  std::map<core::JobId, platform::LineTail> tails_;
};

/// The last loss in a progress file, within its last megabytes; nothing if there is none.
std::optional<EpochLoss> LastEpochLoss(const platform::Path& progress_file);

/// The step at which the training in a progress file reports that it diverged; nothing if it has
/// begun anew since.
std::optional<std::int64_t> DivergedAt(const platform::Path& progress_file);

}  // namespace ebb::report
