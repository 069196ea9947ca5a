#include "web/answers/past_job.h"

#include "core/jobs/owner_variables.h"
#include "engine/state.h"
#include "report/described_work.h"
#include "service/accounting/place_and_time.h"
#include "store/accounts/first_come_records.h"
#include "web/answers/place_and_time_answer.h"

namespace ebb::web {

using report::If;
using report::IfAny;
using report::UpTo;

void PastJob::Describe(report::DescribedJson& json) const {
  json.Is("PastJob", "A job that has ended. What is unknown is left out.");
  json("id", "its number", record.id);
  json("name", "its name", record.name);
  json("stage", "how it ended", UpTo<engine::Stage::kCancelled>{record.stage});
  json("user", "whose it is, as EBB_USER of its environment says", IfAny(user));
  json("tier", "the name of its tier", IfAny(record.tier));
  json("sweep", "the number of its sweep", If(record.sweep > 0, record.sweep));
  json("recurring", "the recurring job that it is an instance of", IfAny(record.recurring));
  json("devices", "how many at once", devices);
  json("submitted", "when it was submitted", record.submitted);
  json("started", "when it first started", record.first_start);
  json("ended", "when it ended", record.ended);
  json("attempts", "how often it was started", attempts);
  json("pauses", "how many there were", record.pauses);
  json("ran_s", "how long it ran, without its pauses", ran);
  json("exit_code", "of the last attempt", record.exit_code);
  json("detail", "why it failed or was cancelled", IfAny(record.detail));
  json("energy_kwh", "of all attempts", record.energy);
  json("emissions_g", "in g CO2e", record.emissions);
  json("emissions_at_submission_g", "of the same energy, had it run when it was submitted",
       at_submission);
  json("saving_half_width_g",
       "emissions_at_submission_g - emissions_g is known to this, 95 %; where it is smaller, there "
       "is not a clear difference",
       saving_half_width_g);
  json("place_and_time", "if the service has several sites",
       PlaceAndTimeAnswer::Of(place_and_time, record.emissions));
  report::DescribeWork(json, record.work, record.per_unit(),
                       [](const auto& maybe) { return maybe; });
}

void History::Describe(report::DescribedJson& json) const {
  json.Is("History", "Jobs that have ended, or a part of them.");
  json("jobs", "by number, the newest first", jobs);
  json("next", "before=, of the next part", next);
  json("replayed", "whether all times are those of a replayed grid clock", replayed);
}

Result<PastJob> ReadPastJob(store::Database& database, store::JobRecord record) {
  PastJob job;
  EBB_ASSIGN_OR_RETURN(const auto submission, store::FindSubmission(database, record.id));
  if (submission) {
    job.user = VariableOf(*submission, core::kUserVariable);
    job.devices = submission->job.devices;
  }
  EBB_ASSIGN_OR_RETURN(const auto attempts, store::AttemptsOf(database, record.id));
  job.attempts = static_cast<int>(attempts.size());
  for (const store::AttemptRecord& attempt : attempts)
    if (attempt.began && attempt.ended) job.ran += *attempt.ended - *attempt.began;
  EBB_ASSIGN_OR_RETURN(const auto compared, store::FindFirstCome(database, record.id));
  // The stored record holds the job's emissions on the same signal.
  if (compared && compared->settled) {
    job.at_submission = compared->at_submission;
    job.saving_half_width_g = compared->saving_half_width_g;
    job.place_and_time = service::PlaceAndTimeFrom(compared->place_and_time);
  }
  job.record = std::move(record);
  return job;
}

}  // namespace ebb::web
