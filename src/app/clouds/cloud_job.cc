#include "app/clouds/cloud_job.h"

#include <algorithm>

#include "config/run/train_config.h"
#include "web/requests/submission_json.h"

namespace ebb::app {
namespace {

// The folder of such jobs in the bucket.
constexpr const char* kFolder = "jobs";

// Refuses options that nobody would keep while the task runs in a cloud.
Status RefuseOptionsOfTheQueue(const service::Submit& submit) {
  const core::Submission& job = submit.submission;
  const auto refuse = [](const char* option, const char* next) -> Status {
    return Fail({ExitCode::kUsage, "needs the queue service: a task in a cloud runs without it",
                 option, next});
  };
  if (!job.after.empty() || !submit.after_keys.empty())
    return refuse("after", "launch the task once the other one has ended");
  if (submit.recurrence) return refuse("cron", "launch the task from a recurring job of the queue");
  if (!job.key.empty()) return refuse("key", "leave it out");
  if (!job.tracking.empty()) return refuse("trackers", "log to the server from the program");
  if (job.power_cap) return refuse("power_cap", "leave it out");
  return {};
}

// How long the job may wait for its start.
Result<Duration> LongestWait(const service::Submit& submit, Time now) {
  const core::Job& job = submit.submission.job;
  std::vector<Duration> waits;
  if (submit.start_within) waits.push_back(*submit.start_within);
  if (job.start_by) waits.push_back(*job.start_by - now);
  if (submit.finish_within) waits.push_back(*submit.finish_within - job.duration);
  if (job.finish_by) waits.push_back(*job.finish_by - job.duration - now);
  if (waits.empty()) return config::kDefaultLongestWait;
  const Duration wait = *std::ranges::min_element(waits);
  if (wait >= Duration{}) return wait;
  return Fail({ExitCode::kInfeasible,
               "the job takes " + FormatDuration(job.duration) +
                   " and cannot keep its times, if it started now",
               "", "give it a later deadline, or the right --duration"});
}

}  // namespace

Result<sweep::Sweep> SweepOfCloudJob(std::string_view json, Time now) {
  web::SubmissionDefaults defaults;
  defaults.tiers = core::PublishedTiers();
  EBB_ASSIGN_OR_RETURN(const web::ReadSubmissions read, web::SubmissionsFromJson(json, defaults));
  if (read.jobs.size() != 1)
    return Fail({ExitCode::kUsage, "a list of jobs is not one task", "",
                 "write a sweep: ebb sweep generate SWEEP.yaml --target skypilot"});
  const service::Submit& submit = read.jobs.front();
  EBB_RETURN_IF_ERROR(RefuseOptionsOfTheQueue(submit));
  sweep::Sweep sweep;
  sweep.name = kFolder;
  sweep.common = submit.submission;
  const core::Job& job = submit.submission.job;
  EBB_ASSIGN_OR_RETURN(const Duration wait, LongestWait(submit, now));
  sweep.tiers = {{job.tier, job.threshold, wait, job.priority}};
  sweep::Experiment experiment;
  experiment.name = job.name;
  experiment.duration = job.duration;
  experiment.power = job.power;
  experiment.command = submit.submission.command;
  sweep.experiments.push_back(std::move(experiment));
  return sweep;
}

}  // namespace ebb::app
