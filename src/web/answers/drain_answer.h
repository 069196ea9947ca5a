#pragma once
// The service's answer about a drain: the jobs that still run, the jobs that wait, and those that
// will miss their latest start.

#include <optional>
#include <string>
#include <vector>

#include "report/described_json.h"
#include "service/views/view.h"

namespace ebb::web {

/// A job that the drain keeps from its latest start.
struct DrainedJob {
  core::JobId id = 0;
  std::string name;
  Time latest_start{};
  void Describe(report::DescribedJson& json) const;
};

struct DrainAnswer {
  explicit DrainAnswer(const service::View& view = {});
  void Describe(report::DescribedJson& json) const;

  std::optional<engine::Drain> drain;  ///< nullopt if jobs start as planned
  std::size_t running = 0;             ///< starting, running or pausing
  std::optional<Time> last_end;        ///< expected end of the last of these jobs
  std::size_t frozen = 0, paused = 0, waiting = 0;
  std::vector<DrainedJob> missed;     ///< in order of latest start
  std::optional<Time> next_deadline;  ///< first latest start among the other jobs that wait
};

}  // namespace ebb::web
