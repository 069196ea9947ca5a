#include "slurm/site/slurm_pools.h"

#include <gtest/gtest.h>

namespace ebb::slurm {
namespace {

SlurmNode Node(const std::string& name, const std::string& type, int gpus, int used,
               std::vector<std::string> partitions = {"main"}) {
  SlurmNode node;
  node.name = name;
  node.partitions = std::move(partitions);
  node.is_up = true;
  node.cores = 16;
  node.used_cores = used * 4;
  node.gpus = gpus;
  node.used_gpus = used;
  node.gpu_type = type;
  return node;
}

SlurmJob Job(int gpus, const std::string& type = "", const std::string& partition = "main") {
  SlurmJob job;
  job.gpus = gpus;
  job.gpu_type = type;
  job.partitions = {partition};
  return job;
}

int CountOf(const SlurmPools& pools, const std::string& model) {
  for (const core::DevicePool& pool : pools.cluster().pools)
    if (pool.model == model) return pool.count;
  return -1;
}

TEST(SlurmPools, DevicesOfOthersDoNotCount) {
  SlurmPools pools({"cluster", "DE", Pue{1}});
  pools.Take({Node("n1", "a100", 8, 3), Node("n2", "a100", 8, 0), Node("n3", "h100", 4, 0)}, {});
  EXPECT_EQ(CountOf(pools, "a100 in main"), 13);
  EXPECT_EQ(CountOf(pools, "h100 in main"), 4);
  EXPECT_EQ(CountOf(pools, "cpu in main"), 48 - 12);
  const int pool = pools.PoolOf({"a100 in main"});
  pools.Take({Node("n1", "a100", 8, 3), Node("n2", "a100", 8, 0)}, {{pool, 3}});
  EXPECT_EQ(CountOf(pools, "a100 in main"), 16) << "all that is used is ours";
  EXPECT_EQ(CountOf(pools, "h100 in main"), 0) << "a pool that is gone keeps its number";
}

TEST(SlurmPools, ANodeThatIsDownIsAway) {
  SlurmPools pools({"cluster", "DE", Pue{1}});
  SlurmNode down = Node("n2", "a100", 8, 0);
  down.is_up = false;
  down.is_away = true;
  pools.Take({Node("n1", "a100", 8, 0), down}, {});
  const auto& pool =
      pools.cluster().pools[static_cast<std::size_t>(pools.PoolOf({"a100 in main"}))];
  EXPECT_EQ(pool.count, 8);
  EXPECT_EQ(pool.away, 8);
}

TEST(SlurmPools, AJobFitsByPartitionAndType) {
  SlurmPools pools({"cluster", "DE", Pue{1}});
  pools.Take({Node("n1", "a100", 8, 0, {"long", "main"}), Node("n2", "h100", 4, 0, {"main"}),
              Node("n3", "", 2, 0, {"test"})},
             {});
  using Models = std::vector<std::string>;
  EXPECT_EQ(pools.ModelsFor(Job(1)), (Models{"a100 in long, main", "h100 in main"}));
  EXPECT_EQ(pools.ModelsFor(Job(1, "h100")), (Models{"h100 in main"}));
  EXPECT_EQ(pools.ModelsFor(Job(1, "h100", "long")), Models{});
  EXPECT_EQ(pools.ModelsFor(Job(1, "", "test")), (Models{"gpu in test"}));
  EXPECT_EQ(pools.ModelsFor(Job(0, "", "test")), (Models{"cpu in test"}));
  SlurmJob running = Job(1);
  running.host = "n2";
  EXPECT_EQ(pools.PoolOfRunning(running), pools.PoolOf({"h100 in main"}));
}

TEST(SlurmPools, PoolsKeepTheirNumbers) {
  SlurmPools first({"cluster", "DE", Pue{1}});
  first.Take({Node("n1", "a100", 8, 0), Node("n2", "h100", 4, 0)}, {});
  SlurmPools second({"cluster", "DE", Pue{1}});
  second.KeepPools(first.cluster());
  second.Take({Node("n2", "h100", 4, 0)}, {});
  EXPECT_EQ(second.PoolOf({"h100 in main"}), first.PoolOf({"h100 in main"}));
  EXPECT_EQ(CountOf(second, "a100 in main"), 0);
}

}  // namespace
}  // namespace ebb::slurm
