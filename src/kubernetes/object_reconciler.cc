#include "kubernetes/object_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/json_reading.h"
#include "kubernetes/offered_change.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

constexpr int kOk = 200, kForbidden = 403;

// Text about an object that is let go while it is held back.
std::string LeftOf(const GatedObject& object) {
  if (object.by_kueue) return "it starts when Kueue admits it";
  if (object.is_gang()) return "its pods keep their gate until somebody removes it";
  return "it stays suspended until somebody resumes it";
}

// A node may have to start first whenever the job is released: deadlines are kept nevertheless, and
// if that start is certain, the job holds its devices for that much longer.
void AllowFor(const StartUp& start_up, core::Job& job) {
  const auto earlier = [&](std::optional<Time>& limit) {
    if (limit) limit = std::max(job.submitted, *limit - start_up.longest);
  };
  earlier(job.start_by);
  if (!start_up.certain) return earlier(job.finish_by);
  job.duration += start_up.longest;
  job.pause_cost += start_up.longest;
}

constexpr const char* kWayOut =
    "leave that field out of what is applied again and again (docs/kubernetes.md, GitOps)";

std::string UndoneBy(const GatedObject& object) {
  return object.suspended_by.empty() ? "somebody else" : object.suspended_by;
}

// A withdrawn job does not wait, so its text names no stage.
std::string WithoutStage(const std::string& sentence) {
  constexpr std::string_view kStage = "waiting: ";
  return sentence.starts_with(kStage) ? sentence.substr(kStage.size()) : sentence;
}

}  // namespace

ObjectReconciler::ObjectReconciler(ApiClient& client, Capacity& capacity, EventRecorder& recorder,
                                   PodGangs& gangs, std::function<Time()> now,
                                   std::function<void(const std::string&)> say,
                                   ObjectReconcilerOptions options)
    : capacity_(capacity),
      gangs_(gangs),
      field_(client, options.since_boot, options.late_release),
      notes_({client, recorder, [this](const std::string& uid) { return FindObject(uid); },
              [this](const std::string& uid) { return entries_.at(uid).awaited; },
              options.since_boot, options.dry_run, options.notes_every}),
      now_(std::move(now)),
      say_(std::move(say)),
      options_(std::move(options)) {}

// Reports of the reflectors ---------------------------------------------------------------------

bool ObjectReconciler::IsChosen(const GatedObject& object) const {
  return !object.declined && !object.follows &&
         (object.chosen || chosen_namespaces_.contains(object.name_space));
}

std::vector<std::string> ObjectReconciler::ModelsFor(const GatedObject& object) const {
  return object.models.empty() ? capacity_.ModelsFor(object.requests) : object.models;
}

// The namespace may have no object on which the mistake could be noted.
void ObjectReconciler::SayMistypedOf(const JsonNode& name_space) {
  std::set<std::string> mistyped;
  for (const char* where : {"/metadata/annotations", "/metadata/labels"})
    for (const auto& [key, value] : TextsAt(name_space, where))
      if (std::string why = WhyNotOnNamespace(key); !why.empty()) mistyped.insert(std::move(why));
  const std::string uid = TextAt(name_space, "/metadata/uid");
  const auto known = mistyped_.find(uid);
  for (const std::string& why : mistyped)
    if (known == mistyped_.end() || !known->second.contains(why))
      say_("namespace " + TextAt(name_space, "/metadata/name") + ": " + why);
  if (known != mistyped_.end()) mistyped_.erase(known);
  if (!mistyped.empty()) mistyped_.emplace(uid, std::move(mistyped));
}

