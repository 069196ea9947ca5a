#pragma once
// Follows the progress file of a running program: each Poll returns the events of the lines that
// became whole since the last one. A file that does not exist (yet) has no events.

#include <string>
#include <vector>

#include "platform/file.h"
#include "report/training_files.h"

namespace ebb::cli {

class ProgressTail {
 public:
  /// At the file's present end, where what an earlier attempt wrote is old news, or at its
  /// beginning.
  enum class From { kPresentEnd, kBeginning };
  explicit ProgressTail(platform::Path path, From from = From::kPresentEnd);
  ~ProgressTail();
  ProgressTail(const ProgressTail&) = delete;
  ProgressTail& operator=(const ProgressTail&) = delete;

  std::vector<report::ProgressEvent> Poll();

 private:
  platform::Path path_;
  int descriptor_ = -1;
  std::uint64_t offset_ = 0;
  std::string partial_;
};

}  // namespace ebb::cli
