// The routes that change waiting jobs and submit ended jobs again.

#include <filesystem>

#include "engine/state.h"
#include "web/answers/short_answers.h"
#include "web/api/api.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

// Deadlines count from the new submission.
service::Submit Again(core::Submission submission) {
  service::Submit submit;
  core::Job& job = submission.job;
  if (job.start_by) submit.start_within = *job.start_by - job.submitted;
  if (job.finish_by) submit.finish_within = *job.finish_by - job.submitted;
  job.start_by.reset();
  job.finish_by.reset();
  job.id = 0;
  submission.key.clear();
  submission.recurring.clear();  // a person submits it again, not its schedule
  submission.identity = 0;
  submission.resumes = 0;
  // The stored duration and power count as given: they are what was given, or better estimates.
  submit.duration_given = submit.power_given = true;
  submit.submission = std::move(submission);
  return submit;
}

bool HoldsFiles(const std::filesystem::path& folder) {
  std::error_code code;
  const std::filesystem::directory_iterator first(folder, code);
  return !code && first != std::filesystem::directory_iterator();
}

}  // namespace

Result<service::Submit> Api::SubmissionAgain(core::JobId id, const Restart& restart) const {
  const std::string where = "job " + std::to_string(id);
  std::optional<store::JobRecord> record;
  std::optional<core::Submission> submission;
  EBB_RETURN_IF_ERROR(reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(record, store::FindJob(database, id));
    EBB_ASSIGN_OR_RETURN(submission, store::FindSubmission(database, id));
    return {};
  }));
  if (!record || !submission)
    return Fail({ExitCode::kUsage, "is not known", where, "ebb history lists what has ended"});
  if (!engine::HasEnded(record->stage))
    return Fail({ExitCode::kUsage, "has not ended: it is " + std::string(Name(record->stage)),
                 where, "wait until it has, or cancel it"});
  const bool checkpointable = submission->job.checkpointable;
  service::Submit submit = Again(*std::move(submission));
  if (restart.after) {
    submit.submission.after = *restart.after;
    submit.after_keys = restart.after_keys;
  }
  submit.submission.key = restart.key;
  if (!restart.resume) return submit;
  if (!checkpointable)
    return Fail({ExitCode::kInfeasible, "writes no checkpoints, so it cannot go on from one", where,
                 "restart it from its beginning, without resume"});
  if (!HoldsFiles(service_.DirectoryOf(id) / "checkpoints"))
    return Fail({ExitCode::kInfeasible, "has left no checkpoint", where,
                 "restart it from its beginning, without resume"});
  submit.submission.resumes = id;
  return submit;
}

HttpResponse Api::RestartJob(const HttpRequest& request, core::JobId id) const {
  const auto restart = RestartFromJson(request.body);
  if (!restart) return Respond(restart.error());
  auto submit = SubmissionAgain(id, *restart);
  if (!submit) return RespondRefusal(submit.error(), id);
  if (IsDryRun(request)) return RespondWith(TakenJob{0, false}, 202);
  const auto answer = AskOne(*std::move(submit));
  if (!answer) return Respond(answer.error());
  if (!answer->conflict.empty()) return RespondConflict(ConflictOf(answer->conflict));
  return RespondWith(TakenJob{answer->job, answer->existing}, 202);
}

HttpResponse Api::EditJob(const HttpRequest& request, core::JobId id) const {
  auto change = JobChangeFromJson(request.body, Defaults());
  if (!change) return Respond(change.error());
  change->job = id;
  change->only_check = IsDryRun(request);
  const auto answer = AskOne(*std::move(change));
  if (!answer) return RespondRefusal(answer.error(), id);
  return RespondWith(ChangedJob{*answer->changed}, 202);
}

}  // namespace ebb::web
