#include "kubernetes/gates/node_affinities.h"

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kForbidden = 403;

}  // namespace

bool NodeAffinities::WasRefused(const std::string& uid) const {
  const auto found = asked_.find(uid);
  return found != asked_.end() && found->second.refused;
}

void NodeAffinities::TryAgain(const std::string& uid) {
  if (const auto found = asked_.find(uid); found != asked_.end()) found->second.refused = false;
}

bool NodeAffinities::IsBeingSet(const GatedObject& object) {
  if (ports_.dry_run || object.requests.filter.empty() || object.phase != ObjectPhase::kSuspended ||
      WasRefused(object.uid))
    return false;
  if (const auto found = asked_.find(object.uid);
      found != asked_.end() && found->second.version == object.version)
    return true;
  const auto answered = [this, uid = object.uid](const Result<ApiAnswer>& answer) {
    Answered(uid, answer);
  };
  const auto models = ports_.capacity.FilteredModels(object.requests.filter);
  if (!ports_.field.Avoid(object, models, answered)) return false;
  asked_[object.uid].version = object.version;
  return true;
}

// Somebody else may have changed the object meanwhile; the next attempt uses the new version.
void NodeAffinities::Answered(const std::string& uid, const Result<ApiAnswer>& answer) {
  const auto found = asked_.find(uid);
  if (found == asked_.end() || !answer || answer->status == kOk) return;
  const std::string why = MessageOf(answer->status, answer->body);
  const bool is_refused = answer->status == kForbidden || why.find("invalid") != why.npos;
  if (!is_refused) return;
  found->second.refused = true;
  ports_.refused(uid, "its node affinity cannot be set: " + why);
}

}  // namespace ebb::kubernetes
