#pragma once
// A person's change to a waiting job. Values only.

#include <optional>
#include <string>

#include "core/jobs/job.h"

namespace ebb::core {

/// New values of fields; a field without a value stays as it is.
struct JobChange {
  std::optional<std::string> name, tier;
  std::optional<int> priority;
  std::optional<Intensity> threshold;
  std::optional<Time> start_by, finish_by;
  std::optional<Duration> duration;
  bool drop_threshold = false;  ///< removes the threshold
  bool drop_start_by = false;
  bool drop_finish_by = false;
  friend bool operator==(const JobChange&, const JobChange&) = default;
};

Job Changed(Job job, const JobChange& change);

}  // namespace ebb::core
