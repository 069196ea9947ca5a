#include "slurm/jobs/job_place.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::slurm {
namespace {

constexpr int kMostDevices = 30'000;
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

// "4(x2),8": the cores of each node of the job.
int CoresIn(const std::string& by_node) {
  long long cores = 0;
  for (const std::string_view part : Split(by_node, ',')) {
    const std::size_t times = part.find("(x");
    const auto each = ParseInteger(std::string(part.substr(0, times)));
    if (!each || *each < 0 || *each > kMostDevices) return 0;
    const auto nodes =
        times == std::string_view::npos
            ? 1
            : ParseInteger(std::string(part.substr(times + 2, part.find(')') - times - 2)));
    if (!nodes || *nodes < 1 || *nodes > kMostDevices) return 0;
    cores += *each * *nodes;
  }
  return cores <= kMostDevices ? static_cast<int>(cores) : 0;
}

// Slurm works these variables out anew for each attempt.
int DevicesOf(const Variables& variable) {
  const int nodes = std::max(1, NumberOf(variable, "SLURM_JOB_NUM_NODES", 1));
  if (const int gpus = NumberOf(variable, "SLURM_GPUS_ON_NODE", 0); gpus > 0)
    return std::min(gpus, kMostDevices) * std::min(nodes, kMostDevices);
  const int of_task = NumberOf(variable, "SLURM_CPUS_PER_TASK", 0);
  if (of_task > 0 && NumberOf(variable, "SLURM_NTASKS", 1) == 1) return of_task;
  return CoresIn(TextOf(variable, "SLURM_JOB_CPUS_PER_NODE"));
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
  place.devices = DevicesOf(variable);
  // The batch script has the number of tasks that it may start, but is one process itself.
  if (TextOf(variable, "SLURM_STEP_ID").empty()) return place;
  place.task = NumberOf(variable, "SLURM_PROCID", 0);
  place.task_on_node = NumberOf(variable, "SLURM_LOCALID", 0);
  place.tasks = NumberOf(variable, "SLURM_STEP_NUM_TASKS", 1);
  return place;
}

std::vector<std::pair<std::string, std::string>> WidthVariables(const JobPlace& place,
                                                                const Variables& variable) {
  if (place.devices == 0) return {};
  const std::string count = std::to_string(place.devices);
  std::vector<std::pair<std::string, std::string>> variables{{"EBB_DEVICES", count}};
  // "2", with a type "a100:2".
  const std::string of_submission = TextOf(variable, "SLURM_GPUS");
  const std::size_t colon = of_submission.rfind(':');
  const bool is_of_step = !TextOf(variable, "SLURM_STEP_ID").empty();
  if (!of_submission.empty() && !is_of_step)
    variables.emplace_back("SLURM_GPUS", colon == std::string::npos
                                             ? count
                                             : of_submission.substr(0, colon + 1) + count);
  return variables;
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
