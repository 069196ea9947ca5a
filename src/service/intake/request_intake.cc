#include "service/intake/request_intake.h"

#include <algorithm>

#include "base/text.h"
#include "core/owner_variables.h"
#include "plan/feasibility/flat_queue.h"
#include "service/intake/known_keys.h"
#include "store/job_notes.h"

namespace ebb::service {
namespace {

// So many at a time that a flush of the disk is shared by many, and nobody waits for long.
constexpr std::size_t kMostAtOnce = 1000;

// Why a job that comes after others is held, when not (only) because it waits for them.
constexpr const char* kRecurring = "recurring jobs";

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

// 0: of none.
core::JobId JobOf(const engine::Fact& fact) {
  if (const auto* controlled = std::get_if<engine::JobControlled>(&fact)) return controlled->job;
  const auto* cancelled = std::get_if<engine::JobCancelled>(&fact);
  return cancelled ? cancelled->job : 0;
}

// The number of what was refused is given to another.
Error WithoutNumber(Error error, const core::Job& job) {
  if (error.where == plan::NameOf(job)) error.where = job.name;
  return error;
}

template <class T>
T PopFront(std::deque<T>& queue) {
  T front = std::move(queue.front());
  queue.pop_front();
  return front;
}

}  // namespace

bool RequestIntake::HasComeIn() const {
  return !resubmitted_.empty() || !follow_ups_.empty() || !ports_.inbox.empty();
}

Time RequestIntake::NextAt() const {
  if (HasComeIn()) return Time::min();
  return std::min(ports_.recurring.NextAt(), ports_.own_due());
}

Duration RequestIntake::Patience() const { return urgent_ ? Duration::zero() : ports_.patience(); }

void RequestIntake::Resubmit(std::vector<core::Submission> submissions) {
  resubmitted_.assign(std::make_move_iterator(submissions.begin()),
                      std::make_move_iterator(submissions.end()));
}

void RequestIntake::Expect(std::optional<Inbox::Promise> promise, Result<Answer> answer) {
  expected_.push_back({std::move(promise), std::move(answer)});
}

// One thing at a time: what became of it decides about those that come after it.
std::vector<engine::Event> RequestIntake::Take(Time now) {
  std::vector<engine::Event> events;
  while (events.empty() && TakeNext(now, events)) {
  }
  return events;
}

// False: nothing more has come in.
bool RequestIntake::TakeNext(Time now, std::vector<engine::Event>& events) {
  if (!resubmitted_.empty()) {
    TakeSubmission(PopFront(resubmitted_), std::nullopt, now, events);
    return true;
  }
  if (!follow_ups_.empty()) {
    for (engine::Fact& fact : std::exchange(follow_ups_, {})) {
      Expect(std::nullopt, Answer{});
      events.push_back({now, std::move(fact)});
    }
    urgent_ = true;
    return true;
  }
  if (!round_) {
    round_.emplace();
    for (Inbox::Asked& asked : ports_.inbox.Take(kMostAtOnce))
      round_->asked.push_back(std::move(asked));
    for (Recurring::Due& due : ports_.recurring.TakeDue(now)) round_->due.push_back(std::move(due));
    return true;
  }
  if (!round_->asked.empty()) {
    TakeRequest(PopFront(round_->asked), now, events);
    return true;
  }
  if (!round_->due.empty()) {
    TakeInstance(PopFront(round_->due), now, events);
    return true;
  }
  round_.reset();
  KeepRecurring();
  return false;
}

void RequestIntake::TakeRequest(Inbox::Asked asked, Time now, std::vector<engine::Event>& events) {
  urgent_ = urgent_ || !std::holds_alternative<Submit>(asked.request);
  std::visit(
      Overloaded{
          [&](Submit& submit) {
            if (submit.recurrence)
              TakeRecurring(std::move(submit), std::move(asked.promise), now);
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
          [&](const ChangeBudget& change) {
            answered_.push_back({std::move(asked.promise), ChangedBudget(change)});
          },
          [&](const ChangeDevice& change) {
            Answer answer;
            const auto changed = ports_.change_device(change);
            if (changed) answer.device = *changed;
            answered_.push_back({std::move(asked.promise), changed
                                                               ? Result<Answer>(std::move(answer))
                                                               : Fail(changed.error())});
          },
          [&](const ControlJob& control) {
            TakeControl(control, std::move(asked.promise), now, events);
          },
          [&](const ChangeJob& change) {
            TakeChange(change, std::move(asked.promise), now, events);
          },
          [&](const ChangeDrain& change) {
            TakeDrain(change, std::move(asked.promise), now, events);
          },
      },
      asked.request);
}

bool RequestIntake::closed() const { return ports_.is_last && !round_ && NextAt() == Time::max(); }

// Budgets -----------------------------------------------------------------------------------

Result<Answer> RequestIntake::ChangedBudget(const ChangeBudget& change) {
  Answer answer{change.job, false, {}, change.sweep};
  if (change.sweep > 0) {
    EBB_RETURN_IF_ERROR(ports_.sweep_budgets.Change(change.sweep, change.budget));
    return answer;
  }
  const JobCard* card = ports_.publisher.Find(change.job);
  if (!card || engine::HasEnded(card->explanation.stage))
    return Fail({ExitCode::kUsage, card ? "has ended" : "is not known, or ended long ago",
                 "job " + std::to_string(change.job), "ebb queue lists the jobs"});
  auto changed = std::make_shared<core::Submission>(*card->submission);
  changed->budget = change.budget;
  ports_.store.ReplaceSubmission(*changed);
  ports_.replace_job(changed);
  ports_.publisher.SetSubmission(std::move(changed));
  return answer;
}

// Changes of jobs ---------------------------------------------------------------------------

void RequestIntake::TakeChange(const ChangeJob& change, Inbox::Promise promise, Time now,
                               std::vector<engine::Event>& events) {
  engine::JobChanged fact{change.job, change.change};
  if (change.start_within) fact.change.start_by = now + *change.start_within;
  if (change.finish_within) fact.change.finish_by = now + *change.finish_within;
  const auto checked = [&]() -> Result<Answer> {
    if (HasEndedLongAgo(change.job))
      return Fail({ExitCode::kUsage, "has ended", "job " + std::to_string(change.job),
                   "submit it again, with ebb restart"});
    Answer answer{change.job};
    EBB_ASSIGN_OR_RETURN(answer.changed, ports_.check_change(fact, now));
    return answer;
  }();
  if (!checked || change.only_check) {
    answered_.push_back({std::move(promise), checked});
    return;
  }
  Expect(std::move(promise), *checked);
  events.push_back({now, std::move(fact)});
}

// Stored with the fact: the next life finds both or none of them.
void RequestIntake::FollowChange(const engine::JobChanged& fact) {
  const JobCard* card = ports_.publisher.Find(fact.job);
  if (!card) return;
  auto changed = std::make_shared<core::Submission>(*card->submission);
  changed->job = core::Changed(std::move(changed->job), fact.change);
  ports_.store.ReplaceSubmission(*changed);
  ports_.replace_job(changed);
  ports_.publisher.SetSubmission(std::move(changed));
}

// Draining ----------------------------------------------------------------------------------

// Another one takes the place of the one that is.
void RequestIntake::TakeDrain(const ChangeDrain& change, Inbox::Promise promise, Time now,
                              std::vector<engine::Event>& events) {
  std::optional<engine::Drain> drain;
  if (!change.end) {
    const auto& before = ports_.publisher.drain();
    drain = {before ? before->since : now, change.until, change.why};
    if (change.within) drain->until = now + *change.within;
  }
  Expect(std::move(promise), Answer{});
  events.push_back({now, engine::DrainSet{std::move(drain)}});
}

// Recurring jobs ----------------------------------------------------------------------------

Status RequestIntake::LoadRecurring() {
  EBB_ASSIGN_OR_RETURN(const auto text, store::GetMeta(ports_.store.database(), kRecurring));
  if (text && !text->empty()) EBB_RETURN_IF_ERROR(ports_.recurring.Load(*text));
  ports_.publisher.SetRecurring(ports_.recurring.View());
  return {};
}

// Becomes durable together with the instances that came of it.
void RequestIntake::KeepRecurring() {
  if (!ports_.recurring.TakeChanged()) return;
  ports_.store.SetMeta(kRecurring, ports_.recurring.Text());
  ports_.publisher.SetRecurring(ports_.recurring.View());
}

void RequestIntake::TakeRecurring(Submit submit, Inbox::Promise promise, Time now) {
  const auto put = [&]() -> Result<Answer> {
    // Said now, and not of each instance some night.
    if (submit.cannot_start) return Fail(*submit.cannot_start);
    const core::Job& job = submit.submission.job;
    if (const Status fits = ports_.check_job(job); !fits)
      return Fail(WithoutNumber(fits.error(), job));
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

void RequestIntake::TakeChange(const ChangeRecurring& change, Inbox::Promise promise, Time now) {
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

// Holding, releasing and running single jobs at once -----------------------------------------

// The engine knows one hold; whose it is has to be known where a job waits for others, too: their
// end lets go what waits for them, and not what a person holds.
void RequestIntake::TakeControl(const ControlJob& control, Inbox::Promise promise, Time now,
                                std::vector<engine::Event>& events) {
  if (HasEndedLongAgo(control.job)) {
    const Error ended{ExitCode::kUsage, "has ended", "job " + std::to_string(control.job),
                      "submit it again"};
    answered_.push_back({std::move(promise), Fail(ended)});
    return;
  }
  const bool was_held = held_by_person_.contains(control.job);
  const bool waits = !ports_.dependencies.WaitsFor(control.job).empty();
  const bool hold = control.control == engine::JobControl::kHold;
  if (hold != was_held) RememberHold(control.job, hold);
  RememberWhy(control.job, control.why);
  if (control.control == engine::JobControl::kNone && was_held && waits) {
    // It goes on waiting for the others.
    answered_.push_back({std::move(promise), Answer{control.job}});
    return;
  }
  if (!hold) ports_.dependencies.Drop(control.job);
  Expect(std::move(promise), Answer{control.job});
  events.push_back({now, engine::JobControlled{control.job, control.control}});
}

void RequestIntake::Hold(core::JobId job, const std::string& why) {
  RememberHold(job, true);
  RememberWhy(job, why);
  follow_ups_.emplace_back(engine::JobControlled{job, engine::JobControl::kHold});
}

void RequestIntake::LetGo(core::JobId job) {
  RememberHold(job, false);
  RememberWhy(job, "");
  follow_ups_.emplace_back(engine::JobControlled{job, engine::JobControl::kNone});
}

// The engine has forgotten it; the store has not.
bool RequestIntake::HasEndedLongAgo(core::JobId job) const {
  if (ports_.publisher.Find(job)) return false;
  const auto found = store::FindJob(ports_.store.database(), job);
  return found && *found && engine::HasEnded((*found)->stage);
}

void RequestIntake::RememberHold(core::JobId job, bool held) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || card->submission->after.empty()) return;
  if (held)
    held_by_person_.insert(job);
  else
    held_by_person_.erase(job);
  const bool waits = !ports_.dependencies.WaitsFor(job).empty();
  using store::PersonHold;
  const PersonHold by_person = waits ? PersonHold::kHeldAndWaits : PersonHold::kHeld;
  ports_.store.SetHold(job, held ? by_person : PersonHold::kNone);
}

// In its detail, which an end replaces.
void RequestIntake::RememberWhy(core::JobId job, const std::string& why) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || engine::HasEnded(card->explanation.stage) || card->detail == why) return;
  ports_.publisher.SetDetail(job, why);
  ports_.store.SetWhyHeld(job, why);
}

std::string RequestIntake::WhyHeld(core::JobId job) const {
  const auto notes = store::NotesOf(ports_.store.database(), job);
  return notes ? notes->why_held : "";
}

Status RequestIntake::TakeUpHeld(const core::Submission& submission) {
  if (submission.after.empty()) return {};
  const core::JobId id = submission.job.id;
  EBB_ASSIGN_OR_RETURN(const store::JobNotes notes, store::NotesOf(ports_.store.database(), id));
  const bool by_person = notes.hold != store::PersonHold::kNone;
  if (by_person) held_by_person_.insert(id);
  if (notes.hold == store::PersonHold::kHeld) return {};
  Status known;
  const std::vector<core::JobId> pending = PendingOf(submission, known);
  if (!known)
    follow_ups_.emplace_back(engine::JobCancelled{id});
  else if (!ports_.dependencies.Add(id, pending) && !by_person)
    follow_ups_.emplace_back(engine::JobControlled{id, engine::JobControl::kNone});
  return {};
}

// Those among its predecessors that have not ended. An unknown or failed one refuses the job.
std::vector<core::JobId> RequestIntake::PendingOf(const core::Submission& submission,
                                                  Status& status) {
  std::vector<core::JobId> pending;
  for (const core::JobId after : submission.after) {
    const auto found = store::FindJob(ports_.store.database(), after);
    const JobCard* card = ports_.publisher.Find(after);
    if (!card && (!found || !*found)) {
      status = Fail({ExitCode::kUsage,
                     "depends on job " + std::to_string(after) + ", which is not known", "",
                     "ebb queue lists the jobs"});
    } else {
      const engine::Stage stage = card ? card->explanation.stage : (*found)->stage;
      if (stage == engine::Stage::kSucceeded) continue;
      if (engine::HasEnded(stage))
        status =
            Fail({ExitCode::kInfeasible,
                  "depends on job " + std::to_string(after) + ", which has not succeeded", "", ""});
      pending.push_back(after);
    }
  }
  return pending;
}

// It is durable together with its first experiment. True: it is new.
Result<bool> RequestIntake::BeginSweep(Submit& submit, Time now) {
  if (!submit.sweep) return false;
  NewSweep& sweep = *submit.sweep;
  bool is_new = false;
  if (sweep.id == 0) {
    store::SweepRecord record{0,
                              sweep.name,
                              sweep.key,
                              now,
                              sweep.halving,
                              sweep.budget,
                              core::VariableOf(submit.submission, core::kUserVariable)};
    EBB_ASSIGN_OR_RETURN(const auto added, ports_.store.AddSweep(record));
    sweep.id = record.id = added.id;
    is_new = !added.existing;
    if (is_new) ports_.sweeps.Begin(record);
    if (is_new) ports_.sweep_budgets.Begin(record);
  }
  submit.submission.sweep = sweep.id;
  return is_new;
}

// Somebody waits for the answer, or reads it among what happened.
void RequestIntake::Refuse(std::optional<Inbox::Promise> promise,
                           const core::Submission& submission, bool is_new, Time now, Error error) {
  if (is_new) error = WithoutNumber(std::move(error), submission.job);
  if (promise) {
    answered_.push_back({std::move(promise), Fail(std::move(error))});
    return;
  }
  const std::string what =
      submission.recurring.empty() ? "refused" : submission.recurring + ": its instance is refused";
  ports_.publisher.Say(now, is_new ? 0 : submission.job.id, what + ": " + error.Message(), true);
}

Status RequestIntake::MakeKnown(const SharedSubmission& submission,
                                std::vector<core::JobId> pending) {
  EBB_RETURN_IF_ERROR(ports_.sweeps.Add(*submission));
  EBB_RETURN_IF_ERROR(ports_.sweep_budgets.Add(*submission));
  EBB_RETURN_IF_ERROR(ports_.add_job(submission));
  ports_.recurring.Began(*submission);
  JobCard card;
  card.explanation.job = submission->job.id;
  card.waits_for = std::move(pending);
  card.submission = submission;
  ports_.publisher.AddJob(std::move(card));
  return {};
}

// It was refused: only one of an earlier life leaves a trace, as its number is known.
void RequestIntake::Undo(const Taking& taking, Time now, const Error& error) {
  const core::JobId id = taking.submission->job.id;
  ports_.publisher.EraseJob(id);
  ports_.dependencies.Drop(id);
  ports_.recurring.Ended(id);
  ports_.forget_job(id);
  if (taking.is_new) {
    ports_.store.TakeBack(taking.before);
    if (taking.begun) taking.begun->id = 0;
  } else {
    // On a full disk it is stored later.
    std::ignore = ports_.store.RefuseJob(id, now, error.Message());
  }
  ports_.sweeps.End(id);
  ports_.sweep_budgets.End(id);
}

// What it replaces goes on where it is refused.
void RequestIntake::TakeInstance(Recurring::Due due, Time now, std::vector<engine::Event>& events) {
  if (const auto known = KnownByKey(ports_.store, ports_.publisher, due.submission);
      known && *known) {
    ports_.publisher.Say(now, (*known)->job,
                         "this instance came while the clock ran ahead, and comes once only");
    return;
  }
  Submit submit(std::move(due.submission));
  if (!due.replaces.empty()) {
    submit.submission.job.submitted = now;
    std::ignore = ports_.estimator.Refine(submit);
    const core::Job& job = submit.submission.job;
    if (const Status fits = ports_.check_without(job, now, due.replaces); !fits)
      return Refuse(std::nullopt, submit.submission, true, now, fits.error());
  }
  for (const core::JobId replaced : due.replaces) {
    ports_.dependencies.Drop(replaced);
    Expect(std::nullopt, Answer{replaced});
    events.push_back({now, engine::JobCancelled{replaced, "replaced by its next instance"}});
  }
  TakeSubmission(std::move(submit), std::nullopt, now, events);
}

void RequestIntake::TakeSubmission(Submit submit, std::optional<Inbox::Promise> promise, Time now,
                                   std::vector<engine::Event>& events) {
  core::Submission& submission = submit.submission;
  const auto refuse = [&](Error error) {
    Refuse(std::move(promise), submission, true, now, std::move(error));
  };
  Taking taking;
  taking.is_new = submission.job.id == 0;
  taking.before = ports_.store.mark();
  if (taking.is_new) {
    auto known = KnownByKey(ports_.store, ports_.publisher, submission);
    if (known && !*known) known = KnownBySweepKey(ports_.store, submit);
    if (!known) return refuse(known.error());
    if (*known) return answered_.push_back({std::move(promise), **known});
    if (submit.cannot_start) return refuse(*submit.cannot_start);
    if (const Status found = FindKeys(ports_.store, submit); !found) return refuse(found.error());
  }
  Status ready;
  const std::vector<core::JobId> pending = PendingOf(submission, ready);
  if (!ready && taking.is_new) return refuse(ready.error());
  if (taking.is_new) {
    submission.job.submitted = std::min(now, submit.since.value_or(now));
    if (submit.start_within) submission.job.start_by = now + *submit.start_within;
    if (submit.finish_within) submission.job.finish_by = now + *submit.finish_within;
    taking.estimate = ports_.estimator.Refine(submit);
    const auto begun = BeginSweep(submit, now);
    if (!begun) return refuse(begun.error());
    if (*begun) taking.begun = submit.sweep;
    const auto added = ports_.store.AddJob(submission);
    if (!added) return refuse(added.error());
    submission.job.id = added->id;
    submission.identity = added->identity;
  }
  taking.submission = std::make_shared<const core::Submission>(std::move(submission));
  const core::Submission& taken = *taking.submission;
  if (ready) {
    ready = ports_.check_job(taken.job);
    if (!ready) ++ports_.publisher.counters().refused;
  }
  if (ready) ready = MakeKnown(taking.submission, pending);
  if (!ready) {
    Undo(taking, now, ready.error());
    return Refuse(std::move(promise), taken, taking.is_new, now, ready.error());
  }
  Expect(std::move(promise), Answer{taken.job.id, false, {}, taken.sweep});
  events.push_back({now, engine::JobSubmitted{taken.job}});
  if (ports_.dependencies.Add(taken.job.id, pending)) {
    Expect(std::nullopt, Answer{});
    events.push_back({now, engine::JobControlled{taken.job.id, engine::JobControl::kHold}});
  }
  taking_ = std::move(taking);
}

bool RequestIntake::IsOurs(const engine::Event& event) const {
  return std::holds_alternative<engine::JobSubmitted>(event.fact) ||
         std::holds_alternative<engine::JobCancelled>(event.fact) ||
         std::holds_alternative<engine::JobControlled>(event.fact) ||
         std::holds_alternative<engine::JobChanged>(event.fact) ||
         std::holds_alternative<engine::DrainSet>(event.fact) ||
         std::holds_alternative<engine::EndedForgotten>(event.fact);
}

void RequestIntake::OnTaken(const engine::Event& event) {
  if (!IsOurs(event) || expected_.empty()) return;
  if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact);
      submitted && taking_) {
    if (!taking_->estimate.empty())
      ports_.publisher.Say(event.at, submitted->job.id, std::move(taking_->estimate));
    taking_.reset();
  }
  if (const auto* changed = std::get_if<engine::JobChanged>(&event.fact)) FollowChange(*changed);
  const bool waits = std::holds_alternative<engine::DrainSet>(event.fact);
  (waits ? undecided_ : answered_).push_back(PopFront(expected_));
}

