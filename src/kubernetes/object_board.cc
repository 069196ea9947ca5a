#include "kubernetes/object_board.h"

#include <algorithm>
#include <utility>

#include "kubernetes/json_reading.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

constexpr std::chrono::seconds kLateRelease{30};
constexpr int kOk = 200, kForbidden = 403, kNotFound = 404;
constexpr const char* kStageKey = "ebb/stage";
constexpr const char* kReasonKey = "ebb/reason";
constexpr const char* kExpectedStartKey = "ebb/expected-start";

std::string WrittenAt(const GatedObject& object, const char* key) {
  const auto found = object.written.find(key);
  return found == object.written.end() ? "" : found->second;
}

}  // namespace

ObjectBoard::ObjectBoard(ApiClient& client, Capacity& capacity, std::function<Time()> now,
                         std::function<void(const std::string&)> say, ObjectBoardOptions options)
    : client_(client),
      capacity_(capacity),
      now_(std::move(now)),
      say_(std::move(say)),
      options_(std::move(options)) {}

// What the reflectors tell -------------------------------------------------------------------

bool ObjectBoard::IsChosen(const GatedObject& object) const {
  return !object.declined && (object.chosen || chosen_namespaces_.contains(object.name_space));
}

void ObjectBoard::TakeNamespace(const JsonNode& name_space) {
  const std::string name = TextAt(name_space, "/metadata/name");
  const bool chosen = TextAt(name_space, "/metadata/labels/ebb~1wait") == "true" ||
                      TextAt(name_space, "/metadata/annotations/ebb~1wait") == "true";
  if (!chosen) {
    chosen_namespaces_.erase(name);
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

void ObjectBoard::TakeObject(const GatedKind& kind, const JsonNode& json) {
  auto object = ReadObject(kind, json, options_.defaults);
  if (!object) return;
  Entry& entry = entries_[object->uid];
  const std::string pods = std::exchange(entry.object, *std::move(object)).pods;
  // What is suspended forgets whose pods were its own, and some of them may still be ending.
  if (entry.object.pods.empty()) entry.object.pods = pods;
  if (pods != entry.object.pods) OwnersChanged();
  if (entry.job != 0) return Follow(entry);
  if (begun_ && !entry.done && IsChosen(entry.object)) Enter(entry);
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
  entry.attempt = object.attempt;
  for (const std::string& problem : object.problems) say_(object.job.name + ": " + problem);
  Submit(entry);
  if (options_.dry_run) return;
  if (object.phase == ObjectPhase::kReleased) return EnterReleased(entry);
  // What an earlier process has released and held again.
  if (entry.attempt == 0) return;
  entry.course = Course::kPaused;
  Report(entry, JobPhase::kPaused, now_());
}

void ObjectBoard::Submit(Entry& entry) {
  if (entry.job == 0) entry.job = ++last_job_;
  by_job_[entry.job] = entry.object.uid;
  entry.course = Course::kOffered;
  entry.models = capacity_.ModelsFor(entry.object.requests);
  core::Job job = entry.object.job;
  job.id = entry.job;
  job.models = entry.models;
  events_.push_back({now_(), engine::JobSubmitted{std::move(job)}});
}

// It was created without being held back, or another process released it.
void ObjectBoard::EnterReleased(Entry& entry) {
  const GatedObject& object = entry.object;
  if (entry.attempt == 0 && now_() - object.created < options_.holds_younger_than) {
    Write(entry, true);
    return;
  }
  if (entry.attempt == 0)
    say_(object.job.name + ": runs already, and goes on; to have it wait, create it with " +
         std::string(object.kind->suspend) + " true");
  entry.attempt = std::max(entry.attempt, 1) - 1;
  Adopt(entry, object.started.value_or(object.created));
}

void ObjectBoard::Adopt(Entry& entry, Time since) {
  ++entry.attempt;
  entry.course = Course::kReleased;
  const core::Cluster& cluster = capacity_.cluster();
  const auto models = capacity_.ModelsFor(entry.object.requests);
  entry.pool = 0;
  for (std::size_t i = 0; i < cluster.pools.size(); ++i)
    if (std::ranges::count(models, cluster.pools[i].model) > 0) {
      entry.pool = static_cast<int>(i);
      break;
    }
  OwnersChanged();
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
  return entry.object.phase == ObjectPhase::kSuspended && entry.object.attempt >= entry.attempt &&
         !capacity_.HasPods(entry.object.name_space, entry.object.pods);
}

// Until the release itself is seen, which carries the number of the attempt, what is told is old.
void ObjectBoard::FollowReleased(Entry& entry) {
  const bool is_held =
      entry.object.phase == ObjectPhase::kSuspended || entry.object.phase == ObjectPhase::kStopping;
  if (!is_held || entry.object.attempt < entry.attempt) return;
  say_(entry.object.job.name + ": held back by somebody else");
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
  if (entry.job == 0) {
    entries_.erase(found);
    return;
  }
  entry.deleted = true;
  notes_due_.erase(uid);
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

bool ObjectBoard::Holds(const PodOwner& owner) const {
  if (!held_pods_) {
    held_pods_.emplace();
    for (const auto& [uid, entry] : entries_)
      if (entry.job != 0 && IsUnderWay(entry) && !entry.object.pods.empty())
        held_pods_->insert(entry.object.name_space + "/" + entry.object.pods);
  }
  return std::ranges::any_of(owner.labels, [&](const auto& label) {
    return held_pods_->contains(owner.name_space + "/" + label.first + "=" + label.second);
  });
}

// For the engine -----------------------------------------------------------------------------

std::vector<engine::Event> ObjectBoard::TakeEvents(Time now) {
  for (engine::Event& event : events_) event.at = std::min(event.at, now);
  return std::exchange(events_, {});
}

// A report of a job that the engine does not know yet would be refused.
std::vector<engine::JobReport> ObjectBoard::TakeReports() {
  if (!events_.empty()) return {};
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
  entry->attempt = command.attempt;
  entry->pool = command.pool;
  entry->course = Course::kReleased;
  ++counts_.released;
  OwnersChanged();
  if (!options_.dry_run) Write(*entry, false);
  Report(*entry, JobPhase::kRunning, now_());
  return {};
}

Status ObjectBoard::Pause(const engine::PauseJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry * entry, EntryOf(command.job));
  if (entry->course != Course::kReleased || entry->attempt != command.attempt) return {};
  if (options_.dry_run) {
    Report(*entry, JobPhase::kPaused, now_());
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
  if (options_.dry_run || entry->deleted) {
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
  if (!entry || (IsUnderWay(*entry) && !entry->deleted)) return;
  entry->last.reset();
  const std::string uid = by_job_.at(job);
  by_job_.erase(job);
  entry->job = 0;
  entry->done = true;
  if (entry->deleted) entries_.erase(uid);
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
    if (entry.course == Course::kRefused) Submit(entry);
    // The engine knows a job by what it was submitted with: as another job it can have the others.
    if (entry.course != Course::kOffered || entry.last ||
        entry.models == capacity_.ModelsFor(entry.object.requests))
      continue;
    events_.push_back({now_(), engine::JobCancelled{entry.job, "there are other devices"}});
    by_job_.erase(std::exchange(entry.job, 0));
    Submit(entry);
  }
}

// What is written ----------------------------------------------------------------------------

void ObjectBoard::Write(Entry& entry, bool suspend) {
  const GatedObject& object = entry.object;
  entry.holding = suspend;
  std::map<std::string, std::string> annotations;
  if (entry.attempt > 0) annotations[std::string(kAttemptKey)] = std::to_string(entry.attempt);
  // A release that comes late comes at an hour that nobody chose.
  const Duration patience = suspend ? Duration{std::chrono::hours{24 * 365}} : kLateRelease;
  client_.Make({.path = object.Path(),
                .body = MergePatch(*object.kind, suspend, annotations),
                .key = object.uid + "/suspend",
                .patience = patience},
               [this, uid = object.uid, suspend](const Result<ApiAnswer>& answer) {
                 Written(uid, suspend, answer);
               });
}

void ObjectBoard::Written(const std::string& uid, bool suspend, const Result<ApiAnswer>& answer) {
  const auto found = entries_.find(uid);
  if (found == entries_.end() || found->second.deleted) return;
  if (answer && (answer->status == kOk || answer->status == kNotFound)) return;
  const std::string why =
      answer ? MessageOf(answer->status, answer->body) : answer.error().Message();
  Entry& entry = found->second;
  say_(entry.object.job.name + ": cannot be " + (suspend ? "held back: " : "released: ") + why);
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

void ObjectBoard::Note(core::JobId job, ObjectNote note) {
  Entry* entry = KnownEntry(job);
  if (!entry || entry->deleted) return;
  entry->wanted = std::move(note);
  if (entry->wanted != entry->noted) notes_due_.insert(entry->object.uid);
}

void ObjectBoard::Tick() {
  std::erase_if(stopping_, [&](const std::string& uid) {
    const auto found = entries_.find(uid);
    if (found == entries_.end()) return true;
    Entry& entry = found->second;
    if (entry.course == Course::kPausing || entry.course == Course::kCancelling) Follow(entry);
    return entry.course != Course::kPausing && entry.course != Course::kCancelling;
  });
  const Duration now = options_.since_boot();
  for (auto uid = notes_due_.begin(); uid != notes_due_.end();) {
    const auto found = entries_.find(*uid);
    if (found == entries_.end()) {
      uid = notes_due_.erase(uid);
      continue;
    }
    Entry& entry = found->second;
    const bool is_news = entry.wanted.stage != entry.noted.stage;
    if (!is_news && now < entry.noted_at + options_.notes_every) {
      ++uid;
      continue;
    }
    entry.noted_at = now;
    WriteNote(entry);
    uid = notes_due_.erase(uid);
  }
}

std::optional<Duration> ObjectBoard::NextDue() const {
  std::optional<Duration> due;
  for (const std::string& uid : notes_due_) {
    const Entry& entry = entries_.at(uid);
    const bool is_news = entry.wanted.stage != entry.noted.stage;
    const Duration at = is_news ? Duration::zero() : entry.noted_at + options_.notes_every;
    if (!due || at < *due) due = at;
  }
  return due;
}

void ObjectBoard::WriteNote(Entry& entry) {
  entry.noted = entry.wanted;
  const GatedObject& object = entry.object;
  // As another process left it.
  if (WrittenAt(object, kStageKey) == entry.noted.stage &&
      WrittenAt(object, kReasonKey) == entry.noted.reason &&
      WrittenAt(object, kExpectedStartKey) == entry.noted.expected_start)
    return;
  ++counts_.notes;
  client_.Make({.path = object.Path(),
                .body = MergePatch(*object.kind, std::nullopt,
                                   {{kStageKey, entry.noted.stage},
                                    {kReasonKey, entry.noted.reason},
                                    {kExpectedStartKey, entry.noted.expected_start}}),
                .key = object.uid + "/note",
                .urgent = false},
               [](const Result<ApiAnswer>&) {});
}

}  // namespace ebb::kubernetes
