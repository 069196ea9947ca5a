#include "core/jobs/job_change.h"

namespace ebb::core {

Job Changed(Job job, const JobChange& change) {
  VisitOptions(change, [&](auto, auto member, const auto& value, const bool* drop) {
    if (drop && *drop) job.*member = {};
    if (value) job.*member = *value;
  });
  return job;
}

JobChange Difference(const Job& job, const Job& wanted) {
  JobChange change;
  VisitOptions(change, [&](auto, auto member, auto& value, bool* drop) {
    if (job.*member == wanted.*member) return;
    value = wanted.*member;
    if (drop) *drop = !value;
  });
  return change;
}

std::vector<std::string> RemovableOptions() {
  std::vector<std::string> keys;
  const JobChange any;
  VisitOptions(any, [&](const char* key, auto, const auto&, const bool* drop) {
    if (drop) keys.emplace_back(key);
  });
  return keys;
}

}  // namespace ebb::core
