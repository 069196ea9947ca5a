#include "runtime/submissions.h"

#include <algorithm>

namespace ebb::runtime {

std::vector<Submitted> WithoutTickets(std::vector<engine::Event> events) {
  std::vector<Submitted> submitted;
  submitted.reserve(events.size());
  for (engine::Event& event : events) submitted.push_back({std::move(event), 0});
  return submitted;
}

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

std::vector<Submitted> SubmissionList::Take(Time now) {
  std::vector<Submitted> due;
  for (; !closed() && events_[next_].at <= now; ++next_)
    due.push_back({std::move(events_[next_]), 0});
  return due;
}

}  // namespace ebb::runtime
