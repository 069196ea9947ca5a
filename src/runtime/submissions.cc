#include "runtime/submissions.h"

#include <algorithm>

namespace ebb::runtime {

SubmissionList::SubmissionList(std::vector<engine::Event> events) : events_(std::move(events)) {
  std::stable_sort(events_.begin(), events_.end(),
                   [](const engine::Event& a, const engine::Event& b) { return a.at < b.at; });
}

SubmissionList SubmissionList::OfJobs(std::vector<core::Job> jobs) {
  std::vector<engine::Event> events;
  events.reserve(jobs.size());
  for (core::Job& job : jobs) {
    const Time at = job.submitted;
    events.push_back({at, engine::JobSubmitted{std::move(job)}});
  }
  return SubmissionList(std::move(events));
}

Time SubmissionList::NextAt() const { return closed() ? Time::max() : events_[next_].at; }

std::vector<engine::Event> SubmissionList::Take(Time now) {
  std::vector<engine::Event> due;
  for (; !closed() && events_[next_].at <= now; ++next_) due.push_back(std::move(events_[next_]));
  return due;
}

}  // namespace ebb::runtime
