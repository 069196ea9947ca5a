#include "service/front_desk.h"

#include <algorithm>

#include "base/text.h"
#include "store/job_meta.h"

namespace ebb::service {
namespace {

// So many at a time that a flush of the disk is shared by many, and nobody waits for long.
constexpr std::size_t kMostAtOnce = 1000;

// Why a job that comes after others is held, when not (only) because it waits for them.
constexpr const char* kRecurring = "recurring jobs";
constexpr const char* kHeld = "held";
constexpr const char* kHeldAndWaits = "held and waits";

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

Time FrontDesk::NextAt() const {
  const bool due = !resubmitted_.empty() || !follow_ups_.empty() || !ports_.inbox.empty();
  return due ? Time::min() : ports_.recurring.NextAt();
}

Duration FrontDesk::Patience() const { return urgent_ ? Duration::zero() : ports_.patience(); }

void FrontDesk::Resubmit(std::vector<core::Submission> submissions) {
  resubmitted_ = std::move(submissions);
}

void FrontDesk::Expect(std::optional<Inbox::Promise> promise, Result<Answer> answer) {
  expected_.push_back({std::move(promise), std::move(answer)});
}

std::vector<engine::Event> FrontDesk::Take(Time now) {
  std::vector<engine::Event> events;
  for (core::Submission& submission : std::exchange(resubmitted_, {}))
    TakeSubmission(std::move(submission), std::nullopt, now, events);
  for (engine::Fact& fact : std::exchange(follow_ups_, {})) {
    Expect(std::nullopt, Answer{});
    events.push_back({now, std::move(fact)});
    urgent_ = true;
  }
  for (Inbox::Asked& asked : ports_.inbox.Take(kMostAtOnce))
    TakeRequest(std::move(asked), now, events);
  TakeDue(now, events);
  return events;
}

void FrontDesk::TakeRequest(Inbox::Asked asked, Time now, std::vector<engine::Event>& events) {
  urgent_ = urgent_ || !std::holds_alternative<Submit>(asked.request);
  std::visit(
      Overloaded{
          [&](Submit& submit) {
            if (submit.recurrence)
              TakeRecurring(std::move(submit), std::move(asked.promise), now);
            else if (const Status found = FindKeys(submit); !found)
              answered_.push_back({std::move(asked.promise), Fail(found.error())});
            else
              TakeSubmission(std::move(submit), std::move(asked.promise), now, events);
          },
          [&](const Cancel& cancel) {
            if (HasEndedLongAgo(cancel.job)) {
              answered_.push_back({std::move(asked.promise), Answer{cancel.job}});
              return;
            }
            ports_.dependencies.Drop(cancel.job);
            Expect(std::move(asked.promise), Answer{cancel.job});
            events.push_back({now, engine::JobCancelled{cancel.job}});
          },
          [&](const ChangeRecurring& change) { TakeChange(change, std::move(asked.promise), now); },
          [&](const Wish& wish) { TakeWish(wish, std::move(asked.promise), now, events); },
      },
      asked.request);
}

// Recurring jobs ----------------------------------------------------------------------------

Status FrontDesk::LoadRecurring() {
  EBB_ASSIGN_OR_RETURN(const auto text, store::GetMeta(ports_.store.database(), kRecurring));
  if (text && !text->empty()) EBB_RETURN_IF_ERROR(ports_.recurring.Load(*text));
  ports_.publisher.SetRecurring(ports_.recurring.View());
  return {};
}

// Becomes durable together with the instances that came of it.
void FrontDesk::KeepRecurring() {
  if (!ports_.recurring.TakeChanged()) return;
  ports_.store.SetMeta(kRecurring, ports_.recurring.Text());
  ports_.publisher.SetRecurring(ports_.recurring.View());
}

void FrontDesk::TakeRecurring(Submit submit, Inbox::Promise promise, Time now) {
  const auto put = [&]() -> Result<Answer> {
    // Said now, and not of each instance some night.
    EBB_RETURN_IF_ERROR(ports_.check_job(submit.submission.job));
    EBB_ASSIGN_OR_RETURN(
        const Time next,
        ports_.recurring.Put({*submit.recurrence, std::move(submit.submission), now}));
    KeepRecurring();
    Answer answer;
    answer.next = next;
    return answer;
  };
  answered_.push_back({std::move(promise), put()});
}

void FrontDesk::TakeChange(const ChangeRecurring& change, Inbox::Promise promise, Time now) {
  using To = ChangeRecurring::To;
  Result<Answer> answer = Answer{};
  const bool found = change.to == To::kRemoved
                         ? ports_.recurring.Remove(change.name)
                         : ports_.recurring.SetPaused(change.name, change.to == To::kPaused, now);
  if (!found) {
    std::vector<std::string> names;
    for (const RecurringView& job : ports_.recurring.View()) names.push_back(job.name);
    answer = Fail(
        {ExitCode::kUsage,
         "there is no recurring job \"" + change.name + "\"" + SuggestionText(change.name, names),
         "", "ebb recurring lists them"});
  }
  KeepRecurring();
  answered_.push_back({std::move(promise), std::move(answer)});
}

void FrontDesk::TakeDue(Time now, std::vector<engine::Event>& events) {
  for (Recurring::Due& due : ports_.recurring.TakeDue(now)) {
    for (const core::JobId job : due.replaces) {
      ports_.dependencies.Drop(job);
      Expect(std::nullopt, Answer{job});
      events.push_back({now, engine::JobCancelled{job, "replaced by its next instance"}});
    }
    TakeSubmission(std::move(due.submission), std::nullopt, now, events);
  }
  KeepRecurring();
}

// Wishes ------------------------------------------------------------------------------------

// The engine knows one hold; whose it is has to be known where a job waits for others, too: their
// end lets go what waits for them, and not what a person holds.
void FrontDesk::TakeWish(const Wish& wish, Inbox::Promise promise, Time now,
                         std::vector<engine::Event>& events) {
  if (HasEndedLongAgo(wish.job)) {
    const Error ended{ExitCode::kUsage, "has ended", "job " + std::to_string(wish.job),
                      "submit it again"};
    answered_.push_back({std::move(promise), Fail(ended)});
    return;
  }
  const bool was_held = held_by_person_.contains(wish.job);
  const bool waits = !ports_.dependencies.WaitsFor(wish.job).empty();
  const bool hold = wish.wish == engine::Wish::kHold;
  if (hold != was_held) RememberHold(wish.job, hold);
  RememberWhy(wish.job, "");
  if (wish.wish == engine::Wish::kNone && was_held && waits) {
    // It goes on waiting for the others.
    answered_.push_back({std::move(promise), Answer{wish.job}});
    return;
  }
  if (!hold) ports_.dependencies.Drop(wish.job);
  Expect(std::move(promise), Answer{wish.job});
  events.push_back({now, engine::JobWished{wish.job, wish.wish}});
}

void FrontDesk::Hold(core::JobId job, const std::string& why) {
  RememberHold(job, true);
  RememberWhy(job, why);
  follow_ups_.emplace_back(engine::JobWished{job, engine::Wish::kHold});
}

// The engine has forgotten it; the store has not.
bool FrontDesk::HasEndedLongAgo(core::JobId job) const {
  if (ports_.publisher.Find(job)) return false;
  const auto found = store::FindJob(ports_.store.database(), job);
  return found && *found && engine::HasEnded((*found)->stage);
}

void FrontDesk::RememberHold(core::JobId job, bool held) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || card->submission->after.empty()) return;
  if (held)
    held_by_person_.insert(job);
  else
    held_by_person_.erase(job);
  const bool waits = !ports_.dependencies.WaitsFor(job).empty();
  ports_.store.SetMeta(store::HoldKey(job), held ? (waits ? kHeldAndWaits : kHeld) : "");
}

