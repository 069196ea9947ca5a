#include "app/sweep/sweep_runs.h"

#include "app/jobs/job_export.h"
#include "app/run/run_files.h"
#include "engine/state.h"

namespace ebb::app {

namespace fs = std::filesystem;

Status SweepRuns::Link(const core::Submission& submission) {
  const core::Job& job = submission.job;
  if (linked_.contains(job.id)) return {};
  const fs::path link = paths_.directory / "runs" / sweep::FileName(job.name);
  std::error_code code;
  fs::create_directories(link.parent_path(), code);
  if (!code && !fs::is_symlink(link, code))
    fs::create_directory_symlink(fs::path("../jobs") / std::to_string(job.id), link, code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot be made: " + code.message(), link.string(),
                 "its run lies in " + paths_.JobsDirectory().string()});
  linked_.insert(job.id);
  return {};
}

Status SweepRuns::Write(const core::Submission& submission) const {
  EBB_ASSIGN_OR_RETURN(
      store::Database database,
      store::Database::Open(paths_.store(), store::Database::Mode::kReadUnchecked));
  const fs::path folder = paths_.JobsDirectory() / std::to_string(submission.job.id);
  return WriteRunOfJob(database, submission.job.id, folder, prices_);
}

std::vector<std::string> SweepRuns::Keep(const service::View& view, bool all) {
  std::vector<std::string> troubles;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    const core::Submission& submission = *card.submission;
    if (card.attempt == 0) return true;
    Status kept = Link(submission);
    const bool has_ended = engine::HasEnded(card.explanation.stage);
    if (kept && (has_ended || all) && !written_.contains(submission.job.id)) {
      kept = Write(submission);
      if (kept && has_ended) written_.insert(submission.job.id);
    }
    if (!kept) troubles.push_back(submission.job.name + ": " + kept.error().Message());
    return true;
  });
  return troubles;
}

}  // namespace ebb::app
