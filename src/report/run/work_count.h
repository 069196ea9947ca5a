#pragma once
// Counts the work of a run from the progress that its program reports, attempt after attempt.
// Counts are positions in the training: a program that goes on from a checkpoint passes some of
// them again, and work that was done twice counts once. A run that began at a checkpoint of another
// run is counted from there on.

#include "core/ledger/work.h"
#include "platform/line_tail.h"
#include "report/run/training_files.h"

namespace ebb::report {

class WorkCount {
 public:
  void Add(const ProgressEvent& event);
  core::Work done() const;
  /// The part of the training that is done, from 0 to 1: the last step of all steps. Absent if the
  /// program does not report both.
  std::optional<double> share() const;

 private:
  struct Position {
    std::optional<std::int64_t> start{};  ///< where the run began; absent: unknown
    std::optional<std::int64_t> furthest{};
    std::optional<std::int64_t> Done() const;
  };
  bool has_begun_ = false;
  Position steps_, samples_, tokens_;
  std::optional<std::int64_t> last_step_, total_steps_;
};

/// Follows the progress file of a run for its work while it grows. Of a file that has grown much
/// since the last look only the end is read, because counts are positions.
class WorkTail {
 public:
  explicit WorkTail(platform::Path progress_file) : file_(std::move(progress_file)), tail_(file_) {}
  /// The work so far.
  core::Work Read();
  /// WorkCount::share at the last Read.
  std::optional<double> share() const { return count_.share(); }

 private:
  platform::Path file_;
  platform::LineTail tail_;
  WorkCount count_;
};

}  // namespace ebb::report
