#pragma once
// Follows the progress file of a running program: each Poll returns the events of the lines that
// became whole since the last one. A file that does not exist (yet) has no events.

#include <vector>

#include "platform/line_tail.h"
#include "report/run/training_files.h"

namespace ebb::report {

class ProgressTail {
 public:
  /// At the file's present end, where what an earlier attempt wrote is old news, or at its
  /// beginning.
  enum class From { kPresentEnd, kBeginning };
  explicit ProgressTail(const platform::Path& path, From from = From::kPresentEnd);

  std::vector<ProgressEvent> Poll();
  /// The last Poll left lines to the next one: what floods its file is read in parts.
  bool has_more() const { return has_more_; }

 private:
  platform::LineTail tail_;
  bool has_more_ = false;
};

}  // namespace ebb::report
