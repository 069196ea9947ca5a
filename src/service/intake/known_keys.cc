#include "service/intake/known_keys.h"

#include "base/text.h"
#include "core/jobs/owner_variables.h"
#include "store/jobs/job_records.h"
#include "store/jobs/sweep_records.h"

namespace ebb::service {
namespace {

std::string UserOf(const core::Submission& submission) {
  return core::VariableOf(submission, core::kUserVariable);
}

// The keys of a submission file in which two submissions differ. Options that may be changed later
// do not count, nor does what the service works out by itself.
std::vector<std::string> Differences(const core::Submission& before, const core::Submission& now) {
  std::vector<std::string> keys;
  const auto compare = [&](const char* key, const auto& a, const auto& b) {
    if (a != b) keys.emplace_back(key);
  };
  compare("command", before.command, now.command);
  compare("working_directory", before.working_directory, now.working_directory);
  compare("environment", before.environment, now.environment);
  compare("parameters", before.parameters, now.parameters);
  compare("devices", before.job.devices, now.job.devices);
  compare("speedup", before.job.speedup, now.job.speedup);
  compare("checkpointable", before.job.checkpointable, now.job.checkpointable);
  compare("freeze", before.job.freeze, now.job.freeze);
  compare("time_limit", before.time_limit, now.time_limit);
  return keys;
}

}  // namespace

Result<std::optional<Answer>> KnownByKey(store::ServiceStore& store, const Publisher& publisher,
                                         const core::Submission& submission) {
  if (submission.key.empty()) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const auto job, store.JobOfKey(submission.key, UserOf(submission)));
  if (!job) return std::nullopt;
  Answer answer;
  answer.job = *job;
  answer.existing = true;
  std::optional<core::Submission> before;
  if (const JobCard* card = publisher.Find(*job)) {
    before = *card->submission;
  } else {
    EBB_ASSIGN_OR_RETURN(before, store.jobs().FindSubmission(*job));
  }
  if (!before) return answer;
  answer.sweep = before->sweep;
  if (const auto keys = Differences(*before, submission); !keys.empty())
    answer.conflict = "the key \"" + submission.key + "\" is that of job " + std::to_string(*job) +
                      " (" + before->job.name + "), which differs in " + Join(keys, ", ");
  return answer;
}

Result<std::optional<Answer>> KnownBySweepKey(store::ServiceStore& store, const Submit& submit) {
  const auto& sweep = submit.sweep;
  if (!sweep || sweep->key.empty() || sweep->id != 0) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const auto known, store.SweepOfKey(sweep->key, UserOf(submit.submission)));
  if (!known) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const auto before, store.sweeps().Find(*known));
  if (!before) return std::nullopt;
  std::vector<std::string> keys;
  if (before->name != sweep->name) keys.emplace_back("name");
  if (before->halving != sweep->halving) keys.emplace_back("halving");
  if (keys.empty()) return std::nullopt;
  Answer answer;
  answer.existing = true;
  answer.sweep = *known;
  answer.conflict = "the key \"" + sweep->key + "\" is that of sweep " + std::to_string(*known) +
                    " (" + before->name + "), which differs in " + Join(keys, ", ");
  return answer;
}

// Requests are taken in order, so a key of an earlier request of the same batch is known.
Status FindKeys(store::ServiceStore& store, Submit& submit) {
  for (const std::string& key : submit.after_keys) {
    EBB_ASSIGN_OR_RETURN(const auto job, store.JobOfKey(key, UserOf(submit.submission)));
    if (!job)
      return Fail({ExitCode::kUsage,
                   "depends on the submission with the key \"" + key +
                       "\", which is not known or was refused",
                   "", ""});
    submit.submission.after.push_back(*job);
  }
  return {};
}

}  // namespace ebb::service
