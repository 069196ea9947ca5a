#pragma once
// The losses that runs tell at the ends of their epochs, as their progress files grow: what
// successive halving judges by.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/job.h"
#include "platform/line_tail.h"
#include "report/run/training_files.h"

namespace ebb::report {

/// Of validation; of training where there is none.
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
  /// `on_event` hears of every line. Without it lines that end no epoch are not even parsed: so it
  /// costs little to follow programs that tell every step.
  explicit EpochLosses(OnEvent on_event = nullptr) : on_event_(std::move(on_event)) {}

  /// From the beginning of the file. Nothing changes for a job that is followed already.
  void Follow(core::JobId job, const platform::Path& progress_file);
  void Leave(core::JobId job) { tails_.erase(job); }
  /// What these told since the last call, in the order in which it happened. Others are not looked
  /// at.
  std::vector<EpochLoss> Read(std::span<const core::JobId> jobs);
  /// What all told.
  std::vector<EpochLoss> Read();

 private:
  void ReadOf(core::JobId job, platform::LineTail& tail, std::vector<EpochLoss>& losses) const;

  OnEvent on_event_;
  std::map<core::JobId, platform::LineTail> tails_;
};

/// The last one of a progress file, as far as it lies in its last megabytes; nothing where there is
/// none.
std::optional<EpochLoss> LastEpochLoss(const platform::Path& progress_file);

/// The step at which the training of a progress file says that it has diverged, unless it has begun
/// anew since.
std::optional<std::int64_t> DivergedAt(const platform::Path& progress_file);

}  // namespace ebb::report
