#include "kubernetes/admission/admission_check_controller.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr int kOk = 200, kNotFound = 404, kConflict = 409;
constexpr const char* kStatusQuery = "/status?fieldManager=ebb-controller&force=true";
constexpr const char* kApply = "application/apply-patch+yaml";
constexpr const char* kMerge = "application/merge-patch+json";
constexpr const char *kPending = "Pending", *kReady = "Ready", *kRetry = "Retry";
// An owner is created before its Workload, but another watch reports it, perhaps later.
constexpr std::chrono::seconds kOwnerWithin{10};
constexpr std::chrono::seconds kTryAgainAfter{5};

}  // namespace

AdmissionCheckController::AdmissionCheckController(Ports ports, ObjectDefaults defaults,
                                                   KueueOptions options)
    : ports_(std::move(ports)),
      defaults_(std::move(defaults)),
      options_(std::move(options)),
      dispatcher_(options_.dispatch) {}

AdmissionCheckController::~AdmissionCheckController() { *alive_ = false; }

AdmissionCheckController::Known* AdmissionCheckController::Find(const std::string& uid) {
  const auto found = known_.find(uid);
  return found == known_.end() ? nullptr : &found->second;
}

// Reports of the reflectors -------------------------------------------------------------------

// A queue whose check is inactive admits nothing.
void AdmissionCheckController::TakeCheck(const GatedKind& kind, const JsonNode& check) {
  const std::string name = TextAt(check, "/metadata/name");
  const bool ours = TextAt(check, "/spec/controllerName") == kCheckController;
  checks_[TextAt(check, "/metadata/uid")] = {name, ours};
  FollowChecks();
  FollowClusters(dispatcher_.TakeCheck(check));
  if (!ours) return;
  for (auto& [uid, known] : known_) Review(known);
  if (HasCondition(check, "Active")) return;
  const Json active{
      {"type", "Active"},
      {"status", "True"},
      {"reason", "Active"},
      {"message", "Ebb answers this check"},
      {"lastTransitionTime", FormatTime(std::chrono::floor<std::chrono::seconds>(ports_.now()))}};
  const Json body{{"apiVersion", kind.ApiVersion()},
                  {"kind", "AdmissionCheck"},
                  {"metadata", {{"name", name}}},
                  {"status", {{"conditions", Json::array({active})}}}};
  ports_.client.Make(
      {.path = "/apis/" + kind.ApiVersion() + "/admissionchecks/" + name + kStatusQuery,
       .content_type = kApply,
       .body = body.dump(),
       .key = "admissioncheck/" + name},
      [say = ports_.say, name](const Result<ApiAnswer>& answer) {
        if (!answer || answer->status != kOk)
          say("AdmissionCheck " + name + " cannot be made active: " +
              (answer ? MessageOf(answer->status, answer->body) : answer.error().Message()));
      });
}

void AdmissionCheckController::DropCheck(const std::string& uid) {
  checks_.erase(uid);
  FollowChecks();
  FollowClusters(dispatcher_.DropCheck(uid));
}

void AdmissionCheckController::TakeClusterQueue(const JsonNode& queue) {
  auto& [name, quota] = quotas_[TextAt(queue, "/metadata/uid")];
  name = TextAt(queue, "/metadata/name");
  const Quota before = std::exchange(quota, ReadQuota(queue));
  is_stale_ = true;
  if (before.checks == quota.checks) return;
  FollowChecks();
  FollowClusters(true);
}

void AdmissionCheckController::DropClusterQueue(const std::string& uid) {
  if (quotas_.erase(uid) == 0) return;
  is_stale_ = true;
  FollowChecks();
}

void AdmissionCheckController::TakeLocalQueue(const JsonNode& queue) {
  const std::string name =
      TextAt(queue, "/metadata/namespace") + "/" + TextAt(queue, "/metadata/name");
  // An older queue of the same name may have been deleted.
  std::erase_if(local_queues_, [&](const auto& known) { return known.second == name; });
  local_queues_[TextAt(queue, "/metadata/uid")] = name;
  cluster_queues_[name] = TextAt(queue, "/spec/clusterQueue");
  for (auto& [uid, known] : known_)
    if (known.workload.queue == name) Review(known);
}

void AdmissionCheckController::DropLocalQueue(const std::string& uid) {
  const auto found = local_queues_.find(uid);
  if (found == local_queues_.end()) return;
  cluster_queues_.erase(found->second);
  local_queues_.erase(found);
}

