#include "service/intake/dependencies.h"

namespace ebb::service {

bool Dependencies::Add(core::JobId job, const std::vector<core::JobId>& pending) {
  if (pending.empty()) return false;
  pending_[job].insert(pending.begin(), pending.end());
  return true;
}

std::vector<engine::Fact> Dependencies::TakeEnd(core::JobId job, bool succeeded) {
  std::vector<engine::Fact> facts;
  pending_.erase(job);
  for (auto it = pending_.begin(); it != pending_.end();) {
    auto& [waiting, after] = *it;
    if (after.erase(job) == 0 || (succeeded && !after.empty())) {
      ++it;
      continue;
    }
    if (succeeded)
      facts.emplace_back(engine::JobControlled{waiting, engine::JobControl::kNone});
    else
      facts.emplace_back(engine::JobCancelled{
          waiting, "depends on job " + std::to_string(job) + ", which has not succeeded"});
    it = pending_.erase(it);
  }
  return facts;
}

void Dependencies::Drop(core::JobId job) { pending_.erase(job); }

std::vector<core::JobId> Dependencies::WaitsFor(core::JobId job) const {
  const auto found = pending_.find(job);
  if (found == pending_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

}  // namespace ebb::service
