// Commands of the engine to the object reconciler: reports, commands, and the annotations for them.
// The other half, reports of the reflectors, is in object_reconciler.cc.

#include <algorithm>
#include <utility>

#include "kubernetes/json_reading.h"
#include "kubernetes/object_reconciler.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

constexpr int kOk = 200, kForbidden = 403, kNotFound = 404;

}  // namespace

// Interface for the engine -------------------------------------------------------------------

std::vector<engine::Event> ObjectReconciler::TakeEvents(Time now) {
  for (const std::string& uid : std::exchange(changed_, {}))
    if (const auto found = entries_.find(uid); found != entries_.end()) FollowChange(found->second);
  for (engine::Event& event : events_) event.at = std::min(event.at, now);
  return std::exchange(events_, {});
}

// The engine would refuse a report of a job that it does not know yet.
std::vector<engine::JobReport> ObjectReconciler::TakeReports() {
  if (!events_.empty()) return {};
  for (const engine::JobReport& report : reports_)
    if (const Entry* entry = KnownEntry(report.job); entry && IsChanged(*entry))
      changed_.insert(entry->object.uid);
  return std::exchange(reports_, {});
}

std::vector<engine::JobReport> ObjectReconciler::Observe() const {
  std::vector<engine::JobReport> all;
  for (const auto& [uid, entry] : entries_)
    if (entry.last) all.push_back(*entry.last);
  return all;
}

void ObjectReconciler::Report(Entry& entry, JobPhase phase, Time since, const std::string& detail) {
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
  if (phase != JobPhase::kRunning) OwnersChanged(entry.object);
  entry.last = report;
  reports_.push_back(std::move(report));
}

ObjectReconciler::Entry* ObjectReconciler::KnownEntry(core::JobId job) {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second);
}

const GatedObject* ObjectReconciler::Find(core::JobId job) const {
  const auto uid = by_job_.find(job);
  return uid == by_job_.end() ? nullptr : &entries_.at(uid->second).object;
}

Result<ObjectReconciler::Entry*> ObjectReconciler::EntryOf(core::JobId job) {
  if (Entry* entry = KnownEntry(job)) return entry;
  return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""});
}

Status ObjectReconciler::Start(const engine::StartJob& command) {
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
  OwnersChanged(entry->object);
  if (!options_.dry_run) Write(*entry, false);
  Report(*entry, JobPhase::kRunning, now_());
  return {};
}