void AdmissionCheckController::TakeWorkload(const GatedKind& kind, const JsonNode& json) {
  Workload workload = ReadWorkload(json);
  Known& known = known_[workload.uid];
  if (!known.kind) known.seen_at = ports_.since_boot();
  known.kind = &kind;
  const std::string before = std::exchange(known.workload, std::move(workload)).cluster;
  if (!before.empty() && (known.workload.finished || known.workload.cluster.empty()))
    dispatcher_.Freed(before);
  known.offer = json;
  known.whole.reset();
  if (dispatcher_.enabled() && !known.workload.finished) known.whole = json;
  is_stale_ = true;
  Review(known);
}

void AdmissionCheckController::DropWorkload(const std::string& uid) {
  if (const Known* known = Find(uid)) dispatcher_.Freed(known->workload.cluster);
  is_stale_ = known_.erase(uid) > 0 || is_stale_;
  ports_.objects.DropObject(uid);
}

bool AdmissionCheckController::IsOurs(const std::string& name) const {
  return std::ranges::any_of(
      checks_, [&](const auto& entry) { return entry.second.ours && entry.second.name == name; });
}

std::vector<std::string> AdmissionCheckController::ChecksIn(const Known& known,
                                                            std::string_view state) const {
  std::vector<std::string> names;
  for (const auto& [name, is] : known.workload.checks)
    if (is == state && IsOurs(name)) names.push_back(name);
  return names;
}

bool AdmissionCheckController::IsKnown(const std::string& name) const {
  return std::ranges::any_of(checks_, [&](const auto& entry) { return entry.second.name == name; });
}

bool AdmissionCheckController::HasOurs(const Known& known) const {
  return std::ranges::any_of(known.workload.checks,
                             [&](const auto& check) { return IsOurs(check.first); });
}

bool AdmissionCheckController::AsksUs(const std::string& cluster_queue) const {
  return std::ranges::any_of(quotas_, [&](const auto& entry) {
    const auto& [name, quota] = entry.second;
    return name == cluster_queue &&
           std::ranges::any_of(quota.checks, [&](const auto& check) { return IsOurs(check); });
  });
}

// Without a check of Ebb, Ebb cannot have the Workload evicted.
bool AdmissionCheckController::CanBeEvicted(const Known& known) const {
  return HasOurs(known) || AsksUs(ClusterQueueOf(known));
}

// Reports of Workloads, queues and checks come by separate watches, in any order, and people change
// them.
void AdmissionCheckController::FollowChecks() {
  for (const auto& [uid, known] : known_) {
    const GatedObject* offered = known.offered ? ports_.objects.FindObject(uid) : nullptr;
    const bool checkpointable = known.checkpointable && CanBeEvicted(known);
    if (!offered || offered->job.checkpointable == checkpointable) continue;
    GatedObject object = *offered;
    object.job.checkpointable = checkpointable;
    ports_.objects.TakeObject(std::move(object));
  }
}

bool AdmissionCheckController::IsToBeOffered(const Known& known) const {
  return known.offer && (HasOurs(known) || known.workload.gated);
}

// Only a Workload that holds quota may get an answer to its check.
bool AdmissionCheckController::IsUnanswered(const Known& known) const {
  const Workload& workload = known.workload;
  return !workload.finished && !workload.evicted && !workload.cluster_queue.empty() &&
         !ChecksIn(known, kPending).empty();
}

// To the engine ------------------------------------------------------------------------------

std::string AdmissionCheckController::ClusterQueueOf(const Known& known) const {
  if (!known.workload.cluster_queue.empty()) return known.workload.cluster_queue;
  const auto found = cluster_queues_.find(known.workload.queue);
  return found == cluster_queues_.end() ? "" : found->second;
}

// Returns false if the Workload has an owner that is not known yet.
bool AdmissionCheckController::FindsOwner(const Known& known, const GatedObject*& owner) const {
  owner = known.workload.owner.empty() ? nullptr : ports_.objects.FindObject(known.workload.owner);
  return owner || known.workload.owner.empty() ||
         ports_.since_boot() - known.seen_at >= kOwnerWithin;
}

