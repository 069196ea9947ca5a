#include "kubernetes/reconciler/object_reconciler.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace ebb::kubernetes {
namespace {

std::string SpeedupOf(const GatedObject& object) {
  const auto found = object.annotations.find("ebb/speedup");
  return found == object.annotations.end() ? "" : found->second;
}

}  // namespace

ObjectReconciler::ObjectReconciler(ApiClient& client, Capacity& capacity, EventRecorder& recorder,
                                   PodGangs& gangs, std::function<Time()> now,
                                   std::function<void(const std::string&)> say,
                                   ObjectReconcilerOptions options)
    : options_(std::move(options)),
      now_(std::move(now)),
      outbox_(now_),
      owners_(jobs_, capacity),
      field_(client, options_.since_boot, options_.late_release),
      notes_({client, recorder, [this](const std::string& uid) { return FindObject(uid); },
              [this](const std::string& uid) { return jobs_.Find(uid)->IsAwaited(); },
              options_.since_boot, say, options_.dry_run, options_.notes_every}),
      held_off_(options_.first_backoff),
      affinities_({field_, capacity,
                   [this, say](const std::string& uid, const std::string& why) {
                     const GatedJob* entry = jobs_.Find(uid);
                     say(entry->object.job.name + ": " + why);
                     if (!entry->has_job()) notes_.PutNews(entry->object, {"waiting", why, ""});
                   },
                   options_.dry_run}),
      attempts_({jobs_, outbox_, notes_, owners_, held_off_, affinities_, field_, gangs, capacity,
                 now_, say, options_.dry_run, options_.holds_younger_than}),
      offers_({jobs_, outbox_, notes_, owners_, held_off_, affinities_, attempts_, capacity, now_,
               say, options_.dry_run}) {}

// Reports of the reflectors ---------------------------------------------------------------------

void ObjectReconciler::PoliciesChanged() {
  ReadAgainWhere([](const GatedObject&) { return true; });
}

void ObjectReconciler::ReadAgainWhere(const std::function<bool(const GatedObject&)>& concerned) {
  for (auto& [uid, entry] : jobs_.all()) {
    if (entry.object.is_gang() || !concerned(entry.object)) continue;
    const std::vector<std::string> problems = entry.object.problems;
    ReadAgain(options_.defaults, entry.object);
    if (!entry.has_job()) {
      offers_.TakeUp(entry);
      continue;
    }
    notes_.TellProblems(entry.object, problems);
    offers_.MayHaveChanged(entry);
  }
}

void ObjectReconciler::TakeObject(const GatedKind& kind, const JsonNode& json) {
  if (auto object = ReadObject(kind, json, options_.defaults)) TakeObject(*std::move(object));
}

void ObjectReconciler::TakeObject(GatedObject object) {
  GatedJob& entry = jobs_.Take(object.uid);
  const GatedObject before = std::exchange(entry.object, std::move(object));
  // A suspended object does not name its pods any more, and some of them may still be ending.
  if (entry.object.pods.empty()) entry.object.pods = before.pods;
  if (before.pods != entry.object.pods) {
    owners_.Changed(before);
    owners_.Changed(entry.object);
  }
  notes_.FollowParts(entry.object, before.parts);
  if (before.annotations != entry.object.annotations) affinities_.TryAgain(entry.object.uid);
  if (SpeedupOf(before) != SpeedupOf(entry.object)) entry.width_refused.clear();
  if (!entry.has_job()) {
    offers_.SayMistyped(entry, before.mistyped);
    return offers_.TakeUp(entry);
  }
  notes_.TellProblems(entry.object, before.problems);
  affinities_.IsBeingSet(entry.object);
  attempts_.Follow(entry);
  offers_.MayHaveChanged(entry);
}

void ObjectReconciler::DropObject(const std::string& uid) {
  if (GatedJob* entry = jobs_.Find(uid)) offers_.Gone(*entry);
}

void ObjectReconciler::NotStarted(const std::string& uid, const std::string& why) {
  if (GatedJob* entry = jobs_.Find(uid)) attempts_.NotStarted(*entry, why);
}

std::optional<PodsObject> ObjectReconciler::ObjectOf(const PodOwner& owner) const {
  const GatedJob* entry = owners_.Find(owner);
  if (!entry) return std::nullopt;
  return PodsObject{entry->object.uid, entry->attempt, entry->object.by_kueue};
}

