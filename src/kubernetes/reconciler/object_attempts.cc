#include "kubernetes/reconciler/object_attempts.h"

#include <algorithm>

#include "core/jobs/widths.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/reconciler/object_job.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

constexpr int kOk = 200, kForbidden = 403, kNotFound = 404, kInvalid = 422;

bool IsEnd(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed ||
         phase == JobPhase::kCancelled;
}

// The rules of the API server may forbid another width of this object, and not its release. The
// object is then offered anew with the width that it has.
bool RefusesWidth(GatedJob& entry, int status, const std::string& why) {
  if (status != kInvalid || entry.devices == entry.object.width.now) return false;
  entry.width_refused = why;
  return true;
}

}  // namespace

void ObjectAttempts::Report(GatedJob& entry, JobPhase phase, Time since,
                            const std::string& detail) {
  engine::JobReport report;
  report.job = entry.job;
  report.attempt = std::max(entry.attempt, 1);
  report.phase = phase;
  report.pool = entry.pool;
  report.since = since;
  report.exit_code = phase == JobPhase::kFailed ? 1 : 0;
  report.detail = detail;
  report.machine_trouble = phase == JobPhase::kStartFailed;
  if (phase == JobPhase::kRunning) report.devices = entry.devices;
  if (phase == JobPhase::kPaused) entry.course = Course::kPaused;
  if (IsEnd(phase)) entry.course = Course::kEnded;
  if (phase != JobPhase::kRunning) ports_.owners.Changed(entry.object);
  entry.last = report;
  ports_.outbox.Report(std::move(report));
}

// Commands of the engine ---------------------------------------------------------------------

Status ObjectAttempts::Start(GatedJob& entry, const engine::StartJob& command) {
  const std::string& name = entry.object.job.name;
  const bool was_started = entry.last && entry.attempt >= command.attempt;
  if (was_started || entry.HasEnded()) return {};
  if (entry.deleted) return Fail({ExitCode::kUnavailable, "its object was deleted", name, ""});
  if (entry.object.is_gang() && !ports_.gangs.IsWhole(entry.object.uid))
    return Fail({ExitCode::kTryLater, "some of its pods are not there any more", name, ""});
  if (ports_.affinities.IsBeingSet(entry.object))
    return Fail({ExitCode::kTryLater, "its node affinity is being set", name, ""});
  const int devices = entry.DevicesFor(command.devices);
  if (!entry.object.by_kueue && !entry.object.width.CanBe(devices))
    return Fail({ExitCode::kTryLater,
                 "it cannot have " + std::to_string(devices) + " devices any more", name, ""});
  entry.attempt = command.attempt;
  entry.pool = command.pool;
  entry.devices = devices;
  entry.course = Course::kReleased;
  if (entry.object.by_kueue) entry.unseen = Unseen::kAdmission;
  ++released_;
  ports_.owners.Changed(entry.object);
  if (!ports_.dry_run) Write(entry, false);
  Report(entry, JobPhase::kRunning, ports_.now());
  return {};
}

Status ObjectAttempts::Pause(GatedJob& entry, const engine::PauseJob& command) {
  if (entry.course != Course::kReleased || entry.attempt != command.attempt) return {};
  if (entry.object.is_gang())
    return Fail({ExitCode::kUsage, "pods cannot be paused", entry.object.job.name, ""});
  if (ports_.dry_run) {
    Report(entry, JobPhase::kPaused, ports_.now());
    return {};
  }
  if (entry.IsAwaited() && gate_->TakeBack(entry.object.uid)) {
    NotStarted(entry, "it is to wait again before Kueue admitted it");
    return {};
  }
  entry.course = Course::kPausing;
  stopping_.insert(entry.object.uid);
  ++held_;
  Write(entry, true);
  return {};
}

Status ObjectAttempts::Cancel(GatedJob& entry, const engine::CancelJob& command) {
  if (entry.HasEnded() || entry.attempt != command.attempt) return {};
  if (ports_.dry_run || entry.deleted || entry.object.is_gang()) {
    Report(entry, JobPhase::kCancelled, ports_.now());
    return {};
  }
  entry.course = Course::kCancelling;
  stopping_.insert(entry.object.uid);
  Write(entry, true);
  return {};
}