void AdmissionCheckController::TryToOffer(Known& known) {
  const GatedObject* owner = nullptr;
  const std::string cluster_queue = ClusterQueueOf(known);
  if (cluster_queue.empty() || !FindsOwner(known, owner)) return;
  auto object = ObjectOf(*known.kind, *known.offer, owner, defaults_);
  if (!object || (!IsToBeOffered(known) && !known.offered)) return;
  // An object that Ebb let go is never held back again.
  object->declined = known.free = known.free || object->declined;
  SetPools(known, *object);
  const bool are_told = std::ranges::all_of(
      object->models, [&](const std::string& pool) { return pools_.at(pool).told; });
  if (!known.free && !are_told) {
    is_stale_ = true;
    // At the beginning the engine learns of all pools before it learns of any job.
    if (has_begun_) return;
  }
  known.offer.reset();
  if (known.free && !known.offered) return;
  known.offered = true;
  known.checkpointable = object->job.checkpointable;
  object->job.checkpointable = known.checkpointable && CanBeEvicted(known);
  ports_.objects.TakeObject(*std::move(object));
}

// Free quota is not taken by others, and quota that our jobs hold exists in any case.
void AdmissionCheckController::CountPools() {
  if (!std::exchange(is_stale_, false)) return;
  std::map<std::string, ClusterUse> uses;
  std::map<std::pair<std::string, bool>, double> in_cluster;  // by cluster, and whether on GPUs
  waiting_ = 0;
  for (const auto& [uid, known] : known_) {
    const Workload& workload = known.workload;
    if (known.offered && !known.free && !known.open && !workload.finished) ++waiting_;
    if (workload.cluster_queue.empty() || workload.finished) continue;
    const std::string place = PlaceOf(known);
    for (const bool on_gpus : {true, false}) {
      const PodRequests& requests = workload.requests;
      const bool is_gated = (known.offered || HasOurs(known)) && !known.free;
      const bool is_ours = is_gated && on_gpus == (requests.gpus > 0);
      const double amount = on_gpus ? requests.gpus : requests.cores;
      const auto add = [&](ClusterUse& use) { (is_ours ? use.ours : use.others) += amount; };
      add(uses[PoolName(workload.cluster_queue, on_gpus)]);
      if (place.empty()) continue;
      // The engine does not know of one that an earlier controller has nominated.
      ClusterUse& there = uses[PoolName(workload.cluster_queue, on_gpus, place)];
      if (known.open || workload.admitted)
        add(there);
      else if (is_ours)
        there.in_flight += amount;
      in_cluster[{place, on_gpus}] += amount;
    }
  }
  for (auto& [name, pool] : pools_) {
    ClusterUse use = uses[name];
    // Other queues use the same devices of a cluster.
    if (!pool.cluster.empty()) use.others = in_cluster[{pool.cluster, pool.on_gpus}] - use.ours;
    for (const auto& [uid, named] : quotas_)
      if (named.first == pool.queue)
        use.nominal = pool.on_gpus ? named.second.gpus : named.second.cores;
    CountPool(name, pool, use);
  }
}

void AdmissionCheckController::CountPool(const std::string& name, Pool& pool,
                                         const ClusterUse& use) {
  SetDevices now;
  if (pool.cluster.empty()) {
    now.count = static_cast<int>(
        std::max({0.0, std::floor(use.nominal - use.others), std::ceil(use.ours)}));
  } else {
    const ClusterRoom room =
        dispatcher_.RoomIn(pool.cluster, pool.on_gpus, use, ports_.since_boot());
    const WorkerCluster* cluster = dispatcher_.Find(pool.cluster);
    now = {room.count, room.away,
           cluster && !cluster->zone.empty()
               ? ports_.capacity.SiteLike({cluster->name, cluster->zone, cluster->pue})
               : 0};
  }
  if (std::exchange(pool.devices, now) != now || !pool.told) ports_.capacity.SetPool(name, now);
}

// From the engine ----------------------------------------------------------------------------

void AdmissionCheckController::Release(const std::string& uid, int pool) {
  Known* known = Find(uid);
  if (!known) return;
  const auto& pools = ports_.capacity.cluster().pools;
  const auto number = static_cast<std::size_t>(pool);
  const auto chosen = number < pools.size() ? pools_.find(pools[number].model) : pools_.end();
  known->place = chosen == pools_.end() ? "" : chosen->second.cluster;
  known->open = true;
  known->ending = false;
  known->taken_back.clear();
  known->opened_at = ports_.since_boot();
  is_stale_ = true;
  Review(*known);
}

void AdmissionCheckController::Hold(const std::string& uid) {
  Known* known = Find(uid);
  if (!known) return;
  known->open = false;
  known->ending = true;
  is_stale_ = true;
  Review(*known);
}

