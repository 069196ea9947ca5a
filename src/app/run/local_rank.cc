#include "app/run/local_rank.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "meter/meters.h"

namespace ebb::app {
namespace {

// Sources: torchrun and accelerate; srun (slurm.schedmd.com/srun.html); Open MPI
// (docs.open-mpi.org, "Useful environment variables"). The first variable that is set wins: the
// launcher closest to the program comes first.
constexpr const char* kRankVariables[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                                          "SLURM_LOCALID"};
// These variables have the same values in every rank of a job.
constexpr const char* kJobVariables[] = {
    "SLURM_JOB_ID",        "SLURM_STEP_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
    "TORCHELASTIC_RUN_ID", "MASTER_ADDR",   "MASTER_PORT"};
constexpr std::string_view kDevicePrefix = "gpu:";

std::string JobOf(const Environment& variable) {
  std::string job;
  for (const char* name : kJobVariables)
    if (const char* value = variable(name)) job += std::string(name) + "=" + value + "\n";
  // Ranks whose launcher does not name the job have at least the same parent process.
  if (job.empty()) job = "parent=" + std::to_string(::getppid());
  return "user=" + std::to_string(::getuid()) + "\n" + job;
}

bool AreWhole(const std::vector<meter::GpuHolding>& gpus) {
  for (const meter::GpuHolding& gpu : gpus)
    if (gpu.share < 1) return false;
  return true;
}

std::string UuidOf(const std::string& device) {
  return device.starts_with(kDevicePrefix) ? device.substr(kDevicePrefix.size()) : device;
}

// Slices of a GPU cannot be claimed one by one as whole GPUs can. The first of the ranks that see
// the same slices claims them all; ranks that see other slices claim their own.
ClaimedGpus ClaimSlices(const LocalRank& rank, const meter::MeterOptions& meters,
                        RunOptions& options) {
  ClaimedGpus claimed;
  const std::string visible = meters.gpu_ids.value_or(meters.cuda_visible_devices.value_or("all"));
  if (auto name = platform::ClaimedName::Claim(rank.job + "slices=" + visible)) {
    claimed.held.push_back(std::move(*name));
  } else {
    claimed.elsewhere.push_back(visible);
    options.metering.gpu_ids = "";
  }
  return claimed;
}

}  // namespace

std::optional<LocalRank> FindLocalRank(const Environment& variable) {
  for (const char* name : kRankVariables) {
    const char* text = variable(name);
    const auto number = text ? ParseInteger(text) : std::nullopt;
    if (number && *number >= 0 && *number <= 1'000'000)
      return LocalRank{static_cast<int>(*number), name, JobOf(variable)};
  }
  return std::nullopt;
}

std::optional<LocalRank> FindLocalRank() {
  return FindLocalRank([](const char* name) { return std::getenv(name); });
}

bool IsCountedElsewhere(const std::optional<LocalRank>& rank, core::MeterScope scope) {
  return rank && rank->rank > 0 && scope == core::MeterScope::kMachine;
}

std::string WhoCounts(const LocalRank& rank) {
  return "local rank 0 of this job counts the machine (" + rank.variable + " is " +
         std::to_string(rank.rank) + ")";
}

ClaimedGpus ClaimGpus(const LocalRank& rank, RunOptions& options) {
  const meter::MeterOptions meters = MeterOptionsFor(options.metering);
  const std::vector<meter::GpuHolding> gpus = meter::VisibleGpus(meters);
  if (!AreWhole(gpus)) return ClaimSlices(rank, meters, options);
  ClaimedGpus claimed;
  std::vector<std::string> ours;
  for (const meter::GpuHolding& gpu : gpus) {
    if (auto name = platform::ClaimedName::Claim(rank.job + "device=" + gpu.device)) {
      claimed.held.push_back(std::move(*name));
      ours.push_back(UuidOf(gpu.device));
    } else {
      claimed.elsewhere.push_back(UuidOf(gpu.device));
    }
  }
  if (!claimed.elsewhere.empty()) options.metering.gpu_ids = Join(ours, ",");
  return claimed;
}

}  // namespace ebb::app
