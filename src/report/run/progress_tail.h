#pragma once
// Follows the progress file of a running program. Each Poll returns the events of the lines that
// were completed since the last Poll. A file that does not exist (yet) has no events.

#include <vector>

#include "platform/line_tail.h"
#include "report/run/training_files.h"

namespace ebb::report {

class ProgressTail {
 public:
  /// Where to begin: at the file's present end, to skip lines of an earlier attempt, or at its
  /// beginning.
  enum class From { kPresentEnd, kBeginning };
  explicit ProgressTail(const platform::Path& path, From from = From::kPresentEnd);

  std::vector<ProgressEvent> Poll();
  /// True if the last Poll left lines to the next one: a flooded file is read in parts.
  bool has_more() const { return has_more_; }

 private:
  platform::LineTail tail_;
  bool has_more_ = false;
};

}  // namespace ebb::report