bool AdmissionCheckController::TakeBack(const std::string& uid) {
  Known* known = Find(uid);
  if (!known) return true;
  const bool is_answered =
      known->answered == known->workload.version || !ChecksIn(*known, kReady).empty();
  const bool has_no_check = known->workload.active && !HasOurs(*known);
  if (is_answered || has_no_check) return false;
  known->open = false;
  is_stale_ = true;
  return true;
}

void AdmissionCheckController::Leave(const std::string& uid) {
  Known* known = Find(uid);
  if (!known || known->free) return;
  known->free = is_stale_ = true;
  known->why_free = "Ebb has given it up";
  Review(*known);
}

void AdmissionCheckController::Decided() {
  wants_decision_ = false;
  has_begun_ = true;
  // The engine has the current counts, because they were handed to it with the devices.
  if (!is_stale_)
    for (auto& [name, pool] : pools_) pool.told = true;
  for (auto& [uid, known] : known_) {
    if (!known.asked_at || known.decided) continue;
    known.decided = ports_.objects.notes().Of(uid) != nullptr;
    if (known.decided) Review(known);
  }
}

// To Kueue -----------------------------------------------------------------------------------

void AdmissionCheckController::Review(Known& known) {
  busy_.insert(known.workload.uid);
  if (known.offer) TryToOffer(known);
  if (known.open || known.free) TakeGateAway(known);
  const Workload& workload = known.workload;
  if (workload.finished) return;
  if (!known.taken_back.empty()) FollowTakingBack(known);
  if (workload.evicted && workload.admitted && (known.open || known.ending)) {
    known.open = known.ending = false;
    ports_.objects.NotStarted(workload.uid, "Kueue has evicted it");
  }
  if (!workload.active) return ReviewHeld(known);
  known.show_at.reset();
  if (known.ending && !workload.evicted && !ChecksIn(known, kReady).empty())
    return Answer(known, kRetry, known.taken_back.empty() ? ReasonOf(known) : known.taken_back);
  if (!IsUnanswered(known)) {
    known.asked_at.reset();
    return FollowNomination(known);
  }
  if (!known.asked_at) {
    known.asked_at = ports_.since_boot();
    known.decided = false;
    wants_decision_ = true;
  }
  if (known.free) return Answer(known, kReady, known.why_free);
  if (known.open) return Answer(known, kReady, ReasonOf(known));
  if (known.offered && known.decided) AnswerWaiting(known);
}

// Workloads that people made inactive are left alone.
void AdmissionCheckController::ReviewHeld(Known& known) {
  known.asked_at.reset();
  // Kueue may have given the quota to others already: until it reports that, the quota would count
  // twice.
  if (!known.workload.held || !known.workload.cluster_queue.empty()) return;
  // The check was removed from its queue, so Ebb is not asked any more.
  const bool is_left = std::ranges::none_of(known.workload.checks, [&](const auto& check) {
    return IsOurs(check.first) || !IsKnown(check.first);
  });
  if (known.open || known.free || is_left) return SetActive(known, true);
  if (WouldPreempt(known)) return;
  if (!known.show_at) return ShowLater(known);
  if (ports_.since_boot() >= *known.show_at) SetActive(known, true);
}

void AdmissionCheckController::AnswerWaiting(Known& known) {
  const ObjectNote* note = ports_.objects.notes().Of(known.workload.uid);
  // The job may have been too wide before Kueue lent it more; then the engine is about to take it.
  const bool is_refused = note && note->stage == "refused";
  if (is_refused && ports_.since_boot() - *known.asked_at < options_.decides_within) return;
  if (std::exchange(known.ending, false))
    ports_.objects.NotStarted(known.workload.uid, "it is to wait again before Kueue admitted it");
  SetActive(known, false);
}

std::string AdmissionCheckController::ReasonOf(const Known& known) const {
  const ObjectNote* note = ports_.objects.notes().Of(known.workload.uid);
  return note && !note->reason.empty() ? note->reason : "Ebb decides when it starts";
}

// Kueue ends running Workloads before it asks for the check of another one, so such a preemption is
// avoided. A Workload wider than its queue must be shown nevertheless, because only then does the
// engine learn what other queues lend.
bool AdmissionCheckController::WouldPreempt(const Known& known) const {
  const std::string queue = ClusterQueueOf(known);
  const PodRequests& requests = known.workload.requests;
  return std::ranges::any_of(quotas_, [&](const auto& entry) {
    const auto& [name, quota] = entry.second;
    return name == queue && quota.preempts && requests.gpus <= quota.gpus &&
           (requests.gpus > 0 || requests.cores <= quota.cores);
  });
}