void ObjectReconciler::TakeNamespace(const JsonNode& name_space) {
  SayMistypedOf(name_space);
  const std::string name = TextAt(name_space, "/metadata/name");
  const bool chosen = TextAt(name_space, "/metadata/labels/ebb~1wait") == "true" ||
                      TextAt(name_space, "/metadata/annotations/ebb~1wait") == "true";
  if (!chosen) {
    if (chosen_namespaces_.erase(name) == 0) return;
    for (const auto& [uid, entry] : entries_)
      if (entry.job != 0 && entry.object.name_space == name) changed_.insert(uid);
    return;
  }
  const bool is_new =
      chosen_namespaces_.insert_or_assign(name, TextAt(name_space, "/metadata/uid")).second;
  if (!is_new || !begun_) return;
  for (auto& [uid, entry] : entries_)
    if (entry.job == 0 && !entry.done && IsChosen(entry.object)) Enter(entry);
}

void ObjectReconciler::DropNamespace(const std::string& uid) {
  std::erase_if(chosen_namespaces_, [&](const auto& chosen) { return chosen.second == uid; });
  mistyped_.erase(uid);
}

void ObjectReconciler::PoliciesChanged() {
  ReadAgainWhere([](const GatedObject&) { return true; });
}

void ObjectReconciler::ReadAgainWhere(const std::function<bool(const GatedObject&)>& concerned) {
  for (auto& [uid, entry] : entries_) {
    if (entry.object.is_gang() || !concerned(entry.object)) continue;
    const std::vector<std::string> problems = entry.object.problems;
    ReadAgain(options_.defaults, entry.object);
    if (entry.job == 0) {
      if (begun_ && !entry.done && IsChosen(entry.object)) Enter(entry);
      continue;
    }
    SayProblems(entry, problems);
    if (IsChanged(entry)) changed_.insert(uid);
  }
}

void ObjectReconciler::TakeObject(const GatedKind& kind, const JsonNode& json) {
  if (auto object = ReadObject(kind, json, options_.defaults)) TakeObject(*std::move(object));
}

void ObjectReconciler::TakeObject(GatedObject object) {
  Entry& entry = entries_[object.uid];
  const GatedObject before = std::exchange(entry.object, std::move(object));
  // A suspended object does not name its pods any more, and some of them may still be ending.
  if (entry.object.pods.empty()) entry.object.pods = before.pods;
  if (before.pods != entry.object.pods) {
    OwnersChanged(before);
    OwnersChanged(entry.object);
  }
  notes_.FollowParts(entry.object, before.parts);
  if (before.annotations != entry.object.annotations) entry.unplaced.clear();
  if (entry.job == 0) {
    if (begun_) SayMistyped(entry, before.mistyped);
    if (begun_ && !entry.done && IsChosen(entry.object)) Enter(entry);
    return;
  }
  SayProblems(entry, before.problems);
  IsBeingPlaced(entry);
  Follow(entry);
  if (IsChanged(entry)) changed_.insert(entry.object.uid);
}

void ObjectReconciler::SayProblems(const Entry& entry, const std::vector<std::string>& said) {
  for (const std::string& problem : entry.object.problems)
    if (std::ranges::count(said, problem) == 0) say_(entry.object.job.name + ": " + problem);
  notes_.TellProblems(entry.object, said);
}

// Reports mistyped keys also of objects that Ebb leaves alone, perhaps because of the mistake.
void ObjectReconciler::SayMistyped(const Entry& entry, const std::vector<std::string>& said) {
  const GatedObject& object = entry.object;
  const bool is_over =
      object.phase == ObjectPhase::kSucceeded || object.phase == ObjectPhase::kFailed;
  const bool is_left = !IsChosen(object) && !object.declined && !object.follows;
  if (!is_left || is_over || object.mistyped.empty() || object.mistyped == said) return;
  const std::string mistyped = Join(object.mistyped, "; ");
  say_(object.job.name + ": " + mistyped);
  notes_.Tell(object, EventReason::kBadAnnotation, mistyped);
}

void ObjectReconciler::Begin() {
  begun_ = true;
  for (const auto& [uid, entry] : entries_) SayMistyped(entry, {});
  std::vector<Entry*> chosen;
  for (auto& [uid, entry] : entries_)
    if (entry.job == 0 && IsChosen(entry.object)) chosen.push_back(&entry);
  std::ranges::stable_sort(chosen, {}, [](const Entry* entry) { return entry->object.created; });
  for (Entry* entry : chosen) Enter(*entry);
}

