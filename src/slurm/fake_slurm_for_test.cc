#include "slurm/fake_slurm_for_test.h"

#include <algorithm>

#include "slurm/client/slurm_text.h"

namespace ebb::slurm {

void FakeSlurm::Go() {
  const Time now = Now();
  int used = 0;
  for (auto& [id, known] : jobs_) {
    SlurmJob& job = known.job;
    if (job.state != JobState::kRunning) continue;
    const auto end = ends_.find(job.name);
    if (end != ends_.end() && now >= *job.start + end->second.after) {
      job.exit_code = end->second.exit_code;
      job.state = job.exit_code == 0 ? JobState::kCompleted : JobState::kFailed;
      job.state_text = job.exit_code == 0 ? "COMPLETED" : "FAILED";
      job.end = *job.start + end->second.after;
      accounted_[id] = job;
    } else {
      used += job.gpus;
    }
  }
  for (auto& [id, known] : jobs_) {
    SlurmJob& job = known.job;
    if (job.state != JobState::kPending || job.priority <= 0 || job.has_dependency) continue;
    if (known.begin && *known.begin > now) {
      job.reason = "BeginTime";
      job.start = known.begin;
      continue;
    }
    job.reason = "Resources";
    if (job.gpus > most_by_job) {
      job.reason = "QOSMaxGRESPerJob";
      continue;
    }
    if (job.gpus > gpus_) {
      job.reason = "BadConstraints";
      job.priority = 0;
      continue;
    }
    if (used + job.gpus > gpus_) continue;
    used += job.gpus;
    job.state = JobState::kRunning;
    job.state_text = "RUNNING";
    job.start = now;
    job.end.reset();
    job.host = "n1";
    ++starts_;
  }
  most_running_ = std::max(most_running_, used);
}

class FakeSlurmClient final : public SlurmClient {
 public:
  explicit FakeSlurmClient(FakeSlurm& slurm) : slurm_(slurm) {}

