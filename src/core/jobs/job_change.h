#pragma once
// A person's change to a waiting job. VisitOptions lists once what a change can set: Changed, the
// codec (core/fields.h), requests (web/requests/submission_json.cc) and changed objects of a
// cluster (kubernetes/reconciler/offered_change.cc) follow that list. Values only.

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/jobs/job.h"

namespace ebb::core {

/// New values of options; an option without a value stays as it is.
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

/// Calls each(key, member of Job, new value, drop) for every option that a change can set. The key
/// is that of core/options/job_options.h. `drop` points to the member that removes the option; it
/// is null for an option that every job has. A member of JobChange that is not listed here does not
/// compile.
template <typename Change, typename Each>
void VisitOptions(Change& change, Each each) {
  auto& [name, tier, priority, threshold, start_by, finish_by, duration, drop_threshold,
         drop_start_by, drop_finish_by] = change;
  using Drop = std::conditional_t<std::is_const_v<Change>, const bool*, bool*>;
  constexpr Drop kStays = nullptr;
  each("name", &Job::name, name, kStays);
  each("tier", &Job::tier, tier, kStays);
  each("priority", &Job::priority, priority, kStays);
  each("threshold", &Job::threshold, threshold, &drop_threshold);
  each("start_by", &Job::start_by, start_by, &drop_start_by);
  each("finish_by", &Job::finish_by, finish_by, &drop_finish_by);
  each("duration", &Job::duration, duration, kStays);
}

Job Changed(Job job, const JobChange& change);
/// The change that sets every option in which `wanted` differs from `job`.
JobChange Difference(const Job& job, const Job& wanted);
/// Keys of the options that a change can remove.
std::vector<std::string> RemovableOptions();

}  // namespace ebb::core
