#include "service/intake/submission_intake.h"

#include <algorithm>

#include "core/jobs/widths.h"
#include "service/intake/known_keys.h"
#include "service/intake/predecessors.h"
#include "service/intake/refusal.h"

namespace ebb::service {
namespace {

// Trackers are written to from this machine, so their jobs run here.
Status KeepAtTrackers(core::Submission& submission, const core::Cluster& devices) {
  if (submission.tracking.empty() || devices.sites.size() < 2) return {};
  const std::string& here = devices.sites.front().name;
  std::vector<std::string>& sites = submission.job.sites;
  if (!sites.empty() && std::ranges::find(sites, here) == sites.end())
    return Fail({ExitCode::kUsage, "has a tracker, and trackers get nothing from other sites",
                 "job \"" + submission.job.name + "\"",
                 "leave the tracker out, or allow --sites " + here});
  sites = {here};
  return {};
}

}  // namespace

void SubmissionIntake::Take(Submit submit, Asker asker, Time now, Events& events) {
  OnItsWay way;
  way.is_new = submit.submission.job.id == 0;
  way.before = ports_.store.mark();
  Result<std::vector<core::JobId>> pending;
  if (way.is_new) {
    auto checked = Check(submit);
    if (checked && checked->known)
      return ports_.answers.AnswerOnceStored(std::move(asker), *std::move(checked->known));
    const Status added = checked ? AddToStore(submit, now, way) : Status(Fail(checked.error()));
    if (!added) return Refuse(std::move(asker), submit.submission, true, now, added.error());
    pending = std::move(checked->pending);
  } else {
    pending = UnfinishedPredecessors(ports_.store, ports_.publisher, submit.submission);
  }
  way.submission = std::make_shared<const core::Submission>(std::move(submit.submission));
  if (const Status entered = Enter(way, pending); !entered) {
    Undo(way, now, entered.error());
    return Refuse(std::move(asker), *way.submission, way.is_new, now, entered.error());
  }
  HandOut(std::move(way), *pending, std::move(asker), now, events);
}

Result<SubmissionIntake::Checked> SubmissionIntake::Check(Submit& submit) const {
  Checked checked;
  EBB_ASSIGN_OR_RETURN(checked.known,
                       KnownByKey(ports_.store, ports_.publisher, submit.submission));
  if (checked.known) return checked;
  EBB_ASSIGN_OR_RETURN(checked.known, KnownBySweepKey(ports_.store, submit));
  if (checked.known) return checked;
  if (submit.cannot_start) return Fail(*submit.cannot_start);
  EBB_RETURN_IF_ERROR(KeepAtTrackers(submit.submission, ports_.checks.Devices()));
  EBB_RETURN_IF_ERROR(FindKeys(ports_.store, submit));
  EBB_ASSIGN_OR_RETURN(checked.pending,
                       UnfinishedPredecessors(ports_.store, ports_.publisher, submit.submission));
  return checked;
}

Status SubmissionIntake::AddToStore(Submit& submit, Time now, OnItsWay& way) {
  core::Submission& submission = submit.submission;
  submission.job.submitted = std::min(now, submit.since.value_or(now));
  if (submit.start_within) submission.job.start_by = now + *submit.start_within;
  if (submit.finish_within) submission.job.finish_by = now + *submit.finish_within;
  way.estimate = ports_.estimator.Refine(submit);
  ExpectPowerCap(submission, now, way);
  ExpectWidths(submission, now, way);
  EBB_ASSIGN_OR_RETURN(const bool is_new_sweep, ports_.sweeps.Begin(submit, now));
  if (is_new_sweep) way.begun = submit.sweep;
  EBB_ASSIGN_OR_RETURN(const auto added, ports_.store.AddJob(submission));
  submission.job.id = added.id;
  submission.identity = added.identity;
  return {};
}

// A deadline that is far away lets the job run slower and cleaner; a near one does not.
void SubmissionIntake::ExpectPowerCap(core::Submission& submission, Time now, OnItsWay& way) const {
  core::Job& job = submission.job;
  auto expected = ports_.power_choices.Expected(submission, ports_.checks.Devices(), now);
  if (expected.empty()) return;
  job.overrides = std::move(expected);
  const std::string between = way.estimate.empty() ? "" : "; ";
  if (!job.finish_by || ports_.checks.CheckWithout(job, now, {})) {
    way.estimate += between + "planned under the power cap that is known for its program";
    return;
  }
  job.overrides.clear();
  way.estimate += between + "runs without a power cap, because its finish-by is too near";
}

// Earlier jobs of the program tell how fast it is at each width.
void SubmissionIntake::ExpectWidths(core::Submission& submission, Time now, OnItsWay& way) const {
  core::Job& job = submission.job;
  job.learned_speedup.clear();
  if (!core::IsElastic(job)) return;
  const auto measured = ports_.widths.Measured(submission, now);
  job.learned_speedup = core::LearnedSpeedup(job, measured);
  if (core::LargestChange(job, job.speedup, job.learned_speedup) <= kTellsFrom) return;
  way.estimate +=
      (way.estimate.empty() ? "" : "; ") + SpeedupText(job, job.learned_speedup, measured);
}

Status SubmissionIntake::Enter(const OnItsWay& way,
                               const Result<std::vector<core::JobId>>& pending) {
  if (!pending) return Fail(pending.error());
  const Status runs = ports_.checks.CheckDevices(way.submission->job);
  if (!runs) ++ports_.publisher.counters().refused;
  EBB_RETURN_IF_ERROR(runs);
  return MakeKnown(way.submission, *pending);
}

Status SubmissionIntake::MakeKnown(const SharedSubmission& submission,
                                   std::vector<core::JobId> pending) {
  EBB_RETURN_IF_ERROR(ports_.sweeps.Add(*submission));
  EBB_RETURN_IF_ERROR(ports_.jobs.Add(submission));
  ports_.recurring.Began(*submission);
  JobCard card;
  card.explanation.job = submission->job.id;
  card.waits_for = std::move(pending);
  card.submission = submission;
  ports_.publisher.AddJob(std::move(card));
  return {};
}

// A job that waits for its predecessors is held from the beginning.
void SubmissionIntake::HandOut(OnItsWay way, const std::vector<core::JobId>& pending, Asker asker,
                               Time now, Events& events) {
  const core::Submission& submission = *way.submission;
  const core::JobId id = submission.job.id;
  events.push_back(ports_.answers.HandOut({now, engine::JobSubmitted{submission.job}},
                                          std::move(asker),
                                          Answer{id, false, {}, submission.sweep}));
  const runtime::Ticket ticket = events.back().ticket;
  if (ports_.dependencies.Add(id, pending))
    events.push_back(ports_.answers.HandOut(
        {now, engine::JobControlled{id, engine::JobControl::kHold}}, std::nullopt, Answer{}));
  on_their_way_.emplace(ticket, std::move(way));
}

void SubmissionIntake::TakeInstance(Recurring::Due due, Time now, Events& events) {
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
    if (const Status fits = ports_.checks.CheckWithout(job, now, due.replaces); !fits)
      return Refuse(std::nullopt, submit.submission, true, now, fits.error());
  }
  for (const core::JobId replaced : due.replaces) {
    ports_.dependencies.Drop(replaced);
    events.push_back(ports_.answers.HandOut(
        {now, engine::JobCancelled{replaced, "replaced by its next instance"}}, std::nullopt,
        Answer{replaced}));
  }
  Take(std::move(submit), std::nullopt, now, events);
}