  Result<std::pair<std::string, std::string>> Identity() override {
    EBB_RETURN_IF_ERROR(Ask());
    return std::pair<std::string, std::string>("fake", "22.05");
  }
  Result<std::vector<SlurmJob>> Jobs() override {
    EBB_RETURN_IF_ERROR(Ask());
    slurm_.Go();
    std::vector<SlurmJob> jobs;
    for (const auto& [id, known] : slurm_.jobs_) jobs.push_back(known.job);
    return jobs;
  }
  // As the real one does, it takes sizes that no node has.
  Status SetSize(SlurmJob& job, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      constexpr std::string_view kByJob = "TresPerJob=";
      if (!word.starts_with(kByJob))
        return Fail(
            {ExitCode::kUsage, "Update of this parameter is not supported: " + word, "", ""});
      if (job.state != JobState::kPending)
        return Fail({ExitCode::kUsage, "Job is no longer pending execution", "", ""});
      SetGpus(word.substr(kByJob.size()), "", "", 1, job);
      slurm_.sizes.push_back(job.id + " " + std::to_string(job.gpus));
      if (job.gpus > slurm_.most_in_a_change)
        return Fail({ExitCode::kUsage, "Requested node configuration is not available", "", ""});
    }
    return {};
  }
  Result<std::vector<SlurmNode>> Nodes() override {
    EBB_RETURN_IF_ERROR(Ask());
    SlurmNode node;
    node.name = "n1";
    node.partitions = {"main"};
    node.is_up = true;
    node.cores = 64;
    node.gpus = slurm_.gpus_;
    for (const auto& [id, known] : slurm_.jobs_)
      if (known.job.state == JobState::kRunning) node.used_gpus += known.job.gpus;
    return std::vector{node};
  }
  Result<std::vector<SlurmJob>> Accounted(const std::vector<std::string>& ids) override {
    if (!slurm_.has_accounting) return Fail({ExitCode::kUsage, "accounting is disabled", "", ""});
    std::vector<SlurmJob> jobs;
    for (const std::string& id : ids)
      if (const auto found = slurm_.accounted_.find(id); found != slurm_.accounted_.end())
        jobs.push_back(found->second);
    return jobs;
  }
  Result<ControllerLoad> Load() override { return slurm_.load; }
  Result<std::string> Submit(const BatchJob& batch) override {
    EBB_RETURN_IF_ERROR(Change());
    if (batch.script.empty()) return Fail({ExitCode::kUsage, "no such script", "", ""});
    std::string name = batch.script, comment;
    int gpus = 1;
    for (const std::string& option : batch.options) {
      if (option.starts_with("--comment=")) comment = option.substr(10);
      if (option.starts_with("--gpus=")) gpus = std::stoi(option.substr(7));
    }
    if (gpus > slurm_.most_in_a_change)
      return Fail({ExitCode::kUsage, "Requested node configuration is not available", "", ""});
    const std::string id = slurm_.Queue(name, comment, 1, gpus);
    slurm_.jobs_.at(id).begin = batch.begin;
    return id;
  }
  Status Update(const JobUpdate& update) override {
    EBB_RETURN_IF_ERROR(Change());
    EBB_ASSIGN_OR_RETURN(FakeSlurm::Known * known, Find(update.id));
    if (update.begin && known->job.state != JobState::kPending)
      return Fail({ExitCode::kUsage, "Job is no longer pending execution", "", ""});
    EBB_RETURN_IF_ERROR(SetSize(known->job, update.size));
    if (update.begin) known->begin = update.begin;
    if (update.begin) known->job.start = update.begin;
    if (update.comment) known->job.comment = *update.comment;
    return {};
  }
  Status Release(const std::string& id) override {
    EBB_RETURN_IF_ERROR(Change());
    EBB_RETURN_IF_ERROR(Find(id));
    slurm_.Release(id);
    return {};
  }
  Status RequeueHeld(const std::string& id) override {
    EBB_RETURN_IF_ERROR(Change());
    EBB_ASSIGN_OR_RETURN(FakeSlurm::Known * known, Find(id));
    if (known->job.state != JobState::kRunning)
      return Fail({ExitCode::kUsage, "Job is pending execution", "", ""});
    known->job.state = JobState::kPending;
    known->job.state_text = "PENDING";
    known->job.priority = 0;
    known->job.reason = "job requeued in held state";
    known->job.start.reset();
    ++known->job.restarts;
    return {};
  }
  Status Signal(const std::string& id, const std::string& signal) override {
    EBB_RETURN_IF_ERROR(Change());
    slurm_.signals.push_back(id + " " + signal);
    if (slurm_.requeues_at_signal) return RequeueHeld(id);
    return {};
  }
  Status Cancel(const std::string& id) override {
    EBB_RETURN_IF_ERROR(Change());
    EBB_ASSIGN_OR_RETURN(FakeSlurm::Known * known, Find(id));
    if (!HasEnded(known->job.state)) {
      known->job.state = JobState::kCancelled;
      known->job.state_text = "CANCELLED";
      known->job.end = slurm_.Now();
      slurm_.accounted_[id] = known->job;
    }
    return {};
  }

 private:
  Status Ask() {
    ++slurm_.requests;
    if (slurm_.is_away) return Fail({ExitCode::kUnavailable, "does not answer", "", ""});
    return {};
  }
  Status Change() {
    ++slurm_.changes;
    return Ask();
  }
  Result<FakeSlurm::Known*> Find(const std::string& id) {
    const auto found = slurm_.jobs_.find(id);
    if (found == slurm_.jobs_.end()) return Fail({ExitCode::kUsage, "Invalid job id", id, ""});
    return &found->second;
  }
  FakeSlurm& slurm_;
};

std::unique_ptr<SlurmClient> FakeSlurm::Client() {
  return std::make_unique<FakeSlurmClient>(*this);
}

}  // namespace ebb::slurm
