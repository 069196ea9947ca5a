#include "service/intake/job_change_intake.h"

namespace ebb::service {

void JobChangeIntake::Take(const Cancel& cancel, Inbox::Promise asker, Time now, Events& events) {
  if (HasEndedLongAgo(cancel.job))
    return ports_.answers.AnswerOnceStored(std::move(asker), Answer{cancel.job});
  ports_.dependencies.Drop(cancel.job);
  events.push_back(ports_.answers.HandOut({now, engine::JobCancelled{cancel.job}}, std::move(asker),
                                          Answer{cancel.job}));
}

void JobChangeIntake::Take(const ControlJob& control, Inbox::Promise asker, Time now,
                           Events& events) {
  const core::JobId job = control.job;
  if (HasEndedLongAgo(job))
    return ports_.answers.AnswerOnceStored(
        std::move(asker),
        Fail({ExitCode::kUsage, "has ended", "job " + std::to_string(job), "submit it again"}));
  const bool was_held = ports_.holds.IsHeld(job);
  const bool waits = !ports_.dependencies.WaitsFor(job).empty();
  const bool hold = control.control == engine::JobControl::kHold;
  ports_.holds.Remember(job, hold, control.why);
  // A released job with predecessors goes on waiting for them: the engine holds it as before.
  if (control.control == engine::JobControl::kNone && was_held && waits)
    return ports_.answers.AnswerOnceStored(std::move(asker), Answer{job});
  if (!hold) ports_.dependencies.Drop(job);
  events.push_back(ports_.answers.HandOut({now, engine::JobControlled{job, control.control}},
                                          std::move(asker), Answer{job}));
}

void JobChangeIntake::Take(const ChangeJob& change, Inbox::Promise asker, Time now,
                           Events& events) {
  engine::JobChanged fact{change.job, change.change};
  if (change.start_within) fact.change.start_by = now + *change.start_within;
  if (change.finish_within) fact.change.finish_by = now + *change.finish_within;
  const Result<Answer> checked = Checked(change, fact, now);
  if (!checked || change.only_check)
    return ports_.answers.AnswerOnceStored(std::move(asker), checked);
  events.push_back(ports_.answers.HandOut({now, std::move(fact)}, std::move(asker), *checked));
}

Result<Answer> JobChangeIntake::Checked(const ChangeJob& change, const engine::JobChanged& fact,
                                        Time now) const {
  if (HasEndedLongAgo(change.job))
    return Fail({ExitCode::kUsage, "has ended", "job " + std::to_string(change.job),
                 "submit it again, with ebb restart"});
  Answer answer{change.job};
  EBB_ASSIGN_OR_RETURN(answer.changed, ports_.checks.CheckChange(fact, now));
  return answer;
}

void JobChangeIntake::OnTaken(const engine::JobChanged& fact) {
  const JobCard* card = ports_.publisher.Find(fact.job);
  if (!card) return;
  auto changed = std::make_shared<core::Submission>(*card->submission);
  changed->job = core::Changed(std::move(changed->job), fact.change);
  Replace(std::move(changed));
}

void JobChangeIntake::OnTaken(const engine::SpeedupLearned& fact) {
  const JobCard* card = ports_.publisher.Find(fact.job);
  if (!card || engine::HasEnded(card->explanation.stage)) return;
  auto changed = std::make_shared<core::Submission>(*card->submission);
  changed->job.learned_speedup = fact.speedup;
  Replace(std::move(changed));
}

void JobChangeIntake::Take(const ChangeBudget& change, Inbox::Promise asker) {
  ports_.answers.AnswerOnceStored(std::move(asker), Changed(change));
}

Result<Answer> JobChangeIntake::Changed(const ChangeBudget& change) {
  Answer answer{change.job, false, {}, change.sweep};
  if (change.sweep > 0) {
    EBB_RETURN_IF_ERROR(ports_.sweeps.ChangeBudget(change.sweep, change.budget));
    return answer;
  }
  const JobCard* card = ports_.publisher.Find(change.job);
  if (!card || engine::HasEnded(card->explanation.stage))
    return Fail({ExitCode::kUsage, card ? "has ended" : "is not known, or ended long ago",
                 "job " + std::to_string(change.job), "ebb queue lists the jobs"});
  auto changed = std::make_shared<core::Submission>(*card->submission);
  changed->budget = change.budget;
  Replace(std::move(changed));
  return answer;
}

void JobChangeIntake::Replace(std::shared_ptr<core::Submission> changed) {
  ports_.store.ReplaceSubmission(*changed);
  ports_.jobs.Replace(changed);
  ports_.publisher.SetSubmission(std::move(changed));
}

// The engine and the views have forgotten jobs that ended long ago. The store has not.
bool JobChangeIntake::HasEndedLongAgo(core::JobId job) const {
  if (ports_.publisher.Find(job)) return false;
  const auto found = ports_.store.jobs().Find(job);
  return found && *found && engine::HasEnded((*found)->stage);
}

}  // namespace ebb::service
