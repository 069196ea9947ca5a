#pragma once
// What somebody changes of a job that waits. Values only.

#include <optional>
#include <string>

#include "core/job.h"

namespace ebb::core {

/// What is not given stays as it is.
struct JobChange {
  std::optional<std::string> name, tier;
  std::optional<int> priority;
  std::optional<Intensity> threshold;
  std::optional<Time> start_by, finish_by;
  std::optional<Duration> duration;
  bool drop_threshold = false;  ///< it is to have none any more
  bool drop_start_by = false;
  bool drop_finish_by = false;
  friend bool operator==(const JobChange&, const JobChange&) = default;
};

Job Changed(Job job, const JobChange& change);

}  // namespace ebb::core