void SubmissionIntake::OnTaken(runtime::Ticket ticket, const engine::Event& event) {
  auto way = on_their_way_.extract(ticket);
  if (way.empty() || way.mapped().estimate.empty()) return;
  ports_.publisher.Say(event.at, way.mapped().submission->job.id, std::move(way.mapped().estimate));
}

bool SubmissionIntake::OnRefused(runtime::Ticket ticket, const engine::Event& event,
                                 const Error& error) {
  const auto way = on_their_way_.extract(ticket);
  if (way.empty()) return false;
  const OnItsWay& refused = way.mapped();
  const core::Submission& submission = *refused.submission;
  Undo(refused, event.at, error);
  const Error refusal = refused.is_new ? WithoutNumber(error, submission.job) : error;
  if (!ports_.answers.Refused(ticket, refusal))
    TellRefusal(submission, refused.is_new, event.at, refusal);
  return true;
}

void SubmissionIntake::Refuse(Asker asker, const core::Submission& submission, bool is_new,
                              Time now, Error error) {
  if (is_new) error = WithoutNumber(std::move(error), submission.job);
  if (asker)
    ports_.answers.AnswerOnceStored(std::move(asker), Fail(std::move(error)));
  else
    TellRefusal(submission, is_new, now, error);
}

// Nobody waits for an answer, so people read of the refusal among the events.
void SubmissionIntake::TellRefusal(const core::Submission& submission, bool is_new, Time now,
                                   const Error& error) {
  const std::string what =
      submission.recurring.empty() ? "refused" : submission.recurring + ": its instance is refused";
  ports_.publisher.Say(now, is_new ? 0 : submission.job.id, what + ": " + error.Message(), true);
}

