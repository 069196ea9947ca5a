#include "kubernetes/reconciler/held_off_releases.h"

namespace ebb::kubernetes {
namespace {

constexpr const char* kWayOut =
    "leave that field out of what is applied again and again (docs/kubernetes.md, GitOps)";

std::string TimesUndone(const ReleaseBackoff& backoff) {
  return std::to_string(backoff.undone()) + " times soon after its release; ";
}

}  // namespace

std::string UndoneBy(const GatedObject& object) {
  return object.suspended_by.empty() ? "somebody else" : object.suspended_by;
}

std::string HeldOffReleases::Undone(const GatedObject& object, Time released, Time now) {
  ReleaseBackoff& backoff = backoffs_[object.uid];
  if (!backoff.ReleaseUndone(released, now, first_wait_)) return "";
  waiting_.insert(object.uid);
  return TimesUndone(backoff) + "it is not released again before " + FormatTime(*backoff.until()) +
         "; " + kWayOut;
}

std::string HeldOffReleases::WhyNot(const GatedObject& object, Time now) const {
  const auto found = backoffs_.find(object.uid);
  if (found == backoffs_.end() || !found->second.IsOn(now)) return "";
  return "waiting: " + UndoneBy(object) + " has suspended it " + TimesUndone(found->second) +
         "the next release is not before " + FormatTime(*found->second.until()) + "; " + kWayOut;
}

std::vector<std::string> HeldOffReleases::TakeOver(Time now) {
  std::vector<std::string> over;
  std::erase_if(waiting_, [&](const std::string& uid) {
    if (backoffs_.at(uid).IsOn(now)) return false;
    over.push_back(uid);
    return true;
  });
  return over;
}

void HeldOffReleases::Forget(const std::string& uid) {
  backoffs_.erase(uid);
  waiting_.erase(uid);
}

}  // namespace ebb::kubernetes