// Workloads are shown one after another.
void AdmissionCheckController::ShowLater(Known& known) {
  const Duration most = std::max(options_.show_every, options_.show_spacing * waiting_);
  known.show_at =
      ports_.since_boot() + Duration{static_cast<std::int64_t>(static_cast<double>(most.count()) *
                                                               random_.Uniform(0.5, 1.0))};
  shows_.emplace(*known.show_at, known.workload.uid);
}

void AdmissionCheckController::Answer(Known& known, const char* state, const std::string& message) {
  CheckAnswer answer{{}, state, message, ports_.now()};
  for (const auto& [name, is] : known.workload.checks)
    if (IsOurs(name)) answer.checks.push_back(name);
  Send(known, kStatusQuery, kApply, AnswerBody(*known.kind, known.workload, answer));
}

void AdmissionCheckController::SetActive(Known& known, bool active) {
  Send(known, "", kMerge, ActiveBody(known.workload, active, ReasonOf(known)));
}

// Sends an answer once for each version of the Workload.
void AdmissionCheckController::Send(Known& known, const std::string& subresource,
                                    const std::string& content_type, std::string body) {
  const Workload& workload = known.workload;
  if (known.answered == workload.version || ports_.since_boot() < known.again_at ||
      !ports_.may_act())
    return;
  known.answered = workload.version;
  ports_.client.Make(
      {.path = known.kind->ObjectPath(workload.name_space, workload.name) + subresource,
       .content_type = content_type,
       .body = std::move(body),
       .key = workload.uid + "/check",
       .patience = Duration::zero()},
      [this, alive = alive_, uid = workload.uid, version = workload.version](const auto& done) {
        if (*alive) Answered(uid, version, done);
      });
}

// If the Workload has changed meanwhile, its new version is reported or will be.
void AdmissionCheckController::Answered(const std::string& uid, const std::string& version,
                                        const Result<ApiAnswer>& answer) {
  Known* known = Find(uid);
  if (!known || (answer && (answer->status == kOk || answer->status == kNotFound))) return;
  if (known->answered == version) known->answered.clear();
  const bool is_newer = answer && answer->status == kConflict;
  known->again_at =
      ports_.since_boot() + (answer && !is_newer ? Duration{kTryAgainAfter} : Duration{200});
  if (is_newer) return;
  const std::string why = answer ? MessageOf(answer->status, answer->body) : "";
  if (answer && std::exchange(said_, why) != why)
    ports_.say("Workload " + known->workload.name_space + "/" + known->workload.name +
               " cannot be answered: " + why);
}

// Kueue copies the gate from the owner to the Workload.
void AdmissionCheckController::TakeGateAway(Known& known) {
  const GatedObject* owner = nullptr;
  if (!FindsOwner(known, owner) || !owner || !HasAdmissionGate(owner->annotations))
    return known.leaving.clear();
  if (known.leaving == owner->version || !ports_.may_act()) return;
  known.leaving = owner->version;
  const std::string key(kAdmissionGatesKey);
  const std::string others = WithoutAdmissionGate(owner->annotations.at(key));
  const Json body{{"metadata",
                   {{"resourceVersion", owner->version},
                    {"annotations", {{key, others.empty() ? Json() : Json(others)}}}}}};
  ports_.client.Make({.path = owner->Path(),
                      .body = body.dump(),
                      .key = known.workload.uid + "/gate",
                      .patience = Duration::zero()},
                     [this, alive = alive_, uid = known.workload.uid](const auto& answer) {
                       Known* still = *alive && !answer ? Find(uid) : nullptr;
                       if (still) still->leaving.clear();
                     });
}

// Time ---------------------------------------------------------------------------------------

// Kueue has admitted it, or has Ebb's answer and does so once its other checks are ready.
bool AdmissionCheckController::IsThrough(const Known& known) const {
  return known.workload.admitted || !ChecksIn(known, kReady).empty();
}

// A Workload may wait long for quota in Kueue's queue, so the engine decides again.
void AdmissionCheckController::GiveUpOn(Known& known) {
  if (IsThrough(known) || ports_.since_boot() < known.opened_at + options_.admits_within) return;
  known.open = false;
  is_stale_ = true;
  ports_.objects.NotStarted(known.workload.uid, "Kueue has not admitted it: its quota is in use");
}