void ObjectAttempts::TakeBack(GatedJob& entry, const std::string& why) {
  if (entry.deleted || entry.course != Course::kReleased) return;
  ports_.notes.Say(entry.object, EventReason::kNoNode, why);
  if (entry.object.is_gang()) return;
  if (!ports_.dry_run) Write(entry, true);
  StartRefused(entry, why, true);
}

void ObjectAttempts::TakeBackReleases() {
  for (auto& [uid, entry] : ports_.jobs.all())
    if (entry.course == Course::kReleased && ports_.field.TakeBack(uid))
      StartRefused(entry, "the controller was stopped before it was released", true);
}

void ObjectAttempts::Leave(const GatedJob& entry) {
  if (entry.object.by_kueue && !entry.HasEnded()) gate_->Leave(entry.object.uid);
}

// Writes -------------------------------------------------------------------------------------

void ObjectAttempts::Write(GatedJob& entry, bool suspend) {
  const GatedObject& object = entry.object;
  if (object.by_kueue)
    return suspend ? gate_->Hold(object.uid) : gate_->Release(object.uid, entry.pool);
  const auto written = [this, uid = object.uid, suspend](const Result<ApiAnswer>& answer) {
    Written(uid, suspend, answer);
  };
  if (object.is_gang()) return ports_.gangs.Release(object.uid, entry.attempt, written);
  entry.unseen = suspend ? Unseen::kSuspension : Unseen::kNothing;
  suspend ? ports_.field.Hold(object, entry.attempt, written)
          : ports_.field.Release(object, entry.attempt, entry.devices, written);
}

void ObjectAttempts::Written(const std::string& uid, bool suspend,
                             const Result<ApiAnswer>& answer) {
  GatedJob* entry = ports_.jobs.Find(uid);
  if (!entry || entry->deleted) return;
  if (answer && (answer->status == kOk || answer->status == kNotFound)) return;
  const std::string why =
      answer ? MessageOf(answer->status, answer->body) : answer.error().Message();
  const std::string what = std::string("cannot be ") + (suspend ? "held back: " : "released: ");
  ports_.notes.Say(entry->object, EventReason::kRefused, what + why);
  if (!suspend && entry->course == Course::kReleased) {
    const bool at_its_width = answer && RefusesWidth(*entry, answer->status, why);
    StartRefused(*entry, why, !answer || answer->status == kForbidden || at_its_width);
  }
  if (suspend && entry->course == Course::kPausing) entry->course = Course::kReleased;
}

// Rights can be given later; an object whose own rules forbid the change stays as it is.
void ObjectAttempts::StartRefused(GatedJob& entry, const std::string& why, bool can_be_mended) {
  if (!can_be_mended) return Report(entry, JobPhase::kFailed, ports_.now(), why);
  Report(entry, JobPhase::kStartFailed, ports_.now(), why);
  entry.course = Course::kOffered;
}

// Events of the cluster ----------------------------------------------------------------------

// The object was not created suspended, and has done next to nothing.
bool ObjectAttempts::IsNew(const GatedObject& object) const {
  return object.attempt == 0 && !object.by_kueue && !object.is_gang() &&
         ports_.now() - object.created < ports_.holds_younger_than;
}

void ObjectAttempts::HoldIfNew(GatedJob& entry) {
  const bool runs = entry.object.phase == ObjectPhase::kReleased;
  if (!runs) entry.Saw(Unseen::kSuspension);
  if (runs && IsNew(entry.object) && entry.unseen != Unseen::kSuspension && !ports_.dry_run)
    Write(entry, true);
}

// The object was not created suspended, or another process released it.
void ObjectAttempts::TakeRunning(GatedJob& entry) {
  const GatedObject& object = entry.object;
  if (IsNew(object)) return Write(entry, true);
  if (object.attempt == 0 && !object.by_kueue)
    ports_.say(object.job.name + ": runs already, and goes on; to have it wait, create it with " +
               std::string(object.kind->suspend) + " true");
  entry.attempt = std::max(entry.attempt, 1) - 1;
  Adopt(entry, object.started.value_or(object.created));
}

