#include "kubernetes/reconciler/object_offers.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/reconciler/object_job.h"
#include "kubernetes/reconciler/offered_change.h"

namespace ebb::kubernetes {
namespace {

using engine::JobPhase;

// Text about an object that is let go while it is held back.
std::string LeftOf(const GatedObject& object) {
  if (object.by_kueue) return "it starts when Kueue admits it";
  if (object.is_gang()) return "its pods keep their gate until somebody removes it";
  return "it stays suspended until somebody resumes it";
}

// A withdrawn job does not wait, so its text names no stage.
std::string WithoutStage(const std::string& sentence) {
  constexpr std::string_view kStage = "waiting: ";
  return sentence.starts_with(kStage) ? sentence.substr(kStage.size()) : sentence;
}

bool IsOver(const GatedObject& object) {
  return object.phase == ObjectPhase::kSucceeded || object.phase == ObjectPhase::kFailed;
}

}  // namespace

// Which objects are jobs ---------------------------------------------------------------------

bool ObjectOffers::IsChosen(const GatedObject& object) const {
  return !object.declined && !object.follows &&
         (object.chosen || namespaces_.Contains(object.name_space));
}

void ObjectOffers::Begin() {
  begun_ = true;
  for (const auto& [uid, entry] : ports_.jobs.all()) SayMistyped(entry, {});
  std::vector<GatedJob*> oldest_first;
  for (auto& [uid, entry] : ports_.jobs.all()) oldest_first.push_back(&entry);
  std::ranges::stable_sort(oldest_first, {},
                           [](const GatedJob* entry) { return entry->object.created; });
  for (GatedJob* entry : oldest_first) TakeUp(*entry);
}

void ObjectOffers::TakeUp(GatedJob& entry) {
  if (begun_ && entry.course == Course::kApart && IsChosen(entry.object)) Enter(entry);
}

void ObjectOffers::SayMistyped(const GatedJob& entry, const std::vector<std::string>& said) {
  const GatedObject& object = entry.object;
  const bool is_left = !IsChosen(object) && !object.declined && !object.follows;
  if (!begun_ || !is_left || IsOver(object) || object.mistyped.empty() || object.mistyped == said)
    return;
  ports_.notes.Say(object, EventReason::kBadAnnotation, Join(object.mistyped, "; "));
}

void ObjectOffers::TakeNamespace(const JsonNode& name_space) {
  const ChosenNamespaces::Change change = namespaces_.Take(name_space);
  if (change == ChosenNamespaces::Change::kChosen)
    for (auto& [uid, entry] : ports_.jobs.all()) TakeUp(entry);
  if (change != ChosenNamespaces::Change::kLeft) return;
  const std::string name = TextAt(name_space, "/metadata/name");
  for (const auto& [uid, entry] : ports_.jobs.all())
    if (entry.has_job() && entry.object.name_space == name) changed_.insert(uid);
}

void ObjectOffers::Gone(GatedJob& entry) {
  ports_.notes.Drop(entry.object);
  if (!entry.has_job()) return Erase(entry);
  entry.deleted = true;
  if (entry.HasEnded()) return;
  if (entry.IsUnderWay())
    ports_.attempts.Report(entry, JobPhase::kCancelled, ports_.now());
  else if (entry.course == Course::kRefused)
    Erase(entry);  // the engine does not know the job, and so does not forget it
  else
    ports_.outbox.Cancel(entry.job, "its object was deleted");
}

void ObjectOffers::Forget(GatedJob& entry) {
  ports_.attempts.Leave(entry);
  if (entry.IsUnderWay() && !entry.deleted) return;
  ports_.owners.Changed(entry.object);
  const bool is_let_go = entry.course == Course::kLetGo;
  ports_.jobs.Withdraw(entry, is_let_go ? Course::kApart : Course::kForgotten);
  if (entry.deleted) return Erase(entry);
  TakeUp(entry);  // if it was let go, and has to wait again meanwhile
}

void ObjectOffers::Erase(const GatedJob& entry) {
  if (entry.has_job()) ports_.owners.Changed(entry.object);
  ports_.held_off.Forget(entry.object.uid);
  ports_.affinities.Forget(entry.object.uid);
  ports_.jobs.Erase(entry);
}

// News for the engine ------------------------------------------------------------------------

void ObjectOffers::Enter(GatedJob& entry) {
  const GatedObject& object = entry.object;
  if (IsOver(object)) return;
  if (!LackOf(entry).empty()) {
    ports_.attempts.HoldIfNew(entry);
    return NoteLack(entry);
  }
  // The object is reported again with its affinity.
  NodeAffinities& affinities = ports_.affinities;
  if (object.attempt == 0 && (affinities.IsBeingSet(object) || affinities.WasRefused(object.uid)))
    return;
  entry.attempt = object.attempt;
  ports_.notes.Forget(object.uid);
  ports_.notes.TellProblems(object, {});
  if (ports_.dry_run || object.phase != ObjectPhase::kReleased) return Offer(entry);
  Submit(entry);
  ports_.attempts.TakeRunning(entry);
}

// The reason for which the object cannot be released now; empty: none.
std::string ObjectOffers::LackOf(const GatedJob& entry) const {
  const GatedObject& object = entry.object;
  if (!object.lacks.empty() || object.phase == ObjectPhase::kReleased) return object.lacks;
  return ports_.held_off.WhyNot(object, ports_.now());
}

void ObjectOffers::NoteLack(const GatedJob& entry) {
  ports_.notes.PutNews(entry.object, {"waiting", LackOf(entry), ""});
}

core::Job ObjectOffers::Wanted(const GatedJob& entry) const {
  core::Job job = JobFor(entry.object, entry.job, ports_.capacity);
  return entry.width_refused.empty() ? job : AtItsWidth(std::move(job), entry.object.width);
}

void ObjectOffers::Submit(GatedJob& entry) {
  ports_.jobs.Offer(entry);
  entry.Saw(Unseen::kAdmission);
  entry.told = Wanted(entry);
  ports_.outbox.Submit(entry.told);
}

void ObjectOffers::Offer(GatedJob& entry) {
  Submit(entry);
  entry.attempt = entry.object.attempt;
  // The object was released and held again, perhaps by an earlier process.
  if (entry.attempt > 0 && !ports_.dry_run)
    ports_.attempts.Report(entry, JobPhase::kPaused, ports_.now());
}

void ObjectOffers::OfferAsAnother(GatedJob& entry, const char* why) {
  Withdraw(entry, why);
  Offer(entry);
}

void ObjectOffers::Withdraw(GatedJob& entry, const std::string& why) {
  if (entry.course != Course::kRefused) ports_.outbox.Cancel(entry.job, why);
  ports_.owners.Changed(entry.object);
  ports_.jobs.Withdraw(entry, Course::kApart);
}

void ObjectOffers::LetGo(GatedJob& entry) {
  const GatedObject& object = entry.object;
  if (entry.IsStopping()) return;  // it is let go once it has stopped
  if (entry.course == Course::kReleased) {
    ports_.say(object.job.name + ": is let go; it runs on");
    ports_.notes.Tell(object, EventReason::kLetGo, "it runs on, and is not paused any more");
    ports_.attempts.Report(entry, JobPhase::kCancelled, ports_.now());
    entry.course = Course::kLetGo;
  } else {
    const std::string left = LeftOf(object);
    ports_.say(object.job.name + ": is let go; " + left);
    ports_.notes.Tell(object, EventReason::kLetGo, left);
    Withdraw(entry, "it is not to wait for Ebb any more");
  }
  ports_.notes.Remove(object);
}

void ObjectOffers::Refused(GatedJob& entry, const Error& why) {
  ++refused_;
  const bool was_let_go = std::exchange(entry.course, Course::kRefused) == Course::kLetGo;
  if (entry.deleted) return Erase(entry);
  ports_.say(entry.object.job.name + ": " + why.Message());
  if (was_let_go) return;
  entry.note = {"refused", why.Message(), ""};
  ports_.notes.Put(entry.object, entry.note);
}

void ObjectOffers::OfferAgain() {
  for (auto& [uid, entry] : ports_.jobs.all()) {
    if (!entry.has_job() || entry.deleted) continue;
    if (entry.course == Course::kRefused)
      Offer(entry);
    else
      MayHaveChanged(entry);
  }
}

void ObjectOffers::Tick() {
  for (const std::string& uid : ports_.held_off.TakeOver(ports_.now()))
    if (GatedJob* entry = ports_.jobs.Find(uid)) TakeUp(*entry);
}

// Changes ------------------------------------------------------------------------------------

// Changes of a running object are followed once it waits again, unless it is to be let go.
bool ObjectOffers::IsChanged(const GatedJob& entry) const {
  if (entry.HasEnded()) return false;
  if (!IsChosen(entry.object)) return true;
  return !entry.IsUnderWay() && (!LackOf(entry).empty() || Wanted(entry) != entry.told);
}

void ObjectOffers::MayHaveChanged(const GatedJob& entry) {
  if (IsChanged(entry)) changed_.insert(entry.object.uid);
}

void ObjectOffers::FollowChanges() {
  for (const std::string& uid : std::exchange(changed_, {}))
    if (GatedJob* entry = ports_.jobs.Find(uid)) FollowChange(*entry);
}

void ObjectOffers::FollowChange(GatedJob& entry) {
  if (!entry.has_job() || entry.deleted || entry.HasEnded()) return;
  if (ports_.outbox.HasReportsOf(entry.job)) {  // the engine must learn of those first
    changed_.insert(entry.object.uid);
    return;
  }
  if (!IsChosen(entry.object)) return LetGo(entry);
  if (const std::string lack = LackOf(entry); !lack.empty() && !entry.IsUnderWay()) {
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
  if (*change != core::JobChange{}) ports_.outbox.Change(entry.job, *change);
}

void ObjectOffers::ChangeRefused(GatedJob& entry) {
  if (entry.course == Course::kOffered || entry.course == Course::kPaused)
    return OfferAsAnother(entry, "its object was changed");
  entry.told = {};  // it has begun meanwhile; the change is followed when it waits again
}

}  // namespace ebb::kubernetes