bool AdmissionCheckController::IsBusy(const Known& known) const {
  const bool is_opening = known.open && !known.workload.admitted;
  return !known.workload.finished &&
         (known.again_at > ports_.since_boot() || known.asked_at || known.ending || is_opening ||
          IsToBeOffered(known) || AwaitsNomination(known));
}

void AdmissionCheckController::Tick() {
  is_stale_ = dispatcher_.Tick(ports_.since_boot()) || is_stale_;
  for (auto uid = busy_.begin(); uid != busy_.end();) {
    Known* known = Find(*uid);
    if (!known || !IsBusy(*known)) {
      uid = busy_.erase(uid);
      continue;
    }
    ++uid;
    if (known->open) GiveUpOn(*known);
    const bool is_late =
        known->asked_at && ports_.since_boot() - *known->asked_at >= options_.decides_within;
    if (is_late && known->offered) known->decided = true;
    Review(*known);
  }
  while (!shows_.empty() && shows_.begin()->first <= ports_.since_boot()) {
    Known* known = Find(shows_.begin()->second);
    const bool is_due = known && known->show_at == shows_.begin()->first;
    shows_.erase(shows_.begin());
    if (is_due) Review(*known);
  }
}

std::optional<Duration> AdmissionCheckController::NextDue() const {
  constexpr Duration kSoon{200};
  const Duration now = ports_.since_boot();
  std::optional<Duration> due;
  if (!shows_.empty()) due = shows_.begin()->first;
  if (const auto full = dispatcher_.NextDue(); full && (!due || *full < *due)) due = full;
  for (const std::string& uid : busy_) {
    const auto found = known_.find(uid);
    if (found == known_.end()) continue;
    const Known& known = found->second;
    std::optional<Duration> at;
    const auto consider = [&at](Duration time) { at = at ? std::min(*at, time) : time; };
    if (known.asked_at || known.ending || IsToBeOffered(known)) consider(now + kSoon);
    if (known.open && !IsThrough(known)) consider(known.opened_at + options_.admits_within);
    if (known.nominated_at) {
      const Duration late = *known.nominated_at + dispatcher_.options().admits_within;
      consider(late > now ? late : now + kTryAgainAfter);
    }
    if (known.again_at > now) consider(known.again_at);
    if (at && (!due || *at < *due)) due = at;
  }
  return due;
}

ApiGroup KueueGroup(AdmissionCheckController& controller,
                    std::function<std::string(const std::string&)> in_namespace) {
  const auto resources = [&controller, in_namespace = std::move(in_namespace)](
                             const std::string& version) -> std::vector<ApiGroup::Resource> {
    const GatedKind& kind = *WorkloadKind(version);
    const std::string root = "/apis/" + kind.ApiVersion() + "/";
    std::vector<ApiGroup::Resource> all{
        {root + "admissionchecks",
         {[&controller, &kind](const JsonNode& check) { controller.TakeCheck(kind, check); },
          [&controller](const std::string& uid) { controller.DropCheck(uid); }}},
        {root + "clusterqueues",
         {[&controller](const JsonNode& queue) { controller.TakeClusterQueue(queue); },
          [&controller](const std::string& uid) { controller.DropClusterQueue(uid); }}},
        {in_namespace(root + "localqueues"),
         {[&controller](const JsonNode& queue) { controller.TakeLocalQueue(queue); },
          [&controller](const std::string& uid) { controller.DropLocalQueue(uid); }}},
        {in_namespace(kind.ListPath()),
         {[&controller, &kind](const JsonNode& workload) {
            controller.TakeWorkload(kind, workload);
          },
          [&controller](const std::string& uid) { controller.DropWorkload(uid); }}}};
    if (controller.dispatcher().enabled()) {
      all.push_back({root + "multikueueclusters",
                     {[&controller](const JsonNode& cluster) { controller.TakeCluster(cluster); },
                      [&controller](const std::string& uid) { controller.DropCluster(uid); }}});
      all.push_back({root + "multikueueconfigs",
                     {[&controller](const JsonNode& config) { controller.TakeConfig(config); },
                      [&controller](const std::string& uid) { controller.DropConfig(uid); }}});
    }
    return all;
  };
  return {kKueueGroupPath, {"v1beta2", "v1beta1"}, resources};
}

}  // namespace ebb::kubernetes
