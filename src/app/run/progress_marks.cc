#include "app/run/progress_marks.h"

#include <memory>

#include "core/run/run.h"
#include "report/run/progress_tail.h"

namespace ebb::app {

namespace {

// The count by which a program is followed: the first that it reports, of steps, samples, tokens.
using Count = std::optional<std::int64_t> report::ProgressEvent::*;
Count CountIn(const report::ProgressEvent& event) {
  for (const Count count : {&report::ProgressEvent::step, &report::ProgressEvent::samples_seen,
                            &report::ProgressEvent::tokens_seen})
    if (event.*count) return count;
  return nullptr;
}

}  // namespace

std::function<std::vector<local::ProgressMark>()> ProgressMarksIn(
    const std::filesystem::path& run_directory) {
  const auto tail = std::make_shared<report::ProgressTail>(run_directory / core::kProgressFile);
  return [tail, count = Count(nullptr)]() mutable {
    std::vector<local::ProgressMark> marks;
    do {
      for (const report::ProgressEvent& event : tail->Poll()) {
        if (!count) count = CountIn(event);
        if (count && event.*count)
          marks.push_back({event.time, static_cast<double>(*(event.*count))});
      }
    } while (tail->has_more());
    return marks;
  };
}

}  // namespace ebb::app
