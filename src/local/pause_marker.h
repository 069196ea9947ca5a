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
  /// Before the program starts: what earlier attempts have written does not count. Of a program
  /// without EBB_RUN_DIR nothing is known.
  explicit PauseMarker(const platform::ChildOptions& child);

  /// After its end: what it meant. `warnings` says where that is not how it ended.
  platform::ExitStatus Judge(const platform::ExitStatus& status,
                             std::vector<std::string>& warnings) const;

 private:
  bool LastLineSaysSo() const;

  platform::Path progress_;  ///< empty: none
  std::uint64_t size_before_ = 0;
};

}  // namespace ebb::local