Status ObjectReconciler::Pause(const engine::PauseJob& command) {
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

Status ObjectReconciler::Cancel(const engine::CancelJob& command) {
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

void ObjectReconciler::Forget(core::JobId job) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  if (entry->object.by_kueue && entry->course != Course::kEnded) gate_->Leave(entry->object.uid);
  if (IsUnderWay(*entry) && !entry->deleted) return;
  entry->last.reset();
  OwnersChanged(entry->object);
  const std::string uid = by_job_.at(job);
  by_job_.erase(job);
  entry->job = 0;
  entry->done = !entry->let_go;
  if (entry->deleted)
    entries_.erase(uid);
  else if (entry->let_go && IsChosen(entry->object))
    Enter(*entry);  // meanwhile it has to wait again
}

const GatedObject* ObjectReconciler::FindObject(const std::string& uid) const {
  const auto found = entries_.find(uid);
  return found == entries_.end() || found->second.deleted ? nullptr : &found->second.object;
}

void ObjectReconciler::Refused(core::JobId job, const Error& why) {
  Entry* entry = KnownEntry(job);
  if (!entry) return;
  ++counts_.refused;
  entry->course = Course::kRefused;
  if (entry->deleted) return Drop(*entry);
  say_(entry->object.job.name + ": " + why.Message());
  Note(job, {"refused", why.Message(), ""});
}

void ObjectReconciler::OfferAgain() {
  for (auto& [uid, entry] : entries_) {
    if (entry.job == 0 || entry.deleted) continue;
    if (entry.course == Course::kRefused)
      Offer(entry);
    else if (IsChanged(entry))
      changed_.insert(uid);
  }
}

// Annotations --------------------------------------------------------------------------------

void ObjectReconciler::Write(Entry& entry, bool suspend) {
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

void ObjectReconciler::Written(const std::string& uid, bool suspend,
                               const Result<ApiAnswer>& answer) {
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

// Rights can be given later; an object whose own rules forbid the change stays as it is.
void ObjectReconciler::StartRefused(Entry& entry, const std::string& why, bool can_be_mended) {
  if (!can_be_mended) return Report(entry, JobPhase::kFailed, now_(), why);
  Report(entry, JobPhase::kStartFailed, now_(), why);
  entry.course = Course::kOffered;
  entry.last->machine_trouble = reports_.back().machine_trouble = true;
}

void ObjectReconciler::NotStarted(const std::string& uid, const std::string& why) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const bool is_awaited = entry.course == Course::kReleased || entry.course == Course::kPausing;
  if (std::exchange(entry.awaited, false) && is_awaited) StartRefused(entry, why, true);
}

void ObjectReconciler::Note(core::JobId job, ObjectNote note) {
  Entry* entry = KnownEntry(job);
  if (!entry || entry->deleted || entry->let_go) return;
  entry->note = note;
  const bool is_told = entry->course == Course::kReleased || entry->course == Course::kOffered;
  const std::string hint = hint_(job);
  const bool is_said = note.reason.find(hint) != std::string::npos;  // by a failed start
  if (is_told && !is_said) note.reason += "; " + hint;
  notes_.Put(entry->object, std::move(note));
}

void ObjectReconciler::HintChanged(core::JobId job) {
  Entry* entry = KnownEntry(job);
  if (!entry || entry->course != Course::kReleased) return;
  if (const std::string hint = hint_(job); !hint.empty())
    notes_.Tell(entry->object, EventReason::kNodeStarts, hint);
  if (entry->note.stage.empty()) return;
  Note(job, entry->note);
  notes_.WriteAgain(entry->object.uid);
}

void ObjectReconciler::TakeBack(core::JobId job, const std::string& why) {
  Entry* entry = KnownEntry(job);
  if (!entry || entry->deleted || entry->course != Course::kReleased) return;
  say_(entry->object.job.name + ": " + why);
  notes_.Tell(entry->object, EventReason::kNoNode, why);
  if (entry->object.is_gang()) return;
  if (!options_.dry_run) Write(*entry, true);
  StartRefused(*entry, why, true);
}

void ObjectReconciler::TakeBackReleases() {
  for (auto& [uid, entry] : entries_)
    if (entry.course == Course::kReleased && field_.TakeBack(uid))
      StartRefused(entry, "the controller was stopped before it was released", true);
}

void ObjectReconciler::WriteFigures(const std::string& uid,
                                    const std::map<std::string, std::string>& figures) {
  if (const GatedObject* object = FindObject(uid))
    notes_.WriteFigures(*object, figures, "/figures");
}

void ObjectReconciler::WriteOverhead(const std::string& uid,
                                     const std::map<std::string, std::string>& figures) {
  if (const GatedObject* object = FindObject(uid))
    notes_.WriteFigures(*object, figures, "/overhead");
}

std::string ObjectReconciler::WrittenOn(const std::string& uid, const std::string& key) const {
  const GatedObject* object = FindObject(uid);
  return object ? notes_.Written(*object, key) : "";
}

void ObjectReconciler::Tick() {
  std::erase_if(stopping_, [&](const std::string& uid) {
    const auto found = entries_.find(uid);
    if (found == entries_.end()) return true;
    Entry& entry = found->second;
    if (entry.course == Course::kPausing || entry.course == Course::kCancelling) Follow(entry);
    return entry.course != Course::kPausing && entry.course != Course::kCancelling;
  });
  EndBackoffs();
  notes_.Tick();
}

}  // namespace ebb::kubernetes
