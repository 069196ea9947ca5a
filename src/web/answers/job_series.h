#pragma once
// The course of one job over grid time, for charts: its power, the intensity while it ran, waited
// and paused, and the losses that its program reported (docs/training-program.md). Each series has
// a bounded number of points however long the job ran; thinned series keep their lowest and highest
// values. Pure but for LossesIn.

#include <filesystem>
#include <string>
#include <vector>

#include "core/ledger/ledger.h"
#include "core/signal/intensity.h"
#include "report/run/training_files.h"

namespace ebb::web {

struct JobSeriesInput {
  std::vector<core::LedgerRow> rows;  ///< in order; may be empty
  core::IntensitySeries signal;       ///< values over all of `window`, as far as they are known
  std::vector<report::ProgressEvent> progress;
  Interval window;  ///< grid time from the submission to the end, or to the present
  std::size_t points = 300;
};

/// {"window_ms":[begin,end],
///  "power":[[begin_ms,end_ms,mean_w,low_w,high_w],...]: while it ran; nothing else
///  "intensity":[[begin_ms,end_ms,mean,low,high],...]: where it is known, waiting and pauses, too
///  "loss":[[time_ms,step,mean,low,high],...], "train_loss" and "test_loss": [[time_ms,epoch,...]]}
/// One line.
std::string JobSeriesToJson(const JobSeriesInput& input);

/// The lines of a progress file that report a loss; other lines are ignored.
std::vector<report::ProgressEvent> LossesOf(std::string_view progress_text);
/// The losses in the last part of a file that a program may have written for days. Empty if there
/// is no such file.
std::vector<report::ProgressEvent> LossesIn(const std::filesystem::path& progress_file);

}  // namespace ebb::web
