#pragma once
// What the service says of a drain: what still runs, what waits, and whose deadline it costs.

#include <optional>
#include <string>
#include <vector>

#include "report/described_json.h"
#include "service/views/view.h"

namespace ebb::web {

/// A job that it keeps from its latest start.
struct DrainedJob {
  core::JobId id = 0;
  std::string name;
  Time latest_start{};
  void Describe(report::DescribedJson& json) const;
};

struct DrainAnswer {
  explicit DrainAnswer(const service::View& view = {});
  void Describe(report::DescribedJson& json) const;

  std::optional<engine::Drain> drain;  ///< nothing: jobs start as planned
  std::size_t running = 0;             ///< starting, running or pausing
  std::optional<Time> last_end;        ///< of those, as expected
  std::size_t frozen = 0, paused = 0, waiting = 0;
  std::vector<DrainedJob> missed;     ///< by latest start
  std::optional<Time> next_deadline;  ///< the first latest start among the others that wait
};

}  // namespace ebb::web
