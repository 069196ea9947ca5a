// The part of the AdmissionCheckController that sends Workloads to worker clusters.

#include <algorithm>
#include <iterator>
#include <utility>

#include "kubernetes/admission/admission_check_controller.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr const char* kApplyPath = "/status?fieldManager=kueue-admission&force=true";
constexpr const char* kApply = "application/apply-patch+yaml";
// A pool without devices, for objects that may use none of the clusters.
constexpr const char* kNoCluster = "no cluster";

ClusterWish WishOf(const GatedObject& object) {
  const auto names = [&object](std::string_view key) {
    const auto found = object.annotations.find(std::string(key));
    return found == object.annotations.end() ? std::set<std::string>{}
                                             : ClusterNames(found->second);
  };
  return {names(kClustersKey), names(kAvoidClustersKey)};
}

}  // namespace

std::string AdmissionCheckController::PoolName(const std::string& cluster_queue, bool on_gpus,
                                               const std::string& cluster) {
  return std::string(kQueuePrefix) + cluster_queue + (cluster.empty() ? "" : " in " + cluster) +
         (on_gpus ? "" : ", cpu");
}

std::set<std::string> AdmissionCheckController::ChecksOf(const Known& known) const {
  std::set<std::string> checks;
  for (const auto& [name, state] : known.workload.checks) checks.insert(name);
  const std::string queue = ClusterQueueOf(known);
  for (const auto& [uid, named] : quotas_)
    if (named.first == queue) checks.insert(named.second.checks.begin(), named.second.checks.end());
  return checks;
}

bool AdmissionCheckController::IsSent(const Known& known) const {
  return dispatcher_.enabled() && dispatcher_.Sends(ChecksOf(known));
}

// The worker cluster that has it, or may have it soon; empty: none.
std::string AdmissionCheckController::PlaceOf(const Known& known) const {
  const Workload& workload = known.workload;
  if (!workload.cluster.empty()) return workload.cluster;
  return workload.nominated.empty() ? known.place : workload.nominated.back();
}

// The pools that the object may use. One that is somewhere already stays there.
void AdmissionCheckController::SetPools(const Known& known, GatedObject& object) {
  const std::string queue = ClusterQueueOf(known);
  const bool on_gpus = object.requests.gpus > 0;
  std::vector<std::string> clusters{""};
  if (IsSent(known)) {
    const ClusterWish wish = WishOf(object);
    const Workload& workload = known.workload;
    const std::string there = workload.cluster.empty() && !workload.nominated.empty()
                                  ? workload.nominated.back()
                                  : workload.cluster;
    clusters = there.empty() ? dispatcher_.ClustersOf(ChecksOf(known), wish)
                             : std::vector<std::string>{there};
    if (clusters.empty()) {
      if (object.lacks.empty())
        object.lacks = "waiting: " + dispatcher_.WhyNone(ChecksOf(known), wish);
      clusters = {kNoCluster};
    }
  }
  object.models.clear();
  for (const std::string& cluster : clusters) {
    object.models.push_back(PoolName(queue, on_gpus, cluster));
    Pool& pool = pools_[object.models.back()];
    pool.queue = queue;
    pool.cluster = cluster;
    pool.on_gpus = on_gpus;
  }
}

// Workloads that wait get other pools; those that are not nominated yet may be now.
void AdmissionCheckController::FollowClusters(bool changed) {
  if (!changed) return;
  is_stale_ = true;
  for (const WorkerCluster* cluster : dispatcher_.clusters()) {
    // The signal of a zone is there before the first job that may go to it.
    if (!cluster->zone.empty())
      ports_.capacity.SiteLike({cluster->name, cluster->zone, cluster->pue});
    for (const std::string& problem : cluster->problems)
      if (said_of_clusters_.insert(cluster->name + ": " + problem).second)
        ports_.say("MultiKueueCluster " + cluster->name + ": " + problem);
  }
  for (auto& [uid, known] : known_) {
    if (known.whole) known.offer = known.whole;
    Review(known);
  }
}

// Nominations --------------------------------------------------------------------------------

// Kueue sends it to nominated clusters as soon as all its other checks are ready.
bool AdmissionCheckController::AwaitsNomination(const Known& known) const {
  const Workload& workload = known.workload;
  if (!known.whole || !workload.active || workload.evicted || workload.admitted ||
      !workload.cluster.empty() || workload.cluster_queue.empty() || !IsSent(known))
    return false;
  // A Workload that has just got quota may not have the checks of its queue yet.
  return std::ranges::all_of(ChecksOf(known), [&](const std::string& name) {
    const auto found = workload.checks.find(name);
    const std::string state = found == workload.checks.end() ? "" : found->second;
    return dispatcher_.Sends({name}) ? state == "Pending" : !IsOurs(name) || state == "Ready";
  });
}

