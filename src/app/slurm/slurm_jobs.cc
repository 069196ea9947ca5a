#include "app/slurm/slurm_jobs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/jobs/widths.h"
#include "engine/explain.h"
#include "local/files/attempt_files.h"
#include "local/job_start.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "sweep/shell_quote.h"

namespace ebb::app {
namespace {

// Files of other nodes may be seen this much later.
constexpr std::chrono::seconds kFilesLateBy{10};
constexpr int kFirstWaits = 2;
constexpr std::chrono::seconds kFirstWait{1};

std::string ScriptOf(const local::LocalJob& job, const BatchScripts& scripts) {
  const core::Submission& submission = *job.submission;
  std::string text = "#!/bin/sh\n# job " + std::to_string(submission.job.id) + " of Ebb\n";
  for (const auto& [name, value] : submission.environment)
    text += "export " + name + "=" + sweep::ShellQuote(value) + "\n";
  // Slurm knows the width of each attempt; the script is the same for all.
  if (core::IsElastic(submission.job))
    for (const auto& [name, none] : local::WidthEnvironment(submission, 0))
      text += "export " + name + "=\"${SLURM_GPUS_ON_NODE:-${SLURM_CPUS_PER_TASK:-1}}\"\n";
  // One log for each attempt, as jobs on one machine have it.
  text += "exec >>" + sweep::ShellQuote((job.directory / "attempt-").string()) +
          "\"$((${SLURM_RESTART_COUNT:-0} + 1))\".log 2>&1\n";
  text += "exec " + sweep::ShellQuote(scripts.program) + " slurm run --directory " +
          sweep::ShellQuote(job.directory.string());
  for (const std::string& option : scripts.run_options) text += ' ' + sweep::ShellQuote(option);
  return text + " -- " + sweep::ShellCommand(submission.command) + "\n";
}

// Slurm takes minutes.
std::string TimeText(Duration limit) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(limit).count();
  return "--time=" + std::to_string(std::max<std::int64_t>(1, minutes));
}

}  // namespace

Result<slurm::BatchJob> WriteBatchScript(const local::LocalJob& job, const BatchScripts& scripts) {
  const core::Submission& submission = *job.submission;
  const std::filesystem::path path = job.directory / "slurm-script.sh";
  std::error_code error;
  std::filesystem::create_directories(job.directory, error);
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(path, ScriptOf(job, scripts)));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  slurm::BatchJob batch;
  batch.script = path.string();
  batch.directory = submission.working_directory;
  batch.options = scripts.options;
  const std::string devices = std::to_string(submission.job.devices);
  batch.options.push_back(scripts.on_gpus ? "--gpus=" + devices : "--cpus-per-task=" + devices);
  // The program finds all devices of an attempt on one machine.
  const bool has_nodes = std::ranges::any_of(scripts.options, [](const std::string& option) {
    return option.starts_with("--nodes") || option.starts_with("-N");
  });
  if (core::IsElastic(submission.job) && !has_nodes) batch.options.emplace_back("--nodes=1");
  batch.options.push_back("--job-name=" + (submission.job.name.empty()
                                               ? "ebb-" + std::to_string(submission.job.id)
                                               : submission.job.name));
  batch.options.push_back("--output=" + (job.directory / "slurm-%j.log").string());
  batch.options.push_back("--open-mode=append");
  if (submission.time_limit) batch.options.push_back(TimeText(*submission.time_limit));
  return batch;
}

SlurmJobs::SlurmJobs(std::unique_ptr<slurm::SlurmClient> client, slurm::SlurmOptions options,
                     service::ExecutorPorts ports, const runtime::GridClock& clock,
                     platform::ProcessSignals& signals)
    : ports_(std::move(ports)),
      executor_(std::move(client), std::move(options), QueueOf(), clock, signals),
      ledgers_(*ports_.metering, kFilesLateBy) {}

