#include "slurm/jobs/job_place.h"

#include "base/text.h"

namespace ebb::slurm {
namespace {

constexpr std::string_view kAttempt = "attempt-", kTask = ".task-", kStep = ".step-";

using Variables = std::function<const char*(const char* name)>;

std::string TextOf(const Variables& variable, const char* name) {
  const char* text = variable(name);
  return text ? text : "";
}

int NumberOf(const Variables& variable, const char* name, int otherwise) {
  const auto number = ParseInteger(TextOf(variable, name));
  constexpr int kMost = 100'000'000;
  return number && *number >= 0 && *number <= kMost ? static_cast<int>(*number) : otherwise;
}

}  // namespace

std::optional<JobPlace> FindJobPlace(const Variables& variable) {
  JobPlace place;
  place.job = TextOf(variable, "SLURM_JOB_ID");
  place.node = TextOf(variable, "SLURMD_NODENAME");
  if (place.job.empty() || place.node.empty()) return std::nullopt;
  // Components of a heterogeneous job are requeued by their first one.
  const std::string leader = TextOf(variable, "SLURM_HET_JOB_ID");
  place.requeue = leader.empty() ? place.job : leader;
  place.cluster = TextOf(variable, "SLURM_CLUSTER_NAME");
  place.name = TextOf(variable, "SLURM_JOB_NAME");
  place.submitted_from = TextOf(variable, "SLURM_SUBMIT_DIR");
  place.attempt = NumberOf(variable, "SLURM_RESTART_COUNT", 0) + 1;
  // The batch script has the number of tasks that it may start, but is one process itself.
  if (TextOf(variable, "SLURM_STEP_ID").empty()) return place;
  place.task = NumberOf(variable, "SLURM_PROCID", 0);
  place.task_on_node = NumberOf(variable, "SLURM_LOCALID", 0);
  place.tasks = NumberOf(variable, "SLURM_STEP_NUM_TASKS", 1);
  return place;
}

std::filesystem::path JobFolder(const std::filesystem::path& submitted_from,
                                const std::string& job) {
  return submitted_from / ".ebb" / ("slurm-" + job);
}

std::filesystem::path CheckpointFolder(const std::filesystem::path& job_folder) {
  return job_folder / "checkpoints";
}

std::filesystem::path AttemptFolder(const std::filesystem::path& job_folder, int attempt) {
  return job_folder / (std::string(kAttempt) + std::to_string(attempt));
}

std::filesystem::path RunFolder(const std::filesystem::path& job_folder, const JobPlace& place,
                                int steps_before) {
  std::string name = place.node;
  if (steps_before > 0) name += std::string(kStep) + std::to_string(steps_before + 1);
  if (place.task_on_node > 0) name += std::string(kTask) + std::to_string(place.task_on_node);
  return AttemptFolder(job_folder, place.attempt) / name;
}

std::filesystem::path JobFile(const std::filesystem::path& job_folder) {
  return job_folder / "job.json";
}

std::optional<int> AttemptOfFolder(const std::string& name) {
  if (!name.starts_with(kAttempt)) return std::nullopt;
  const auto number = ParseInteger(name.substr(kAttempt.size()));
  if (!number || *number < 1 || *number > 1'000'000) return std::nullopt;
  return static_cast<int>(*number);
}

std::string NodeOfFolder(const std::string& name) {
  std::string node = name;
  for (const std::string_view mark : {kTask, kStep})
    if (const auto at = node.rfind(mark); at != std::string::npos) node.resize(at);
  return node;
}

}  // namespace ebb::slurm
