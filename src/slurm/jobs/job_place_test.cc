#include "slurm/jobs/job_place.h"

#include <gtest/gtest.h>

#include <map>

namespace ebb::slurm {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<JobPlace> Find(const Variables& variables) {
  return FindJobPlace([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// As Slurm 22.05 sets them for a batch script on two nodes.
const Variables kBatch{{"SLURM_JOB_ID", "12"},     {"SLURMD_NODENAME", "n1"},
                       {"SLURM_JOB_NAME", "lora"}, {"SLURM_SUBMIT_DIR", "/home/mia"},
                       {"SLURM_PROCID", "0"},      {"SLURM_LOCALID", "0"},
                       {"SLURM_NTASKS", "4"}};

Variables Step(const char* task, const char* on_node, const char* node) {
  Variables step = kBatch;
  step["SLURM_STEP_ID"] = "0";
  step["SLURM_STEP_NUM_TASKS"] = "4";
  step["SLURM_PROCID"] = task;
  step["SLURM_LOCALID"] = on_node;
  step["SLURMD_NODENAME"] = node;
  return step;
}

TEST(JobPlace, IsNothingOutsideOfSlurm) {
  EXPECT_EQ(Find({}), std::nullopt);
  EXPECT_EQ(Find({{"SLURM_JOB_ID", "12"}}), std::nullopt) << "a shell of salloc on a login node";
}

TEST(JobPlace, ABatchScriptIsOneTaskWhateverItMayStart) {
  const auto place = Find(kBatch);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->tasks, 1);
  EXPECT_EQ(place->attempt, 1);
  EXPECT_EQ(place->requeue, "12");
  EXPECT_EQ(JobFolder(place->submitted_from, place->job), "/home/mia/.ebb/slurm-12");
  EXPECT_EQ(RunFolder("/d", *place, 0), "/d/attempt-1/n1");
  EXPECT_EQ(RunFolder("/d", *place, 1), "/d/attempt-1/n1.step-2");
}

int DevicesWith(const Variables& more) {
  Variables all = kBatch;
  for (const auto& [name, value] : more) all[name] = value;
  return Find(all)->devices;
}

// As Slurm 22.05 set them for jobs that went on at another width.
TEST(JobPlace, HasTheDevicesThatSlurmGaveThisAttempt) {
  EXPECT_EQ(DevicesWith({{"SLURM_GPUS", "1"}, {"SLURM_GPUS_ON_NODE", "4"}}), 4);
  EXPECT_EQ(DevicesWith({{"SLURM_GPUS_ON_NODE", "2"}, {"SLURM_JOB_NUM_NODES", "3"}}), 6);
  EXPECT_EQ(DevicesWith({{"SLURM_CPUS_PER_TASK", "8"}, {"SLURM_NTASKS", "1"}}), 8);
  EXPECT_EQ(DevicesWith({{"SLURM_JOB_CPUS_PER_NODE", "2(x2),3"}}), 7);
  EXPECT_EQ(DevicesWith({{"SLURM_JOB_CPUS_PER_NODE", "2(x"}}), 0);
  EXPECT_EQ(DevicesWith({}), 0);
}

TEST(JobPlace, ProgramsFindTheirWidthAndSrunToo) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto variables = [](const Variables& given) {
    return WidthVariables(*Find(given), [&](const char* name) {
      const auto found = given.find(name);
      return found == given.end() ? nullptr : found->second.c_str();
    });
  };
  Variables wide = kBatch;
  EXPECT_EQ(variables(wide), Pairs{});
  wide["SLURM_GPUS_ON_NODE"] = "4";
  EXPECT_EQ(variables(wide), (Pairs{{"EBB_DEVICES", "4"}}));
  wide["SLURM_GPUS"] = "1";
  EXPECT_EQ(variables(wide), (Pairs{{"EBB_DEVICES", "4"}, {"SLURM_GPUS", "4"}}));
  wide["SLURM_GPUS"] = "a100:1";
  EXPECT_EQ(variables(wide), (Pairs{{"EBB_DEVICES", "4"}, {"SLURM_GPUS", "a100:4"}}));
  wide["SLURM_STEP_ID"] = "0";
  EXPECT_EQ(variables(wide), (Pairs{{"EBB_DEVICES", "4"}})) << "srun has run already";
}

TEST(JobPlace, ARestartIsAnotherAttemptInTheSameFolder) {
  Variables again = kBatch;
  again["SLURM_RESTART_COUNT"] = "2";
  const auto place = Find(again);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->attempt, 3);
  EXPECT_EQ(JobFolder(place->submitted_from, place->job), "/home/mia/.ebb/slurm-12");
  EXPECT_EQ(RunFolder("/d", *place, 0), "/d/attempt-3/n1");
}

TEST(JobPlace, TasksOfAStepHaveFoldersOfTheirOwn) {
  std::map<std::filesystem::path, int> folders;
  for (const auto& [task, on_node, node] :
       {std::tuple("0", "0", "n1"), {"1", "1", "n1"}, {"2", "0", "n2"}, {"3", "1", "n2"}})
    for (const int steps_before : {0, 1}) {
      const auto place = Find(Step(task, on_node, node));
      ASSERT_TRUE(place);
      EXPECT_EQ(place->tasks, 4);
      const auto folder = RunFolder("/d", *place, steps_before);
      ++folders[folder];
      EXPECT_EQ(NodeOfFolder(folder.filename()), node);
      EXPECT_EQ(AttemptOfFolder(folder.parent_path().filename()), 1);
    }
  EXPECT_EQ(folders.size(), 8u);
}

TEST(JobPlace, ComponentsOfAHeterogeneousJobAreRequeuedByTheFirst) {
  Variables component = kBatch;
  component["SLURM_JOB_ID"] = "13";
  component["SLURM_HET_JOB_ID"] = "12";
  EXPECT_EQ(Find(component)->requeue, "12");
}

TEST(JobPlace, OtherFoldersAreNoAttempts) {
  for (const char* name : {"checkpoints", "attempt-", "attempt-0", "attempt-x", ""})
    EXPECT_EQ(AttemptOfFolder(name), std::nullopt) << name;
  EXPECT_EQ(NodeOfFolder("gpu.task-force"), "gpu") << "the mark is Ebb's";
  EXPECT_EQ(NodeOfFolder("gpu.cluster.example"), "gpu.cluster.example");
}

}  // namespace
}  // namespace ebb::slurm