void ObjectAttempts::Adopt(GatedJob& entry, Time since) {
  ++entry.attempt;
  entry.course = Course::kReleased;
  entry.Saw(Unseen::kAdmission);
  entry.pool = FirstPoolFor(entry.object, ports_.capacity);
  entry.devices = entry.object.width.now;
  if (entry.object.by_kueue) gate_->Release(entry.object.uid, entry.pool);
  ports_.owners.Changed(entry.object);
  const bool has_number = entry.object.attempt >= entry.attempt;
  if (!has_number && !entry.object.by_kueue && !entry.object.is_gang())
    ports_.field.WriteAttempt(entry.object, entry.attempt);
  Report(entry, JobPhase::kRunning, since);
}

void ObjectAttempts::Follow(GatedJob& entry) {
  const ObjectPhase phase = entry.object.phase;
  if (phase != ObjectPhase::kReleased) entry.Saw(Unseen::kSuspension);
  if (entry.HasEnded() || entry.deleted) return;
  if (phase == ObjectPhase::kSucceeded || phase == ObjectPhase::kFailed) {
    const bool succeeded = phase == ObjectPhase::kSucceeded;
    Report(entry, succeeded ? JobPhase::kSucceeded : JobPhase::kFailed, ports_.now(),
           succeeded ? "" : std::string(entry.object.kind->kind) + " failed");
    return;
  }
  if (ports_.dry_run) return;
  switch (entry.course) {
    case Course::kOffered:
    case Course::kPaused:
    case Course::kRefused:
      // Another process released it.
      if (phase == ObjectPhase::kReleased && entry.unseen != Unseen::kSuspension)
        Adopt(entry, ports_.now());
      return;
    case Course::kReleased:
      return FollowReleased(entry);
    case Course::kPausing:
      if (phase == ObjectPhase::kReleased) entry.Saw(Unseen::kAdmission);
      if (HasStopped(entry)) Report(entry, JobPhase::kPaused, ports_.now());
      return;
    case Course::kCancelling:
      if (HasStopped(entry)) Report(entry, JobPhase::kCancelled, ports_.now());
      return;
    case Course::kApart:
    case Course::kEnded:
    case Course::kLetGo:
    case Course::kForgotten:
      return;
  }
}

// The status of an object may say that no pod runs while pods still write a checkpoint; and the
// known status may be older than the release.
bool ObjectAttempts::HasStopped(const GatedJob& entry) const {
  return entry.object.phase == ObjectPhase::kSuspended && entry.SawRelease() &&
         !ports_.capacity.HasPods(entry.object.name_space, entry.object.pods);
}

// Reports are outdated until the release itself is seen.
void ObjectAttempts::FollowReleased(GatedJob& entry) {
  const GatedObject& object = entry.object;
  const bool is_held =
      object.phase == ObjectPhase::kSuspended || object.phase == ObjectPhase::kStopping;
  if (!is_held && entry.Saw(Unseen::kAdmission)) ports_.notes.WriteAgain(object.uid);
  if (!is_held) FollowWidth(entry);
  if (!is_held || !entry.SawRelease()) return;
  const Time released = entry.last ? entry.last->since : ports_.now();
  std::string held_off;
  if (!object.by_kueue) held_off = ports_.held_off.Undone(object, released, ports_.now());
  const std::string what =
      object.by_kueue ? "evicted by Kueue" : "held back by " + UndoneBy(object);
  ports_.notes.Say(object, EventReason::kHeldBackByAnother,
                   what + (held_off.empty() ? "; it waits to be released again" : ", " + held_off));
  entry.course = Course::kPausing;
  stopping_.insert(object.uid);
  Follow(entry);
}

// The number of Pods of an object that runs may be changed by others.
void ObjectAttempts::FollowWidth(GatedJob& entry) {
  const int now = entry.object.width.now;
  if (!core::IsElastic(entry.told) || !entry.SawRelease() || now == entry.devices) return;
  entry.devices = now;
  Report(entry, JobPhase::kRunning, ports_.now());
}

void ObjectAttempts::NotStarted(GatedJob& entry, const std::string& why) {
  const bool is_awaited = entry.course == Course::kReleased || entry.course == Course::kPausing;
  if (entry.Saw(Unseen::kAdmission) && is_awaited) StartRefused(entry, why, true);
}

void ObjectAttempts::Tick() {
  std::erase_if(stopping_, [&](const std::string& uid) {
    GatedJob* entry = ports_.jobs.Find(uid);
    if (!entry) return true;
    if (entry->IsStopping()) Follow(*entry);
    return !entry->IsStopping();
  });
}

}  // namespace ebb::kubernetes