slurm::SlurmQueue SlurmJobs::QueueOf() {
  slurm::SlurmQueue queue;
  queue.submit = [this](core::Submission submission) {
    service::Submit submit;
    const std::string key = submission.key;
    submit.since = submission.job.submitted;
    submit.submission = std::move(submission);
    submit.duration_given = submit.power_given = submit.no_check = true;
    offers_.push_back({key, ports_.ask(std::move(submit))});
  };
  queue.cancel = [this](core::JobId job) { std::ignore = ports_.ask(service::Cancel{job}); };
  queue.change = [this](core::JobId job, core::JobChange change) {
    changes_.push_back(
        {job, ports_.ask(service::ChangeJob{job, std::move(change), {}, {}, false})});
  };
  queue.control = [this](core::JobId job, engine::JobControl control, std::string why) {
    std::ignore = ports_.ask(service::ControlJob{job, control, std::move(why)});
  };
  return queue;
}

void SlurmJobs::HearAnswers() {
  const auto is_ready = [](const auto& asked) {
    return asked.answer.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
  };
  std::erase_if(offers_, [&](Offer& offer) {
    if (!is_ready(offer)) return false;
    const auto answer = offer.answer.get();
    if (!answer) executor_.Refused(offer.key, answer.error());
    return true;
  });
  std::erase_if(changes_, [&](Change& change) {
    if (!is_ready(change)) return false;
    const auto answer = change.answer.get();
    if (!answer) executor_.ChangeRefused(change.job, answer.error());
    return true;
  });
}

// A hold that somebody ended in Slurm while no service ran. The first decision of this life has
// been published at the second wait.
void SlurmJobs::EndOldHolds() {
  if (waits_ >= kFirstWaits || ++waits_ < kFirstWaits) return;
  ports_.view()->jobs.ForEach(0, [&](const service::JobCard& card) {
    const core::JobId job = card.submission->job.id;
    if (card.detail == slurm::kHeldInSlurm && !executor_.IsHeld(job))
      std::ignore = ports_.ask(service::ControlJob{job, engine::JobControl::kNone});
    return true;
  });
}

Result<std::vector<engine::JobReport>> SlurmJobs::WaitForEvents(Time deadline) {
  EndOldHolds();
  HearAnswers();
  if (waits_ < kFirstWaits) deadline = std::min(deadline, Now() + kFirstWait);
  if (const auto due = ledgers_.NextDue())
    deadline = std::min(deadline, Now() + std::max(Duration{1}, *due - platform::SinceBoot()));
  auto reports = executor_.WaitForEvents(deadline);
  HearAnswers();
  if (reports) Follow(*reports);
  ledgers_.Tick(platform::SinceBoot());
  return reports;
}

std::vector<engine::JobReport> SlurmJobs::TakeEarly() {
  auto reports = executor_.TakeEarly();
  Follow(reports);
  return reports;
}

// The runs of an attempt are counted once it is over.
void SlurmJobs::Follow(const std::vector<engine::JobReport>& reports) {
  for (const engine::JobReport& report : reports) {
    if (report.phase == engine::JobPhase::kRunning) continue;
    // An element of an array has its own number only once it has run.
    if (auto folder = executor_.FolderOf(report.job); !folder.empty())
      ledgers_.Follow(report.job, std::move(folder));
    ledgers_.AttemptEnded(report.job, report.attempt, platform::SinceBoot());
  }
}

Status SlurmJobs::Add(local::LocalJob job) {
  const core::JobId id = job.job().id;
  known_.insert(id);
  EBB_RETURN_IF_ERROR(executor_.Add(std::move(job)));
  ledgers_.Follow(id, executor_.FolderOf(id));
  return {};
}

void SlurmJobs::Forget(core::JobId job) {
  executor_.Forget(job);
  if (known_.erase(job) > 0) ledgers_.JobEnded(job);
}

void SlurmJobs::Tell(const engine::Decision& decision) {
  for (const engine::Explanation& explanation : decision.explanations)
    executor_.Note(explanation.job, engine::Sentence(explanation));
}

}  // namespace ebb::app
