#include "app/cluster/job_numbers.h"

#include <utility>

namespace ebb::app {

void JobNumbers::Add(core::JobId job, const std::string& uid) {
  Drop(job);
  jobs_[job] = {uid, std::nullopt};
  live_[uid] = job;
}

void JobNumbers::Bind(core::JobId job, core::JobId number) {
  Unbind(job);
  if (const auto before = JobOf(number)) Unbind(*before);
  jobs_.at(job).number = number;
  by_number_[number] = job;
}

void JobNumbers::Unbind(core::JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  if (const auto number = std::exchange(found->second.number, std::nullopt))
    by_number_.erase(*number);
}

void JobNumbers::GiveUp(core::JobId job) {
  const std::string* uid = UidOf(job);
  if (uid && LiveJobOf(*uid) == job) live_.erase(*uid);
}

void JobNumbers::Drop(core::JobId job) {
  GiveUp(job);
  Unbind(job);
  jobs_.erase(job);
}

std::optional<core::JobId> JobNumbers::LiveJobOf(const std::string& uid) const {
  const auto found = live_.find(uid);
  return found == live_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* JobNumbers::UidOf(core::JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second.uid;
}

std::optional<core::JobId> JobNumbers::NumberOf(core::JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::nullopt : found->second.number;
}

std::optional<core::JobId> JobNumbers::JobOf(core::JobId number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ebb::app
