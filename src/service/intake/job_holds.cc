#include "service/intake/job_holds.h"

namespace ebb::service {

void JobHolds::Hold(core::JobId job, const std::string& why) {
  RememberHold(job, true);
  RememberWhy(job, why);
  ports_.facts.PushAndWake(engine::JobControlled{job, engine::JobControl::kHold});
}

void JobHolds::Release(core::JobId job) {
  RememberHold(job, false);
  RememberWhy(job, "");
  ports_.facts.Push(engine::JobControlled{job, engine::JobControl::kNone});
}

std::string JobHolds::WhyHeld(core::JobId job) const {
  const auto notes = ports_.store.jobs().NotesOf(job);
  return notes ? notes->why_held : "";
}

void JobHolds::Remember(core::JobId job, bool held, const std::string& why) {
  if (held != IsHeld(job)) RememberHold(job, held);
  RememberWhy(job, why);
}

bool JobHolds::Recover(core::JobId job, const store::JobNotes& notes) {
  const bool by_person = notes.hold != store::PersonHold::kNone;
  if (by_person) held_.insert(job);
  return by_person;
}

void JobHolds::RememberHold(core::JobId job, bool held) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || card->submission->after.empty()) return;
  if (held)
    held_.insert(job);
  else
    held_.erase(job);
  const bool waits = !ports_.dependencies.WaitsFor(job).empty();
  using store::PersonHold;
  const PersonHold by_person = waits ? PersonHold::kHeldAndWaits : PersonHold::kHeld;
  ports_.store.SetHold(job, held ? by_person : PersonHold::kNone);
}

// The reason is shown as the job's detail. The end of the job replaces it.
void JobHolds::RememberWhy(core::JobId job, const std::string& why) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || engine::HasEnded(card->explanation.stage) || card->detail == why) return;
  ports_.publisher.SetDetail(job, why);
  ports_.store.SetWhyHeld(job, why);
}

}  // namespace ebb::service