void ObjectReconciler::Enter(Entry& entry) {
  const GatedObject& object = entry.object;
  if (object.phase == ObjectPhase::kSucceeded || object.phase == ObjectPhase::kFailed) return;
  if (!LackOf(entry).empty()) {
    HoldWhatLacks(entry);
    return NoteLack(entry);
  }
  // The object is reported again with its affinity.
  if (object.attempt == 0 && (IsBeingPlaced(entry) || !entry.unplaced.empty())) return;
  entry.attempt = object.attempt;
  notes_.Forget(object.uid);
  SayProblems(entry, {});
  if (options_.dry_run || object.phase != ObjectPhase::kReleased) return Offer(entry);
  Submit(entry);
  EnterReleased(entry);
}

// The object was not created suspended, and has done next to nothing.
void ObjectReconciler::HoldWhatLacks(Entry& entry) {
  const GatedObject& object = entry.object;
  const bool is_young = now_() - object.created < options_.holds_younger_than;
  const bool is_new = object.attempt == 0 && !object.is_gang() && !object.by_kueue;
  if (object.phase != ObjectPhase::kReleased) entry.holding = false;
  if (object.phase == ObjectPhase::kReleased && is_new && is_young && !entry.holding &&
      !options_.dry_run)
    Write(entry, true);
}

// The reason for which the object cannot be released now; empty: none.
std::string ObjectReconciler::LackOf(const Entry& entry) const {
  const bool is_held_off =
      entry.object.phase != ObjectPhase::kReleased && entry.release_backoff.IsOn(now_());
  if (!entry.object.lacks.empty() || !is_held_off) return entry.object.lacks;
  return "waiting: " + UndoneBy(entry.object) + " has suspended it " +
         std::to_string(entry.release_backoff.undone()) +
         " times soon after its release; the next release is not before " +
         FormatTime(*entry.release_backoff.until()) + "; " + kWayOut;
}

void ObjectReconciler::NoteLack(const Entry& entry) {
  notes_.PutNews(entry.object, {"waiting", LackOf(entry), ""});
}

void ObjectReconciler::EndBackoffs() {
  std::erase_if(held_off_, [&](const std::string& uid) {
    const auto found = entries_.find(uid);
    if (found == entries_.end()) return true;
    Entry& entry = found->second;
    if (entry.release_backoff.IsOn(now_())) return false;
    if (entry.job == 0 && !entry.done && IsChosen(entry.object)) Enter(entry);
    return true;
  });
}

// Sets the affinity that its filter asks for (hardware_filter.h). Most kinds cannot be changed any
// more once they were released.
bool ObjectReconciler::IsBeingPlaced(Entry& entry) {
  const GatedObject& object = entry.object;
  if (object.requests.filter.empty() || object.phase != ObjectPhase::kSuspended ||
      options_.dry_run || !entry.unplaced.empty())
    return false;
  if (entry.placed == object.version) return true;
  const auto answered = [this, uid = object.uid](const Result<ApiAnswer>& answer) {
    const auto found = entries_.find(uid);
    if (found == entries_.end() || !answer || answer->status == kOk) return;
    // Somebody else has changed the object meanwhile; the next attempt uses the new version.
    const std::string why = MessageOf(answer->status, answer->body);
    const bool is_refused = answer->status == kForbidden || why.find("invalid") != why.npos;
    if (!is_refused) return;
    Entry& refused = found->second;
    refused.unplaced = "its node affinity cannot be set: " + why;
    say_(refused.object.job.name + ": " + refused.unplaced);
    if (refused.job == 0) notes_.PutNews(refused.object, {"waiting", refused.unplaced, ""});
  };
  if (!field_.Avoid(object, capacity_.FilteredModels(object.requests.filter), answered))
    return false;
  entry.placed = object.version;
  return true;
}

