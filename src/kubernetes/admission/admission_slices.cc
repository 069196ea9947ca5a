// The part of the AdmissionCheckController that knows the slices of elastic Jobs.

#include <utility>

#include "kubernetes/admission/admission_check_controller.h"

namespace ebb::kubernetes {
namespace {

bool HoldsQuota(const Workload& workload) { return !workload.cluster_queue.empty(); }

}  // namespace

AdmissionCheckController::Known* AdmissionCheckController::FindJob(const std::string& job) {
  const auto chain = chains_.find(job);
  return Find(chain == chains_.end() ? job : chain->second.stands);
}

// Only one of the slices of a Job is what the engine knows as the job.
bool AdmissionCheckController::Stands(const Known& known) const {
  const auto chain = chains_.find(known.job);
  return chain == chains_.end() || chain->second.stands == known.workload.uid;
}

// Another slice of the same Job; nullptr: none has this key.
const AdmissionCheckController::Known* AdmissionCheckController::SliceNamed(
    const Known& known, const std::string& key) const {
  const auto chain = chains_.find(known.job);
  if (chain == chains_.end() || key.empty()) return nullptr;
  for (const std::string& uid : chain->second.slices)
    if (const auto found = known_.find(uid);
        found != known_.end() && found->second.workload.Key() == key)
      return &found->second;
  return nullptr;
}

// The slice that is to replace this one; nullptr: none.
const AdmissionCheckController::Known* AdmissionCheckController::ReplacementOf(
    const Known& known) const {
  const auto chain = chains_.find(known.job);
  if (chain == chains_.end()) return nullptr;
  for (const std::string& uid : chain->second.slices)
    if (const auto found = known_.find(uid); found != known_.end()) {
      const Workload& other = found->second.workload;
      if (!other.finished && other.replaces == known.workload.Key()) return &found->second;
    }
  return nullptr;
}

// The slice whose state is that of the Job: the last one with quota, or else the last one.
AdmissionCheckController::Known* AdmissionCheckController::ChooseSlice(const Chain& chain) {
  const auto rank = [](const Workload& workload) {
    if (workload.replaced) return 0;
    if (workload.finished) return 4;
    if (!HoldsQuota(workload)) return 1;
    return workload.evicted ? 2 : 3;
  };
  Known* best = nullptr;
  for (const std::string& uid : chain.slices) {
    Known* known = Find(uid);
    const int ranks = known ? rank(known->workload) : 0;
    if (ranks == 0) continue;
    const int most = best ? rank(best->workload) : 0;
    if (ranks > most || (ranks == most && known->workload.replaces == best->workload.Key()))
      best = known;
  }
  return best;
}

// Call it when a slice of the Job has come, has changed or is gone.
void AdmissionCheckController::FollowSlices(const std::string& job) {
  Chain& chain = chains_.at(job);
  Known* chosen = ChooseSlice(chain);
  if (!chosen) {
    if (Find(chain.stands)) return;  // the one that replaces it is reported later
    if (!std::exchange(chain.stands, "").empty()) ports_.objects.DropObject(job);
    if (chain.slices.empty()) chains_.erase(job);
    return;
  }
  if (chain.stands == chosen->workload.uid) return;
  Known* before = Find(std::exchange(chain.stands, chosen->workload.uid));
  if (before) HandOver(*before, *chosen);
  Review(*chosen);
}

void AdmissionCheckController::HandOver(Known& from, Known& to) {
  to.offered = std::exchange(from.offered, false);
  to.free = std::exchange(from.free, false);
  to.why_free = std::exchange(from.why_free, "");
  to.checkpointable = from.checkpointable;
  to.open = std::exchange(from.open, false);
  to.opened_at = from.opened_at;
  to.ending = std::exchange(from.ending, false);
  to.ending_since = from.ending_since;
  to.place = std::exchange(from.place, "");
  to.wish = std::exchange(from.wish, std::nullopt);
  to.given = from.given;
  to.own = from.own;
  from.offer.reset();
  from.asked_at.reset();
  from.show_at.reset();
}

// True of a slice that replaces one that ran, and that Kueue has not admitted yet: the Pods run on.
bool AdmissionCheckController::IsTakingOver(const Known& known) const {
  const Workload& workload = known.workload;
  if (workload.admitted || workload.evicted || workload.finished || !HoldsQuota(workload))
    return false;
  const Known* before = SliceNamed(known, workload.replaces);
  return before && before->workload.admitted && !before->workload.evicted;
}

// Kueue does not end the Pods of a slice while another one is to replace it. That one takes its
// place soon, because it is given no more devices than there are.
bool AdmissionCheckController::CanEnd(const Known& known) const {
  return !ReplacementOf(known) ||
         ports_.since_boot() >= known.ending_since + options_.follows_within;
}

}  // namespace ebb::kubernetes
