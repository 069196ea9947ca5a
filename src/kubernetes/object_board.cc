#include "kubernetes/object_board.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/json_reading.h"
#include "kubernetes/offered_change.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

constexpr int kOk = 200, kForbidden = 403, kNotFound = 404;

// What becomes of what is let go while it is held back.
std::string LeftOf(const GatedObject& object) {
  if (object.by_kueue) return "it starts when Kueue admits it";
  if (object.is_gang()) return "its pods keep their gate until somebody removes it";
  return "it stays suspended until somebody resumes it";
}

}  // namespace

ObjectBoard::ObjectBoard(ApiClient& client, Capacity& capacity, EventRecorder& recorder,
                         PodGangs& gangs, std::function<Time()> now,
                         std::function<void(const std::string&)> say, ObjectBoardOptions options)
    : capacity_(capacity),
      gangs_(gangs),
      field_(client, options.since_boot, options.late_release),
      notes_({client, recorder, [this](const std::string& uid) { return FindObject(uid); },
              [this](const std::string& uid) { return entries_.at(uid).awaited; },
              options.since_boot, options.dry_run, options.notes_every}),
      now_(std::move(now)),
      say_(std::move(say)),
      options_(std::move(options)) {}

// What the reflectors tell -------------------------------------------------------------------

bool ObjectBoard::IsChosen(const GatedObject& object) const {
  return !object.declined && !object.follows &&
         (object.chosen || chosen_namespaces_.contains(object.name_space));
}

std::vector<std::string> ObjectBoard::ModelsFor(const GatedObject& object) const {
  return object.models.empty() ? capacity_.ModelsFor(object.requests) : object.models;
}

