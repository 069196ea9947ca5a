#include "app/run/local_rank.h"

#include <gtest/gtest.h>

#include <map>

namespace ebb::app {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<LocalRank> Find(const Variables& variables) {
  return FindLocalRank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LocalRank, IsWhatALauncherSays) {
  for (const char* name : {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"}) {
    const auto rank = Find({{name, "3"}});
    ASSERT_TRUE(rank) << name;
    EXPECT_EQ(rank->rank, 3);
    EXPECT_EQ(rank->variable, name);
  }
}

TEST(LocalRank, IsNothingWithoutALauncher) {
  EXPECT_FALSE(Find({}));
  EXPECT_FALSE(Find({{"RANK", "1"}}));
  for (const char* text : {"", "x", "-1", "1.5", "99999999999999999999"})
    EXPECT_FALSE(Find({{"LOCAL_RANK", text}})) << text;
}

// In `srun python -m torch.distributed.run ...`, torchrun's ranks count, not srun's.
TEST(LocalRank, TheLauncherNextToTheProgramIsMeant) {
  EXPECT_EQ(Find({{"SLURM_LOCALID", "0"}, {"LOCAL_RANK", "2"}})->rank, 2);
}

TEST(LocalRank, JobsAreToldApart) {
  const Variables one{{"LOCAL_RANK", "0"}, {"SLURM_JOB_ID", "7"}, {"MASTER_PORT", "29500"}};
  Variables other_rank = one, other_job = one, other_port = one;
  other_rank["LOCAL_RANK"] = "1";
  other_job["SLURM_JOB_ID"] = "8";
  other_port["MASTER_PORT"] = "29501";
  EXPECT_EQ(Find(one)->job, Find(other_rank)->job);
  EXPECT_NE(Find(one)->job, Find(other_job)->job);
  EXPECT_NE(Find(one)->job, Find(other_port)->job);
}

TEST(LocalRank, TheMachineIsCountedByRankZero) {
  const auto rank = [](const char* number) { return Find({{"LOCAL_RANK", number}}); };
  EXPECT_TRUE(IsCountedElsewhere(rank("1"), core::MeterScope::kMachine));
  EXPECT_FALSE(IsCountedElsewhere(rank("0"), core::MeterScope::kMachine));
  EXPECT_FALSE(IsCountedElsewhere(rank("1"), core::MeterScope::kProcessTree));
  EXPECT_FALSE(IsCountedElsewhere(std::nullopt, core::MeterScope::kMachine));
}

}  // namespace
}  // namespace ebb::app