void AdmissionCheckController::FollowNomination(Known& known) {
  const Workload& workload = known.workload;
  if (std::exchange(known.nominated, workload.nominated) != workload.nominated)
    known.nominated_at.reset();
  if (!AwaitsNomination(known)) {
    known.nominated_at.reset();
    if (!known.open) known.place.clear();
    return;
  }
  if (!has_begun_) return;  // not all clusters are known yet
  const bool waits = known.offered && !known.free && !known.open;
  // An earlier controller has answered it. Without a nomination it can still wait; with one, a
  // worker may run it already, so that is left to the worker.
  if (waits && workload.nominated.empty()) {
    if (HasOurs(known) && ports_.objects.notes().Of(workload.uid))
      Answer(known, "Retry", ReasonOf(known));
    return;
  }
  if (known.place.empty()) known.place = ChooseFor(known).value_or("");
  if (!workload.nominated.empty() && !known.nominated_at) known.nominated_at = ports_.since_boot();
  const bool can_be_taken_back = !known.free && HasOurs(known);
  const NominationStep step = NextStep(
      dispatcher_, {known.place, workload.nominated, known.nominated_at, can_be_taken_back},
      [&] { return ChooseFor(known); }, ports_.since_boot());
  if (!step.late.empty()) {
    dispatcher_.DidNotAdmit(step.late, ports_.since_boot());
    is_stale_ = true;
  }
  if (step.kind == NominationStep::Kind::kNominate) return Nominate(known, step.clusters);
  if (step.kind != NominationStep::Kind::kTakeBack) return;
  known.open = false;
  known.ending = true;
  known.place.clear();
  known.taken_back = step.why;
  if (const GatedObject* object = ports_.objects.FindObject(workload.uid))
    ports_.objects.notes().Say(*object, EventReason::kHeldBackByAnother,
                               step.why + "; it waits to be released again");
  Answer(known, "Retry", known.taken_back);
}

// The engine decides again once Kueue has taken the quota back. Until then a worker may still admit
// it, and then it is through.
void AdmissionCheckController::FollowTakingBack(Known& known) {
  const Workload& workload = known.workload;
  if (workload.admitted && !workload.evicted) {
    known.taken_back.clear();
    known.ending = false;
    known.open = true;
    known.place = workload.cluster;
    is_stale_ = true;
    return;
  }
  if (!ChecksIn(known, "Ready").empty() || !ChecksIn(known, "Retry").empty()) return;
  known.ending = false;
  ports_.objects.NotStarted(workload.uid, std::exchange(known.taken_back, ""));
}

// For a Workload that does not wait: a cluster that it is not nominated to yet.
std::optional<std::string> AdmissionCheckController::ChooseFor(const Known& known) const {
  const GatedObject* owner = nullptr;
  if (!FindsOwner(known, owner)) return std::nullopt;
  const auto object = ObjectOf(*known.kind, *known.whole, owner, defaults_);
  if (!object) return std::nullopt;
  const Workload& workload = known.workload;
  const bool on_gpus = workload.requests.gpus > 0;
  const std::string queue = ClusterQueueOf(known);
  RunNow run{dispatcher_.ClustersOf(ChecksOf(known), WishOf(*object)), object->job.duration,
             on_gpus ? workload.requests.gpus : workload.requests.cores, on_gpus};
  std::erase_if(run.clusters, [&](const std::string& name) {
    return std::ranges::count(workload.nominated, name) > 0;
  });
  const auto use_of = [&](const std::string& cluster) {
    ClusterUse use;
    for (const auto& [uid, named] : quotas_)
      if (named.first == queue) use.nominal = on_gpus ? named.second.gpus : named.second.cores;
    for (const auto& [uid, other] : known_)
      if (uid != workload.uid && !other.workload.finished && PlaceOf(other) == cluster)
        use.others += on_gpus ? other.workload.requests.gpus : other.workload.requests.cores;
    return use;
  };
  return dispatcher_.Choose(run, use_of, ports_.since_boot());
}

void AdmissionCheckController::Nominate(Known& known, const std::vector<std::string>& clusters) {
  auto body = NominationBody(*known.kind, *known.whole, clusters);
  if (body) return Send(known, kApplyPath, kApply, *std::move(body));
  if (std::exchange(said_, body.error().Message()) != body.error().Message()) ports_.say(said_);
}

}  // namespace ebb::kubernetes
