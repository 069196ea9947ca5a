#include "local/job_start.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "core/jobs/widths.h"

namespace ebb::local {
namespace {

// torchrun takes the default of --nproc-per-node from it.
constexpr const char* kTorchrunProcesses = "PET_NPROC_PER_NODE";

std::optional<Intensity> IntensityAt(runtime::SignalFeed& feed, Time time) {
  const auto settled = feed.Believed({time, time + Duration{1}});
  if (!settled) return std::nullopt;
  const core::Sample* sample = settled->At(time);
  return sample ? std::optional(sample->intensity) : std::nullopt;
}

}  // namespace

Result<std::vector<int>> SlotsFor(const core::Job& job, const core::Cluster& cluster, int pool,
                                  int slots, const std::set<int>& taken) {
  if (pool < 0 || !core::Fits(job, cluster, pool))
    return Fail({ExitCode::kInfeasible, "does not fit these devices", job.name, ""});
  std::vector<int> free;
  for (int slot = 0; slot < slots && static_cast<int>(free.size()) < job.devices; ++slot) {
    if (!taken.contains(slot)) free.push_back(slot);
  }
  if (static_cast<int>(free.size()) < job.devices)
    return Fail({ExitCode::kUnavailable, "no device is free", job.name, ""});
  return free;
}

std::vector<std::pair<std::string, std::string>> DeviceEnvironment(
    const std::vector<std::string>& gpus) {
  if (!gpus.empty()) return {{"CUDA_VISIBLE_DEVICES", Join(gpus, ",")}};
  // HIP treats an empty list as no list.
  return {
      {"CUDA_VISIBLE_DEVICES", ""}, {"ROCR_VISIBLE_DEVICES", ""}, {"HIP_VISIBLE_DEVICES", "-1"}};
}

core::Job AtWidth(core::Job job, int devices) {
  if (devices > 0) job.devices = devices;
  return job;
}

std::vector<std::pair<std::string, std::string>> WidthEnvironment(
    const core::Submission& submission, std::size_t devices) {
  const std::string count = std::to_string(devices);
  std::vector<std::pair<std::string, std::string>> environment{{"EBB_DEVICES", count}};
  const auto is_own = [](const auto& variable) { return variable.first == kTorchrunProcesses; };
  if (core::IsElastic(submission.job) && std::ranges::none_of(submission.environment, is_own))
    environment.emplace_back(kTorchrunProcesses, count);
  return environment;
}

void SeeAs(const std::vector<std::pair<std::string, std::string>>& environment,
           meter::MeterOptions& meters) {
  for (const auto& [name, value] : environment) {
    if (name == "CUDA_VISIBLE_DEVICES") meters.cuda_visible_devices = value;
    if (name == "ROCR_VISIBLE_DEVICES") meters.rocr_visible_devices = value;
    if (name == "HIP_VISIBLE_DEVICES") meters.hip_visible_devices = value;
  }
}

ContractValues ContractFor(const LocalJob& job, std::string id, int attempt,
                           runtime::SignalFeed& feed, Time now) {
  ContractValues contract;
  contract.job_id = std::move(id);
  contract.run_directory = job.directory;
  contract.checkpoint_directory = job.directory / "checkpoints";
  contract.resume = (attempt > 1 || job.submission->resumes > 0) && job.job().checkpointable;
  contract.submitted = job.job().submitted;
  contract.scheduled = now;
  contract.intensity_at_submission = IntensityAt(feed, contract.submitted);
  contract.intensity_at_start = IntensityAt(feed, contract.scheduled);
  return contract;
}

}  // namespace ebb::local
