#include "app/cluster/object_jobs.h"

#include <utility>

namespace ebb::app {

void ObjectJobs::Add(core::JobId job, const std::string& uid) {
  Drop(job);
  jobs_[job] = {uid, std::nullopt};
  live_[uid] = job;
}

void ObjectJobs::Bind(core::JobId job, core::JobId number) {
  Unbind(job);
  if (const auto before = JobOf(number)) Unbind(*before);
  jobs_.at(job).number = number;
  by_number_[number] = job;
}

void ObjectJobs::Unbind(core::JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  if (const auto number = std::exchange(found->second.number, std::nullopt))
    by_number_.erase(*number);
}

void ObjectJobs::GiveUp(core::JobId job) {
  const std::string* uid = UidOf(job);
  if (uid && LiveJobOf(*uid) == job) live_.erase(*uid);
}

void ObjectJobs::Drop(core::JobId job) {
  GiveUp(job);
  Unbind(job);
  jobs_.erase(job);
}

std::optional<core::JobId> ObjectJobs::LiveJobOf(const std::string& uid) const {
  const auto found = live_.find(uid);
  return found == live_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* ObjectJobs::UidOf(core::JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second.uid;
}

std::optional<core::JobId> ObjectJobs::NumberOf(core::JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::nullopt : found->second.number;
}

std::optional<core::JobId> ObjectJobs::JobOf(core::JobId number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ebb::app