core::Job ObjectReconciler::Wanted(const Entry& entry) const {
  core::Job job = entry.object.job;
  job.id = entry.job;
  job.models = ModelsFor(entry.object);
  // Kueue places its pods on nodes itself.
  if (!entry.object.by_kueue) AllowFor(capacity_.StartUpOf(entry.object.requests), job);
  return job;
}

void ObjectReconciler::Submit(Entry& entry) {
  if (entry.job == 0) entry.job = ++last_job_;
  by_job_[entry.job] = entry.object.uid;
  entry.course = Course::kOffered;
  entry.let_go = entry.awaited = false;
  entry.told = Wanted(entry);
  events_.push_back({now_(), engine::JobSubmitted{entry.told}});
}

void ObjectReconciler::Offer(Entry& entry) {
  Submit(entry);
  entry.attempt = entry.object.attempt;
  // The object was released and held again, perhaps by an earlier process.
  if (entry.attempt > 0 && !options_.dry_run) Report(entry, JobPhase::kPaused, now_());
}

// Changes ------------------------------------------------------------------------------------

// Changes of a running object are followed once it waits again, unless it is to be let go.
bool ObjectReconciler::IsChanged(const Entry& entry) const {
  if (entry.course == Course::kEnded) return false;
  if (!IsChosen(entry.object)) return true;
  return !IsUnderWay(entry) && (!LackOf(entry).empty() || Wanted(entry) != entry.told);
}

// Called when the engine takes the change, so that it cannot have decided about the job meanwhile.
void ObjectReconciler::FollowChange(Entry& entry) {
  if (entry.job == 0 || entry.deleted || entry.course == Course::kEnded) return;
  if (HasReports(entry.job)) {  // the engine must learn of those first
    changed_.insert(entry.object.uid);
    return;
  }
  if (!IsChosen(entry.object)) return LetGo(entry);
  if (const std::string lack = LackOf(entry); !lack.empty() && !IsUnderWay(entry)) {
    Withdraw(entry, WithoutStage(lack));
    return NoteLack(entry);
  }
  core::Job wanted = Wanted(entry);
  if (wanted == entry.told) return;
  if (entry.course == Course::kRefused) return Offer(entry);
  if (entry.course != Course::kOffered && entry.course != Course::kPaused) return;
  const auto change = ChangeTo(entry.told, wanted, entry.course == Course::kPaused);
  if (!change) return OfferAsAnother(entry, "its object was changed");
  entry.told = std::move(wanted);
  if (*change != core::JobChange{})
    events_.push_back({now_(), engine::JobChanged{entry.job, *change}});
}

bool ObjectReconciler::HasReports(core::JobId job) const {
  return std::ranges::count(reports_, job, &engine::JobReport::job) > 0;
}

void ObjectReconciler::OfferAsAnother(Entry& entry, const char* why) {
  Withdraw(entry, why);
  Offer(entry);
}

void ObjectReconciler::Withdraw(Entry& entry, const std::string& why) {
  if (entry.course != Course::kRefused)
    events_.push_back({now_(), engine::JobCancelled{entry.job, why}});
  by_job_.erase(std::exchange(entry.job, 0));
  OwnersChanged(entry.object);
  entry.course = Course::kOffered;
  entry.last.reset();
}

void ObjectReconciler::LetGo(Entry& entry) {
  const std::string& name = entry.object.job.name;
  if (entry.course == Course::kReleased) {
    say_(name + ": is let go; it runs on");
    notes_.Tell(entry.object, EventReason::kLetGo, "it runs on, and is not paused any more");
    entry.let_go = true;
    Report(entry, JobPhase::kCancelled, now_());
  } else if (!IsUnderWay(entry)) {
    const std::string left = LeftOf(entry.object);
    say_(name + ": is let go; " + left);
    notes_.Tell(entry.object, EventReason::kLetGo, left);
    Withdraw(entry, "it is not to wait for Ebb any more");
  } else {
    return;  // it is let go once it has stopped
  }
  notes_.Remove(entry.object);
}