void ObjectBoard::TakeNamespace(const JsonNode& name_space) {
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

void ObjectBoard::DropNamespace(const std::string& uid) {
  std::erase_if(chosen_namespaces_, [&](const auto& chosen) { return chosen.second == uid; });
}

void ObjectBoard::PoliciesChanged() {
  for (auto& [uid, entry] : entries_) {
    if (entry.object.is_gang()) continue;
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

void ObjectBoard::TakeObject(const GatedKind& kind, const JsonNode& json) {
  if (auto object = ReadObject(kind, json, options_.defaults)) TakeObject(*std::move(object));
}

void ObjectBoard::TakeObject(GatedObject object) {
  Entry& entry = entries_[object.uid];
  const GatedObject before = std::exchange(entry.object, std::move(object));
  // What is suspended forgets whose pods were its own, and some of them may still be ending.
  if (entry.object.pods.empty()) entry.object.pods = before.pods;
  if (before.pods != entry.object.pods) OwnersChanged();
  notes_.FollowParts(entry.object, before.parts);
  if (before.wishes != entry.object.wishes) entry.unplaced.clear();
  if (entry.job == 0) {
    if (begun_ && !entry.done && IsChosen(entry.object)) Enter(entry);
    return;
  }
  SayProblems(entry, before.problems);
  IsBeingPlaced(entry);
  Follow(entry);
  if (IsChanged(entry)) changed_.insert(entry.object.uid);
}

void ObjectBoard::SayProblems(const Entry& entry, const std::vector<std::string>& said) {
  for (const std::string& problem : entry.object.problems)
    if (std::ranges::count(said, problem) == 0) say_(entry.object.job.name + ": " + problem);
  notes_.TellProblems(entry.object, said);
}

void ObjectBoard::Begin() {
  begun_ = true;
  std::vector<Entry*> chosen;
  for (auto& [uid, entry] : entries_)
    if (entry.job == 0 && IsChosen(entry.object)) chosen.push_back(&entry);
  std::ranges::stable_sort(chosen, {}, [](const Entry* entry) { return entry->object.created; });
  for (Entry* entry : chosen) Enter(*entry);
}

void ObjectBoard::Enter(Entry& entry) {
  const GatedObject& object = entry.object;
  if (object.phase == ObjectPhase::kSucceeded || object.phase == ObjectPhase::kFailed) return;
  if (!object.lacks.empty()) {
    HoldWhatLacks(entry);
    return NoteLack(entry);
  }
  // With its affinity it is told anew.
  if (object.attempt == 0 && (IsBeingPlaced(entry) || !entry.unplaced.empty())) return;
  entry.attempt = object.attempt;
  notes_.Forget(object.uid);
  SayProblems(entry, {});
  if (options_.dry_run || object.phase != ObjectPhase::kReleased) return Offer(entry);
  Submit(entry);
  EnterReleased(entry);
}

// It was created without being held back, and has done next to nothing.
void ObjectBoard::HoldWhatLacks(Entry& entry) {
  const GatedObject& object = entry.object;
  const bool is_young = now_() - object.created < options_.holds_younger_than;
  const bool is_new = object.attempt == 0 && !object.is_gang() && !object.by_kueue;
  if (object.phase != ObjectPhase::kReleased) entry.holding = false;
  if (object.phase == ObjectPhase::kReleased && is_new && is_young && !entry.holding &&
      !options_.dry_run)
    Write(entry, true);
}

void ObjectBoard::NoteLack(const Entry& entry) {
  notes_.PutNews(entry.object, {"waiting", entry.object.lacks, ""});
}

// The affinity that its filter asks for (hardware_filter.h). What was released once cannot be
// changed any more, but for some kinds.
bool ObjectBoard::IsBeingPlaced(Entry& entry) {
  const GatedObject& object = entry.object;
  if (object.requests.filter.empty() || object.phase != ObjectPhase::kSuspended ||
      options_.dry_run || !entry.unplaced.empty())
    return false;
  if (entry.placed == object.version) return true;
  const auto answered = [this, uid = object.uid](const Result<ApiAnswer>& answer) {
    const auto found = entries_.find(uid);
    if (found == entries_.end() || !answer || answer->status == kOk) return;
    // Otherwise somebody else has changed it meanwhile, and it is tried again with that.
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

core::Job ObjectBoard::Wanted(const Entry& entry) const {
  core::Job job = entry.object.job;
  job.id = entry.job;
  job.models = ModelsFor(entry.object);
  return job;
}

void ObjectBoard::Submit(Entry& entry) {
  if (entry.job == 0) entry.job = ++last_job_;
  by_job_[entry.job] = entry.object.uid;
  entry.course = Course::kOffered;
  entry.let_go = entry.awaited = false;
  entry.told = Wanted(entry);
  events_.push_back({now_(), engine::JobSubmitted{entry.told}});
}

void ObjectBoard::Offer(Entry& entry) {
  Submit(entry);
  entry.attempt = entry.object.attempt;
  // It was released and held again, perhaps by an earlier process.
  if (entry.attempt > 0 && !options_.dry_run) Report(entry, JobPhase::kPaused, now_());
}

// Changes ------------------------------------------------------------------------------------

// What runs is followed once it waits again, but where it is to be let go.
bool ObjectBoard::IsChanged(const Entry& entry) const {
  if (entry.course == Course::kEnded) return false;
  if (!IsChosen(entry.object)) return true;
  return !IsUnderWay(entry) && (!entry.object.lacks.empty() || Wanted(entry) != entry.told);
}

// Called when the engine takes it, so that nothing can have been decided of the job meanwhile.
void ObjectBoard::FollowChange(Entry& entry) {
  if (entry.job == 0 || entry.deleted || entry.course == Course::kEnded) return;
  if (HasReports(entry.job)) {  // which the engine has to know first
    changed_.insert(entry.object.uid);
    return;
  }
  if (!IsChosen(entry.object)) return LetGo(entry);
  if (!entry.object.lacks.empty() && !IsUnderWay(entry)) {
    Withdraw(entry, entry.object.is_gang() ? "some of its pods are not there any more"
                                           : "the policy of its namespace does not allow it");
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

bool ObjectBoard::HasReports(core::JobId job) const {
  return std::ranges::count(reports_, job, &engine::JobReport::job) > 0;
}

void ObjectBoard::OfferAsAnother(Entry& entry, const char* why) {
  Withdraw(entry, why);
  Offer(entry);
}

void ObjectBoard::Withdraw(Entry& entry, const char* why) {
  if (entry.course != Course::kRefused)
    events_.push_back({now_(), engine::JobCancelled{entry.job, why}});
  by_job_.erase(std::exchange(entry.job, 0));
  entry.course = Course::kOffered;
  entry.last.reset();
}

void ObjectBoard::LetGo(Entry& entry) {
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

void ObjectBoard::ChangeRefused(core::JobId job) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  if (entry->course == Course::kOffered || entry->course == Course::kPaused)
    return OfferAsAnother(*entry, "its object was changed");
  entry->told = {};  // it has begun meanwhile, and is followed when it waits again
}

// It was created without being held back, or another process released it.
void ObjectBoard::EnterReleased(Entry& entry) {
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

void ObjectBoard::Adopt(Entry& entry, Time since) {
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
  OwnersChanged();
  const bool has_number = entry.object.attempt >= entry.attempt;
  if (!has_number && !entry.object.by_kueue && !entry.object.is_gang())
    field_.WriteAttempt(entry.object, entry.attempt);
  Report(entry, JobPhase::kRunning, since);
}

void ObjectBoard::Follow(Entry& entry) {
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
      // Somebody else released it.
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

// The status of an object may say that nothing runs while pods are still writing a checkpoint; and
// what is known of it may be older than its release.
bool ObjectBoard::HasStopped(const Entry& entry) const {
  return entry.object.phase == ObjectPhase::kSuspended && SawRelease(entry) &&
         !capacity_.HasPods(entry.object.name_space, entry.object.pods);
}

// The release itself carries the number of the attempt; one through a gate is seen or not.
bool ObjectBoard::SawRelease(const Entry& entry) {
  return entry.object.by_kueue ? !entry.awaited : entry.object.attempt >= entry.attempt;
}

// Until the release itself is seen, what is told is old.
void ObjectBoard::FollowReleased(Entry& entry) {
  const bool is_held =
      entry.object.phase == ObjectPhase::kSuspended || entry.object.phase == ObjectPhase::kStopping;
  if (!is_held && std::exchange(entry.awaited, false)) notes_.WriteAgain(entry.object.uid);
  if (!is_held || !SawRelease(entry)) return;
  const std::string what =
      entry.object.by_kueue ? "evicted by Kueue" : "held back by somebody else";
  say_(entry.object.job.name + ": " + what);
  notes_.Tell(entry.object, EventReason::kHeldBackByAnother,
              what + "; it waits to be released again");
  entry.course = Course::kPausing;
  stopping_.insert(entry.object.uid);
  Follow(entry);
}

bool ObjectBoard::IsUnderWay(const Entry& entry) {
  return entry.course == Course::kReleased || entry.course == Course::kPausing ||
         entry.course == Course::kCancelling;
}

void ObjectBoard::DropObject(const std::string& uid) {
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

// What the engine does not know it does not tell the end of.
void ObjectBoard::Drop(const Entry& entry) {
  by_job_.erase(entry.job);
  entries_.erase(std::string(entry.object.uid));
}

void ObjectBoard::OwnersChanged() {
  held_pods_.reset();
  capacity_.OwnersChanged();
}

std::optional<ObjectBoard::PodsObject> ObjectBoard::ObjectOf(const PodOwner& owner) const {
  if (!held_pods_) {
    held_pods_.emplace();
    for (const auto& [uid, entry] : entries_)
      if (entry.job != 0 && IsUnderWay(entry) && !entry.object.pods.empty())
        held_pods_->insert_or_assign(entry.object.name_space + "/" + entry.object.pods,
                                     PodsObject{uid, entry.attempt, entry.object.by_kueue});
  }
  for (const auto& [label, value] : owner.labels)
    if (const auto found = held_pods_->find(owner.name_space + "/" + label + "=" + value);
        found != held_pods_->end())
      return found->second;
  return std::nullopt;
}

// What Kueue admits has its quota's pool.
bool ObjectBoard::Holds(const PodOwner& owner) const {
  const auto object = ObjectOf(owner);
  return object && !object->by_kueue;
}

// For the engine -----------------------------------------------------------------------------

std::vector<engine::Event> ObjectBoard::TakeEvents(Time now) {
  for (const std::string& uid : std::exchange(changed_, {}))
    if (const auto found = entries_.find(uid); found != entries_.end()) FollowChange(found->second);
  for (engine::Event& event : events_) event.at = std::min(event.at, now);
  return std::exchange(events_, {});
}

// A report of a job that the engine does not know yet would be refused.
std::vector<engine::JobReport> ObjectBoard::TakeReports() {
  if (!events_.empty()) return {};
  for (const engine::JobReport& report : reports_)
    if (const Entry* entry = KnownEntry(report.job); entry && IsChanged(*entry))
      changed_.insert(entry->object.uid);
  return std::exchange(reports_, {});
}

std::vector<engine::JobReport> ObjectBoard::Observe() const {
  std::vector<engine::JobReport> all;
  for (const auto& [uid, entry] : entries_)
    if (entry.last) all.push_back(*entry.last);
  return all;
}

void ObjectBoard::Report(Entry& entry, JobPhase phase, Time since, const std::string& detail) {
  engine::JobReport report;
  report.job = entry.job;
  report.attempt = std::max(entry.attempt, 1);
  report.phase = phase;
  report.pool = entry.pool;
  report.since = since;
  report.exit_code = phase == JobPhase::kFailed ? 1 : 0;
  report.detail = detail;
  if (phase == JobPhase::kPaused) entry.course = Course::kPaused;
  if (phase == JobPhase::kSucceeded || phase == JobPhase::kFailed || phase == JobPhase::kCancelled)
    entry.course = Course::kEnded;
  if (phase != JobPhase::kRunning) OwnersChanged();
  entry.last = report;
  reports_.push_back(std::move(report));
}

ObjectBoard::Entry* ObjectBoard::KnownEntry(core::JobId job) {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second);
}

const GatedObject* ObjectBoard::Find(core::JobId job) const {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second).object;
}

Result<ObjectBoard::Entry*> ObjectBoard::EntryOf(core::JobId job) {
  if (Entry* entry = KnownEntry(job)) return entry;
  return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""});
}

Status ObjectBoard::Start(const engine::StartJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry * entry, EntryOf(command.job));
  const bool was_started = entry->last && (entry->attempt >= command.attempt);
  if (was_started || entry->course == Course::kEnded) return {};
  if (entry->deleted)
    return Fail({ExitCode::kUnavailable, "its object was deleted", entry->object.job.name, ""});
  if (entry->object.is_gang() && !gangs_.IsWhole(entry->object.uid))
    return Fail({ExitCode::kTryLater, "some of its pods are not there any more",
                 entry->object.job.name, ""});
  if (IsBeingPlaced(*entry))
    return Fail(
        {ExitCode::kTryLater, "its node affinity is being set", entry->object.job.name, ""});
  entry->attempt = command.attempt;
  entry->pool = command.pool;
  entry->course = Course::kReleased;
  entry->awaited = entry->object.by_kueue;
  ++counts_.released;
  OwnersChanged();
  if (!options_.dry_run) Write(*entry, false);
  Report(*entry, JobPhase::kRunning, now_());
  return {};
}

Status ObjectBoard::Pause(const engine::PauseJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry * entry, EntryOf(command.job));
  if (entry->course != Course::kReleased || entry->attempt != command.attempt) return {};
  if (entry->object.is_gang())
    return Fail({ExitCode::kUsage, "pods cannot be paused", entry->object.job.name, ""});
  if (options_.dry_run) {
    Report(*entry, JobPhase::kPaused, now_());
    return {};
  }
  if (entry->awaited && gate_->TakeBack(entry->object.uid)) {
    NotStarted(entry->object.uid, "it is to wait again before Kueue admitted it");
    return {};
  }
  entry->course = Course::kPausing;
  stopping_.insert(entry->object.uid);
  ++counts_.held;
  Write(*entry, true);
  return {};
}

Status ObjectBoard::Cancel(const engine::CancelJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry * entry, EntryOf(command.job));
  if (entry->course == Course::kEnded || entry->attempt != command.attempt) return {};
  if (options_.dry_run || entry->deleted || entry->object.is_gang()) {
    Report(*entry, JobPhase::kCancelled, now_());
    return {};
  }
  entry->course = Course::kCancelling;
  stopping_.insert(entry->object.uid);
  Write(*entry, true);
  return {};
}

void ObjectBoard::Forget(core::JobId job) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  if (entry->object.by_kueue && entry->course != Course::kEnded) gate_->Leave(entry->object.uid);
  if (IsUnderWay(*entry) && !entry->deleted) return;
  entry->last.reset();
  const std::string uid = by_job_.at(job);
  by_job_.erase(job);
  entry->job = 0;
  entry->done = !entry->let_go;
  if (entry->deleted)
    entries_.erase(uid);
  else if (entry->let_go && IsChosen(entry->object))
    Enter(*entry);  // meanwhile it is to wait again
}

const GatedObject* ObjectBoard::FindObject(const std::string& uid) const {
  const auto found = entries_.find(uid);
  return found == entries_.end() || found->second.deleted ? nullptr : &found->second.object;
}

void ObjectBoard::Refused(core::JobId job, const Error& why) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  ++counts_.refused;
  entry->course = Course::kRefused;
  if (entry->deleted) return Drop(*entry);
  say_(entry->object.job.name + ": " + why.Message());
  Note(job, {"refused", why.Message(), ""});
}

void ObjectBoard::OfferAgain() {
  for (auto& [uid, entry] : entries_) {
    if (entry.job == 0 || entry.deleted) continue;
    if (entry.course == Course::kRefused)
      Offer(entry);
    else if (IsChanged(entry))
      changed_.insert(uid);
  }
}

// What is written ----------------------------------------------------------------------------

void ObjectBoard::Write(Entry& entry, bool suspend) {
  const GatedObject& object = entry.object;
  if (object.by_kueue) return suspend ? gate_->Hold(object.uid) : gate_->Release(object.uid);
  const auto written = [this, uid = object.uid, suspend](const Result<ApiAnswer>& answer) {
    Written(uid, suspend, answer);
  };
  if (object.is_gang()) return gangs_.Release(object.uid, entry.attempt, written);
  entry.holding = suspend;
  suspend ? field_.Hold(object, entry.attempt, written)
          : field_.Release(object, entry.attempt, written);
}

void ObjectBoard::Written(const std::string& uid, bool suspend, const Result<ApiAnswer>& answer) {
  const auto found = entries_.find(uid);
  if (found == entries_.end() || found->second.deleted) return;
  if (answer && (answer->status == kOk || answer->status == kNotFound)) return;
  const std::string why =
      answer ? MessageOf(answer->status, answer->body) : answer.error().Message();
  Entry& entry = found->second;
  const std::string what = std::string("cannot be ") + (suspend ? "held back: " : "released: ");
  say_(entry.object.job.name + ": " + what + why);
  notes_.Tell(entry.object, EventReason::kRefused, what + why);
  if (!suspend && entry.course == Course::kReleased)
    StartRefused(entry, why, !answer || answer->status == kForbidden);
  if (suspend && entry.course == Course::kPausing) entry.course = Course::kReleased;
}

// Rights can be given later; an object that its own rules forbid to change stays as it is.
void ObjectBoard::StartRefused(Entry& entry, const std::string& why, bool can_be_mended) {
  if (!can_be_mended) return Report(entry, JobPhase::kFailed, now_(), why);
  Report(entry, JobPhase::kStartFailed, now_(), why);
  entry.course = Course::kOffered;
  entry.last->machine_trouble = reports_.back().machine_trouble = true;
}

void ObjectBoard::NotStarted(const std::string& uid, const std::string& why) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const bool is_awaited = entry.course == Course::kReleased || entry.course == Course::kPausing;
  if (std::exchange(entry.awaited, false) && is_awaited) StartRefused(entry, why, true);
}

void ObjectBoard::Note(core::JobId job, ObjectNote note) {
  Entry* entry = KnownEntry(job);
  if (!entry || entry->deleted || entry->let_go) return;
  notes_.Put(entry->object, std::move(note));
}

void ObjectBoard::WriteFigures(const std::string& uid,
                               const std::map<std::string, std::string>& figures) {
  if (const GatedObject* object = FindObject(uid)) notes_.WriteFigures(*object, figures);
}

std::string ObjectBoard::WrittenOn(const std::string& uid, const std::string& key) const {
  const GatedObject* object = FindObject(uid);
  return object ? notes_.Written(*object, key) : "";
}

void ObjectBoard::Tick() {
  std::erase_if(stopping_, [&](const std::string& uid) {
    const auto found = entries_.find(uid);
    if (found == entries_.end()) return true;
    Entry& entry = found->second;
    if (entry.course == Course::kPausing || entry.course == Course::kCancelling) Follow(entry);
    return entry.course != Course::kPausing && entry.course != Course::kCancelling;
  });
  notes_.Tick();
}

}  // namespace ebb::kubernetes