// In its detail, which an end replaces.
void FrontDesk::RememberWhy(core::JobId job, const std::string& why) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || engine::HasEnded(card->explanation.stage) || card->detail == why) return;
  ports_.publisher.SetDetail(job, why);
  ports_.store.SetMeta(store::WhyHeldKey(job), why);
}

std::string FrontDesk::WhyHeld(core::JobId job) const {
  const auto meta = store::GetMeta(ports_.store.database(), store::WhyHeldKey(job));
  return meta && *meta ? **meta : "";
}

Status FrontDesk::TakeUpHeld(const core::Submission& submission) {
  if (submission.after.empty()) return {};
  const core::JobId id = submission.job.id;
  EBB_ASSIGN_OR_RETURN(const auto meta,
                       store::GetMeta(ports_.store.database(), store::HoldKey(id)));
  const bool by_person = meta && !meta->empty();
  if (by_person) held_by_person_.insert(id);
  if (by_person && *meta == kHeld) return {};
  Status known;
  const std::vector<core::JobId> pending = PendingOf(submission, known);
  if (!known)
    follow_ups_.emplace_back(engine::JobCancelled{id});
  else if (!ports_.dependencies.Add(id, pending) && !by_person)
    follow_ups_.emplace_back(engine::JobWished{id, engine::Wish::kNone});
  return {};
}

