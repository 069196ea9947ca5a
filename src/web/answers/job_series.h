#pragma once
// The course of one job over the time of the grid, for charts: its power, the intensity it met and
// missed, and the losses its program told (docs/training-program.md). However long it ran, each
// series has a bounded number of points; what is thinned out keeps its lowest and highest value.
// Pure but for LossesIn.

#include <filesystem>
#include <string>
#include <vector>

#include "core/intensity.h"
#include "core/ledger.h"
#include "report/run/training_files.h"

namespace ebb::web {

struct JobSeriesInput {
  std::vector<core::LedgerRow> rows;  ///< in order; may be empty
  core::IntensitySeries signal;       ///< over all of `window`, as far as it is known
  std::vector<report::ProgressEvent> progress;
  Interval window;  ///< grid time, from the submission to the end or to now
  std::size_t points = 300;
};

/// {"window_ms":[begin,end],
///  "power":[[begin_ms,end_ms,mean_w,low_w,high_w],...]: while it ran; nothing else
///  "intensity":[[begin_ms,end_ms,mean,low,high],...]: where it is known, waiting and pauses, too
///  "loss":[[time_ms,step,mean,low,high],...], "train_loss" and "test_loss": [[time_ms,epoch,...]]}
/// One line.
std::string JobSeriesToJson(const JobSeriesInput& input);

/// The lines of a progress file that tell a loss; others are passed over.
std::vector<report::ProgressEvent> LossesOf(std::string_view progress_text);
/// Of a file that a program may have written for days: of its last part. None where it is absent.
std::vector<report::ProgressEvent> LossesIn(const std::filesystem::path& progress_file);

}  // namespace ebb::web