void ObjectReconciler::ChangeRefused(core::JobId job) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  if (entry->course == Course::kOffered || entry->course == Course::kPaused)
    return OfferAsAnother(*entry, "its object was changed");
  entry->told = {};  // it has begun meanwhile; the change is followed when it waits again
}

// The object was not created suspended, or another process released it.
void ObjectReconciler::EnterReleased(Entry& entry) {
  const GatedObject& object = entry.object;
  const bool is_new = entry.attempt == 0 && !object.by_kueue;
  const bool is_young = now_() - object.created < options_.holds_younger_than;
  if (is_new && is_young && !object.is_gang()) {
    Write(entry, true);
    return;
  }
  if (is_new)
    say_(object.job.name + ": runs already, and goes on; to have it wait, create it with " +
         std::string(object.kind->suspend) + " true");
  entry.attempt = std::max(entry.attempt, 1) - 1;
  Adopt(entry, object.started.value_or(object.created));
}

void ObjectReconciler::Adopt(Entry& entry, Time since) {
  ++entry.attempt;
  entry.course = Course::kReleased;
  entry.awaited = false;
  if (entry.object.by_kueue) gate_->Release(entry.object.uid);
  const core::Cluster& cluster = capacity_.cluster();
  const auto models = ModelsFor(entry.object);
  entry.pool = 0;
  for (std::size_t i = 0; i < cluster.pools.size(); ++i)
    if (std::ranges::count(models, cluster.pools[i].model) > 0) {
      entry.pool = static_cast<int>(i);
      break;
    }
  OwnersChanged(entry.object);
  const bool has_number = entry.object.attempt >= entry.attempt;
  if (!has_number && !entry.object.by_kueue && !entry.object.is_gang())
    field_.WriteAttempt(entry.object, entry.attempt);
  Report(entry, JobPhase::kRunning, since);
}

void ObjectReconciler::Follow(Entry& entry) {
  const ObjectPhase phase = entry.object.phase;
  if (phase != ObjectPhase::kReleased) entry.holding = false;
  if (entry.course == Course::kEnded || entry.deleted) return;
  if (phase == ObjectPhase::kSucceeded || phase == ObjectPhase::kFailed) {
    const bool succeeded = phase == ObjectPhase::kSucceeded;
    Report(entry, succeeded ? JobPhase::kSucceeded : JobPhase::kFailed, now_(),
           succeeded ? "" : std::string(entry.object.kind->kind) + " failed");
    return;
  }
  if (options_.dry_run) return;
  switch (entry.course) {
    case Course::kOffered:
    case Course::kPaused:
    case Course::kRefused:
      // Another process released it.
      if (phase == ObjectPhase::kReleased && !entry.holding) Adopt(entry, now_());
      return;
    case Course::kReleased:
      return FollowReleased(entry);
    case Course::kPausing:
      if (phase == ObjectPhase::kReleased) entry.awaited = false;
      if (HasStopped(entry)) Report(entry, JobPhase::kPaused, now_());
      return;
    case Course::kCancelling:
      if (HasStopped(entry)) Report(entry, JobPhase::kCancelled, now_());
      return;
    case Course::kEnded:
      return;
  }
}

// The status of an object may say that no pod runs while pods still write a checkpoint; and the
// known status may be older than the release.
bool ObjectReconciler::HasStopped(const Entry& entry) const {
  return entry.object.phase == ObjectPhase::kSuspended && SawRelease(entry) &&
         !capacity_.HasPods(entry.object.name_space, entry.object.pods);
}

// The release itself carries the number of the attempt; a release through a gate is visible or not.
bool ObjectReconciler::SawRelease(const Entry& entry) {
  return entry.object.by_kueue ? !entry.awaited : entry.object.attempt >= entry.attempt;
}

