#include "slurm/jobs/job_note.h"

#include "base/text.h"
#include "slurm/client/slurm_text.h"
#include "slurm/jobs/job_comment.h"

namespace ebb::slurm {
namespace {

// The beginning of an AdminComment that Ebb wrote.
constexpr std::string_view kOurs = "ebb: ";

// Slurm lets only operators and administrators write it, so a refusal is the usual answer.
void NoteForAdministrators(const RunCommand& run, const std::string& job,
                           const std::string& sentence) {
  const auto before = run({"squeue", "-h", "-t", "all", "-j", job, "-O", "admin_comment:200"});
  if (!before || before->exit_code != 0) return;
  const std::string_view text = Trim(before->output);
  if (!text.empty() && text != "(null)" && !text.starts_with(kOurs)) return;
  (void)run(
      {"scontrol", "update", "JobId=" + job, "AdminComment=" + std::string(kOurs) + sentence});
}

}  // namespace

Status NoteInJob(const RunCommand& run, const std::string& job, const std::string& used) {
  // A controller that is away must not delay the end of a task; other commands wait for it.
  EBB_ASSIGN_OR_RETURN(const platform::ProgramEnd ping, run({"scontrol", "ping"}));
  if (ping.exit_code != 0)
    return Fail({ExitCode::kUnavailable, "the Slurm controller does not answer", "scontrol", ""});
  std::vector<std::string> command = SqueueCommand();
  command.insert(command.end(), {"-j", job});
  EBB_ASSIGN_OR_RETURN(const platform::ProgramEnd end, run(command));
  const std::vector<SlurmJob> jobs = ReadSqueue(end.output);
  if (end.exit_code != 0 || jobs.size() != 1)
    return Fail({ExitCode::kUnavailable, "Slurm does not know the job", job, ""});
  JobComment comment = ReadComment(jobs.front().comment);
  comment.measured = used;
  JobUpdate update;
  update.id = job;
  update.comment = WriteComment(comment);
  EBB_RETURN_IF_ERROR(MakeSlurmCommands(run)->Update(update));
  NoteForAdministrators(run, job, used);
  return {};
}

}  // namespace ebb::slurm
