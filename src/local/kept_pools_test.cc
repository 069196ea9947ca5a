#include "local/kept_pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::local {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::vector<std::vector<std::string>>;

core::Cluster ClusterOf(std::vector<std::pair<std::string, int>> pools) {
  core::Cluster cluster;
  cluster.sites = {{"here", "DE", Pue{1}}};
  for (const auto& [model, count] : pools) {
    core::DevicePool pool;
    pool.model = model;
    pool.count = count;
    cluster.pools.push_back(pool);
  }
  return cluster;
}

TEST(KeptPools, WithoutAnEarlierLifeNothingChanges) {
  core::Cluster cluster = ClusterOf({{"L4", 2}});
  const core::Cluster given = cluster;
  Names gpus{{"GPU-a", "GPU-b"}};
  KeepPools({}, cluster, gpus);
  EXPECT_EQ(cluster, given);
  EXPECT_THAT(gpus, ElementsAre(ElementsAre("GPU-a", "GPU-b")));
}

TEST(KeptPools, ModelsKeepTheirNumbers) {
  core::Cluster cluster = ClusterOf({{"A10", 1}, {"L4", 2}});
  Names gpus{{"GPU-c"}, {"GPU-a", "GPU-b"}};
  KeepPools(ClusterOf({{"cpu", 4}, {"L4", 1}}), cluster, gpus);
  EXPECT_EQ(cluster, ClusterOf({{"cpu", 0}, {"L4", 2}, {"A10", 1}}));
  EXPECT_THAT(gpus, ElementsAre(IsEmpty(), ElementsAre("GPU-a", "GPU-b"), ElementsAre("GPU-c")));
}

}  // namespace
}  // namespace ebb::local