// Keys become numbers here, in the order of the requests: an earlier one of the same batch is
// known.
Status FrontDesk::FindKeys(Submit& submit) {
  for (const std::string& key : submit.after_keys) {
    EBB_ASSIGN_OR_RETURN(const auto job, ports_.store.JobOfKey(key));
    if (!job)
      return Fail({ExitCode::kUsage,
                   "comes after the submission with the key \"" + key + "\", which is not known",
                   "", ""});
    submit.submission.after.push_back(*job);
  }
  return {};
}

// Those among its predecessors that have not ended. An unknown or failed one refuses the job.
std::vector<core::JobId> FrontDesk::PendingOf(const core::Submission& submission, Status& status) {
  std::vector<core::JobId> pending;
  for (const core::JobId after : submission.after) {
    const auto found = store::FindJob(ports_.store.database(), after);
    const JobCard* card = ports_.publisher.Find(after);
    if (!card && (!found || !*found)) {
      status = Fail({ExitCode::kUsage,
                     "comes after job " + std::to_string(after) + ", which is not known", "",
                     "ebb queue lists the jobs"});
    } else {
      const engine::Stage stage = card ? card->explanation.stage : (*found)->stage;
      if (stage == engine::Stage::kSucceeded) continue;
      if (engine::HasEnded(stage))
        status = Fail({ExitCode::kInfeasible,
                       "comes after job " + std::to_string(after) + ", which has not succeeded", "",
                       ""});
      pending.push_back(after);
    }
  }
  return pending;
}

// It is durable together with its first experiment.
Status FrontDesk::BeginSweep(Submit& submit, Time now) {
  if (!submit.sweep) return {};
  NewSweep& sweep = *submit.sweep;
  if (sweep.id == 0) {
    store::SweepRecord record{0, sweep.name, sweep.key, now, sweep.halving};
    EBB_ASSIGN_OR_RETURN(const auto added, ports_.store.AddSweep(record));
    sweep.id = record.id = added.id;
    if (!added.existing) ports_.sweeps.Begin(record);
  }
  submit.submission.sweep = sweep.id;
  return {};
}