// Reports are outdated until the release itself is seen.
void ObjectReconciler::FollowReleased(Entry& entry) {
  const bool is_held =
      entry.object.phase == ObjectPhase::kSuspended || entry.object.phase == ObjectPhase::kStopping;
  if (!is_held && std::exchange(entry.awaited, false)) notes_.WriteAgain(entry.object.uid);
  if (!is_held || !SawRelease(entry)) return;
  std::string what =
      entry.object.by_kueue ? "evicted by Kueue" : "held back by " + UndoneBy(entry.object);
  const Time released = entry.last ? entry.last->since : now_();
  if (!entry.object.by_kueue &&
      entry.release_backoff.ReleaseUndone(released, now_(), options_.first_backoff)) {
    what += ", " + std::to_string(entry.release_backoff.undone()) +
            " times soon after its release; it is not released again before " +
            FormatTime(*entry.release_backoff.until()) + "; " + kWayOut;
    held_off_.insert(entry.object.uid);
  } else {
    what += "; it waits to be released again";
  }
  say_(entry.object.job.name + ": " + what);
  notes_.Tell(entry.object, EventReason::kHeldBackByAnother, what);
  entry.course = Course::kPausing;
  stopping_.insert(entry.object.uid);
  Follow(entry);
}

bool ObjectReconciler::IsUnderWay(const Entry& entry) {
  return entry.course == Course::kReleased || entry.course == Course::kPausing ||
         entry.course == Course::kCancelling;
}

void ObjectReconciler::DropObject(const std::string& uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  notes_.Drop(entry.object);
  if (entry.job == 0) {
    entries_.erase(found);
    return;
  }
  entry.deleted = true;
  if (entry.course == Course::kEnded) return;
  if (IsUnderWay(entry))
    Report(entry, JobPhase::kCancelled, now_());
  else if (entry.course == Course::kRefused)
    Drop(entry);
  else
    events_.push_back({now_(), engine::JobCancelled{entry.job, "its object was deleted"}});
}

// The end of a job is not reported if the engine does not know the job.
void ObjectReconciler::Drop(const Entry& entry) {
  OwnersChanged(entry.object);
  by_job_.erase(entry.job);
  entries_.erase(std::string(entry.object.uid));
}

// Thousands may be released in one decision, and each release would recompute the owners of pods.
void ObjectReconciler::OwnersChanged(const GatedObject& object) {
  owners_changed_.insert(object.uid);
  capacity_.OwnersChanged(object.name_space, object.pods);
}

// Empty if the object has no pods of its own.
std::string ObjectReconciler::PodsKey(const Entry& entry) {
  const bool has_pods = entry.job != 0 && IsUnderWay(entry) && !entry.object.pods.empty();
  return has_pods ? entry.object.name_space + "/" + entry.object.pods : "";
}

void ObjectReconciler::FollowOwners() const {
  for (const std::string& uid : std::exchange(owners_changed_, {})) {
    const auto entry = entries_.find(uid);
    const std::string key = entry == entries_.end() ? "" : PodsKey(entry->second);
    if (const auto before = pods_of_.find(uid); before != pods_of_.end()) {
      held_pods_.erase({before->second, uid});
      pods_of_.erase(before);
    }
    if (key.empty()) continue;
    held_pods_.emplace(key, uid);
    pods_of_.emplace(uid, key);
  }
}

std::optional<ObjectReconciler::PodsObject> ObjectReconciler::ObjectOf(
    const PodOwner& owner) const {
  FollowOwners();
  for (const auto& [label, value] : owner.labels) {
    const std::string key = owner.name_space + "/" + label + "=" + value;
    const auto found = held_pods_.lower_bound({key, ""});
    if (found == held_pods_.end() || found->first != key) continue;
    const Entry& entry = entries_.at(found->second);
    return PodsObject{found->second, entry.attempt, entry.object.by_kueue};
  }
  return std::nullopt;
}

// A Workload that Kueue admits counts in the pool of its quota.
bool ObjectReconciler::Holds(const PodOwner& owner) const {
  const auto object = ObjectOf(owner);
  return object && !object->by_kueue;
}

}  // namespace ebb::kubernetes