// The reverse of MakeKnown and AddToStore. A submission of an earlier life stays in the store as a
// failed job, because somebody was told its number.
void SubmissionIntake::Undo(const OnItsWay& way, Time now, const Error& error) {
  const core::JobId id = way.submission->job.id;
  ports_.publisher.EraseJob(id);
  ports_.dependencies.Drop(id);
  ports_.recurring.Ended(id);
  ports_.jobs.Forget(id);
  if (way.is_new) {
    ports_.store.TakeBack(way.before);
    if (way.begun) way.begun->id = 0;
  } else {
    // If the disk is full, the store writes this later.
    std::ignore = ports_.store.RefuseJob(id, now, error.Message());
  }
  ports_.sweeps.End(id);
}

Status SubmissionIntake::Recover(const SharedSubmission& submission, bool is_held) {
  EBB_RETURN_IF_ERROR(ports_.jobs.Add(submission));
  ports_.recurring.Began(*submission);
  EBB_RETURN_IF_ERROR(ports_.sweeps.Add(*submission, true));
  return is_held ? RecoverHold(*submission) : Status{};
}

// Predecessors may have ended after the last decision that was stored: that is followed now.
Status SubmissionIntake::RecoverHold(const core::Submission& submission) {
  if (submission.after.empty()) return {};
  const core::JobId id = submission.job.id;
  EBB_ASSIGN_OR_RETURN(const store::JobNotes notes, ports_.store.jobs().NotesOf(id));
  const bool by_person = ports_.holds.Recover(id, notes);
  if (notes.hold == store::PersonHold::kHeld) return {};
  const auto pending = UnfinishedPredecessors(ports_.store, ports_.publisher, submission);
  if (!pending)
    ports_.facts.Push(engine::JobCancelled{id});
  else if (!ports_.dependencies.Add(id, *pending) && !by_person)
    ports_.facts.Push(engine::JobControlled{id, engine::JobControl::kNone});
  return {};
}

void SubmissionIntake::OnEnded(core::JobId job, bool succeeded, const engine::State& state) {
  ports_.recurring.Ended(job);
  ports_.sweeps.End(job);
  ports_.holds.OnEnded(job);
  for (engine::Fact& fact : ports_.dependencies.TakeEnd(job, succeeded)) {
    const auto* release = std::get_if<engine::JobControlled>(&fact);
    const bool is_moot =
        release && (!state.FindHeld(release->job) || ports_.holds.IsHeld(release->job));
    if (!is_moot) ports_.facts.Push(std::move(fact));
  }
}

}  // namespace ebb::service