void FrontDesk::TakeSubmission(Submit submit, std::optional<Inbox::Promise> promise, Time now,
                               std::vector<engine::Event>& events) {
  core::Submission& submission = submit.submission;
  const auto refuse = [&](Error error) {
    answered_.push_back({std::move(promise), Fail(std::move(error))});
  };
  Status known;
  const std::vector<core::JobId> pending = PendingOf(submission, known);
  if (!known) return refuse(known.error());
  if (const Status begun = BeginSweep(submit, now); !begun) return refuse(begun.error());
  const bool is_new = submission.job.id == 0;
  Answer answer{submission.job.id, false, {}, submission.sweep};
  std::string estimate;
  if (is_new) {
    submission.job.submitted = now;
    estimate = ports_.estimator.Refine(submit);
    const auto added = ports_.store.AddJob(submission);
    if (!added) return refuse(added.error());
    answer.job = added->id;
    answer.existing = added->existing;
    if (added->existing) {
      answered_.push_back({std::move(promise), answer});
      return;
    }
    submission.job.id = added->id;
    submission.identity = added->identity;
  }
  const auto shared = std::make_shared<const core::Submission>(std::move(submission));
  const core::JobId id = shared->job.id;
  Status ready = ports_.add_job(shared);
  if (ready) ready = ports_.sweeps.Add(*shared);
  if (!ready) {
    ports_.store.RefuseJob(id, now, ready.error().Message());
    return refuse(ready.error());
  }
  ports_.recurring.Began(*shared);
  const bool waits = ports_.dependencies.Add(id, pending);
  JobCard card;
  card.explanation.job = id;
  card.waits_for = pending;
  card.submission = shared;
  ports_.publisher.AddJob(std::move(card));
  if (!estimate.empty()) ports_.publisher.Say(now, id, std::move(estimate));
  Expect(std::move(promise), answer);
  events.push_back({now, engine::JobSubmitted{shared->job}});
  if (waits) {
    Expect(std::nullopt, Answer{});
    events.push_back({now, engine::JobWished{id, engine::Wish::kHold}});
  }
}

bool FrontDesk::IsOurs(const engine::Event& event) const {
  return std::holds_alternative<engine::JobSubmitted>(event.fact) ||
         std::holds_alternative<engine::JobCancelled>(event.fact) ||
         std::holds_alternative<engine::JobWished>(event.fact) ||
         std::holds_alternative<engine::EndedForgotten>(event.fact);
}

void FrontDesk::OnTaken(const engine::Event& event) {
  if (!IsOurs(event) || expected_.empty()) return;
  answered_.push_back(std::move(expected_.front()));
  expected_.pop_front();
}

void FrontDesk::OnRefused(const engine::Event& event, const Error& error) {
  if (!IsOurs(event) || expected_.empty()) return;
  expected_.front().answer = Fail(error);
  if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact)) {
    ports_.store.RefuseJob(submitted->job.id, event.at, error.Message());
    ports_.publisher.EraseJob(submitted->job.id);
    ports_.dependencies.Drop(submitted->job.id);
    ports_.recurring.Ended(submitted->job.id);
    ports_.sweeps.End(submitted->job.id);
  }
  answered_.push_back(std::move(expected_.front()));
  expected_.pop_front();
}

void FrontDesk::OnStored() {
  for (Pending& pending : std::exchange(answered_, {}))
    if (pending.promise) pending.promise->set_value(std::move(pending.answer));
}

// What was asked may still come about: the store keeps what it could not write, and tries again.
void FrontDesk::OnTrouble(const Error& error) {
  for (Pending& pending : expected_) answered_.push_back(std::move(pending));
  expected_.clear();
  for (Pending& pending : answered_)
    if (pending.answer) pending.answer = Fail(error);
  OnStored();
}

void FrontDesk::OnEnded(core::JobId job, bool succeeded, const engine::State& state) {
  ports_.recurring.Ended(job);
  ports_.sweeps.End(job);
  for (engine::Fact& fact : ports_.dependencies.TakeEnd(job, succeeded)) {
    const auto* wished = std::get_if<engine::JobWished>(&fact);
    // Somebody let it go before.
    if (wished && (!state.FindHeld(wished->job) || held_by_person_.contains(wished->job))) continue;
    follow_ups_.push_back(std::move(fact));
  }
}

}  // namespace ebb::service