void RequestIntake::OnRefused(const engine::Event& event, const Error& error) {
  if (!IsOurs(event) || expected_.empty()) return;
  Pending pending = PopFront(expected_);
  if (std::holds_alternative<engine::JobSubmitted>(event.fact) && taking_) {
    const Taking taking = *std::exchange(taking_, std::nullopt);
    Undo(taking, event.at, error);
    Refuse(std::move(pending.promise), *taking.submission, taking.is_new, event.at, error);
    return;
  }
  // A follow-up may come too late, which is no news.
  const JobCard* card = ports_.publisher.Find(JobOf(event.fact));
  if (!pending.promise && card && !engine::HasEnded(card->explanation.stage))
    ports_.publisher.Say(event.at, card->submission->job.id, error.Message());
  pending.answer = Fail(error);
  answered_.push_back(std::move(pending));
}

void RequestIntake::OnStored() {
  for (Pending& pending : std::exchange(answered_, {}))
    if (pending.promise) pending.promise->set_value(std::move(pending.answer));
}

// Why many jobs only wait on is told by the next decision, which is due at once.
void RequestIntake::OnDecided(const engine::Decision& decision) {
  urgent_ = false;
  if (decision.wake_at <= decision.at) return;
  for (Pending& pending : std::exchange(undecided_, {}))
    if (pending.promise) pending.promise->set_value(std::move(pending.answer));
}

// What was asked may still come about: the store keeps what it could not write, and tries again.
void RequestIntake::OnTrouble(const Error& error) {
  for (Pending& pending : expected_) answered_.push_back(std::move(pending));
  expected_.clear();
  for (Pending& pending : std::exchange(undecided_, {})) answered_.push_back(std::move(pending));
  for (Pending& pending : answered_)
    if (pending.answer) pending.answer = Fail(error);
  OnStored();
}

void RequestIntake::OnEnded(core::JobId job, bool succeeded, const engine::State& state) {
  ports_.recurring.Ended(job);
  ports_.sweeps.End(job);
  ports_.sweep_budgets.End(job);
  held_by_person_.erase(job);
  for (engine::Fact& fact : ports_.dependencies.TakeEnd(job, succeeded)) {
    const auto* controlled = std::get_if<engine::JobControlled>(&fact);
    // Somebody let it go before.
    if (controlled &&
        (!state.FindHeld(controlled->job) || held_by_person_.contains(controlled->job)))
      continue;
    follow_ups_.push_back(std::move(fact));
  }
}

}  // namespace ebb::service
