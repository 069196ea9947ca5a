#pragma once
// A launcher of several processes (torchrun, accelerate, deepspeed) ends with a code of its own
// whatever its programs ended with. So a program that paused says so in its progress file too, and
// its last line there counts as much as the exit code of a pause. Private to local/.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/child_process.h"
#include "platform/file.h"

namespace ebb::local {

class PauseMarker {
 public:
  /// Call it before the program starts: lines of earlier attempts do not count. Without EBB_RUN_DIR
  /// there is no file to read.
  explicit PauseMarker(const platform::ChildOptions& child);

  /// The end as the program meant it; call it after the end. `warnings` says if the program really
  /// ended otherwise.
  platform::ExitStatus Judge(const platform::ExitStatus& status,
                             std::vector<std::string>& warnings) const;

 private:
  bool LastLineSaysSo() const;

  platform::Path progress_;  ///< empty: none
  std::uint64_t size_before_ = 0;
};

}  // namespace ebb::local
