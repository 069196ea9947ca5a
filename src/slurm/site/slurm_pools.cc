#include "slurm/site/slurm_pools.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::slurm {
namespace {

constexpr const char *kCores = "cpu", *kUntyped = "gpu";

bool HaveCommon(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const auto& each) { return std::ranges::count(b, each) > 0; });
}

}  // namespace

// "a100 in long, short": the name stays while the nodes stay in their partitions.
std::string SlurmPools::ModelOf(const Kind& kind) {
  return kind.type + " in " + Join(kind.partitions, ", ");
}

void SlurmPools::KeepPools(const core::Cluster& before) {
  for (core::DevicePool pool : before.pools) {
    pool.site = 0;
    pool.count = pool.away = 0;
    numbers_[pool.model] = static_cast<int>(cluster_.pools.size());
    cluster_.pools.push_back(std::move(pool));
  }
}

int SlurmPools::NumberOf(const Kind& kind) {
  const std::string model = ModelOf(kind);
  const auto [found, is_new] = numbers_.try_emplace(model, static_cast<int>(cluster_.pools.size()));
  if (is_new) {
    core::DevicePool pool;
    pool.model = model;
    cluster_.pools.push_back(std::move(pool));
  }
  kinds_[found->second] = kind;
  return found->second;
}

void SlurmPools::Take(const std::vector<SlurmNode>& nodes, const std::map<int, int>& ours) {
  std::map<Kind, Count> counts;
  const auto add = [](Count& count, const SlurmNode& node, int all, int used) {
    (node.is_up ? count.up : count.away) += all;
    if (node.is_up) count.used += used;
  };
  partitions_of_.clear();
  for (const SlurmNode& node : nodes) {
    partitions_of_[node.name] = node.partitions;
    add(counts[{kCores, node.partitions}], node, node.cores, node.used_cores);
    if (node.gpus == 0) continue;
    const std::string type = node.gpu_type.empty() ? kUntyped : node.gpu_type;
    add(counts[{type, node.partitions}], node, node.gpus, node.used_gpus);
  }
  for (core::DevicePool& pool : cluster_.pools) pool.count = pool.away = 0;
  for (const auto& [kind, count] : counts) {
    const int number = NumberOf(kind);
    const auto own = ours.find(number);
    const int others = std::max(0, count.used - (own == ours.end() ? 0 : own->second));
    core::DevicePool& pool = cluster_.pools[static_cast<std::size_t>(number)];
    pool.count = std::max(0, count.up - others);
    pool.away = count.away;
  }
}

std::vector<std::string> SlurmPools::ModelsFor(const SlurmJob& job) const {
  std::vector<std::string> models;
  for (const auto& [number, kind] : kinds_) {
    const bool is_its_type =
        job.gpus == 0 ? !kind.has_gpus()
                      : kind.has_gpus() && (job.gpu_type.empty() || job.gpu_type == kind.type);
    if (is_its_type && HaveCommon(kind.partitions, job.partitions))
      models.push_back(cluster_.pools[static_cast<std::size_t>(number)].model);
  }
  return models;
}

int SlurmPools::PoolOf(const std::vector<std::string>& models) const {
  for (const std::string& model : models)
    if (const auto found = numbers_.find(model); found != numbers_.end()) return found->second;
  return 0;
}

int SlurmPools::PoolOfRunning(const SlurmJob& job) const {
  const auto partitions = partitions_of_.find(job.host);
  for (const auto& [number, kind] : kinds_) {
    if (kind.has_gpus() != (job.gpus > 0)) continue;
    if (!job.gpu_type.empty() && job.gpus > 0 && job.gpu_type != kind.type) continue;
    if (partitions != partitions_of_.end() && partitions->second == kind.partitions) return number;
  }
  return PoolOf(ModelsFor(job));
}

}  // namespace ebb::slurm