// A Workload that Kueue admits counts in the pool of its quota.
bool ObjectReconciler::Holds(const PodOwner& owner) const {
  const GatedJob* entry = owners_.Find(owner);
  return entry && !entry->object.by_kueue;
}

// Interface for the engine -------------------------------------------------------------------

std::vector<engine::Event> ObjectReconciler::TakeEvents(Time now) {
  offers_.FollowChanges();
  return outbox_.TakeEvents(now);
}

std::vector<engine::JobReport> ObjectReconciler::TakeReports() {
  std::vector<engine::JobReport> reports = outbox_.TakeReports();
  for (const engine::JobReport& report : reports)
    if (const GatedJob* entry = jobs_.FindJob(report.job)) offers_.MayHaveChanged(*entry);
  return reports;
}

std::vector<engine::JobReport> ObjectReconciler::Observe() const {
  std::vector<engine::JobReport> all;
  for (const auto& [uid, entry] : jobs_.all())
    if (entry.last) all.push_back(*entry.last);
  return all;
}

int ObjectReconciler::DevicesFor(const engine::StartJob& command) const {
  const GatedJob* entry = jobs_.FindJob(command.job);
  return entry ? entry->DevicesFor(command.devices) : 0;
}

Status ObjectReconciler::Execute(const engine::Command& command) {
  const core::JobId job = std::visit([](const auto& each) { return each.job; }, command);
  GatedJob* entry = jobs_.FindJob(job);
  if (!entry) return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""});
  if (const auto* start = std::get_if<engine::StartJob>(&command))
    return attempts_.Start(*entry, *start);
  if (const auto* pause = std::get_if<engine::PauseJob>(&command))
    return attempts_.Pause(*entry, *pause);
  return attempts_.Cancel(*entry, std::get<engine::CancelJob>(command));
}

void ObjectReconciler::Forget(core::JobId job) {
  if (GatedJob* entry = jobs_.FindJob(job)) offers_.Forget(*entry);
}

void ObjectReconciler::Refused(core::JobId job, const Error& why) {
  if (GatedJob* entry = jobs_.FindJob(job)) offers_.Refused(*entry, why);
}

void ObjectReconciler::ChangeRefused(core::JobId job) {
  if (GatedJob* entry = jobs_.FindJob(job)) offers_.ChangeRefused(*entry);
}

void ObjectReconciler::TakeBack(core::JobId job, const std::string& why) {
  if (GatedJob* entry = jobs_.FindJob(job)) attempts_.TakeBack(*entry, why);
}

const GatedObject* ObjectReconciler::Find(core::JobId job) const {
  const GatedJob* entry = jobs_.FindJob(job);
  return entry ? &entry->object : nullptr;
}

const GatedObject* ObjectReconciler::FindObject(const std::string& uid) const {
  const GatedJob* entry = jobs_.Find(uid);
  return entry && !entry->deleted ? &entry->object : nullptr;
}

void ObjectReconciler::Tick() {
  attempts_.Tick();
  offers_.Tick();
  notes_.Tick();
}

// Notes --------------------------------------------------------------------------------------

void ObjectReconciler::Note(core::JobId job, ObjectNote note) {
  GatedJob* entry = jobs_.FindJob(job);
  if (!entry || entry->deleted || entry->course == Course::kLetGo) return;
  entry->note = note;
  const bool is_told = entry->course == Course::kReleased || entry->course == Course::kOffered;
  const std::string hint = hint_(job);
  const bool is_said = note.reason.find(hint) != std::string::npos;  // by a failed start
  if (is_told && !is_said) note.reason += "; " + hint;
  const std::string kept = entry->KeptWidth();
  if (!kept.empty() && !note.reason.empty()) note.reason += "; " + kept;
  notes_.Put(entry->object, std::move(note));
}

std::string ObjectReconciler::KeptWidth(core::JobId job) const {
  const GatedJob* entry = jobs_.FindJob(job);
  return entry ? entry->KeptWidth() : "";
}

void ObjectReconciler::HintChanged(core::JobId job) {
  GatedJob* entry = jobs_.FindJob(job);
  if (!entry || entry->course != Course::kReleased) return;
  if (const std::string hint = hint_(job); !hint.empty())
    notes_.Tell(entry->object, EventReason::kNodeStarts, hint);
  if (entry->note.stage.empty()) return;
  Note(job, entry->note);
  notes_.WriteAgain(entry->object.uid);
}

}  // namespace ebb::kubernetes
