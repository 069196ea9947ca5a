#include "slurm/client/job_size.h"

#include <gtest/gtest.h>

#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

using Words = std::vector<std::string>;

struct Request {
  std::string by_job{}, by_node{}, by_task{};
  int nodes = 1, tasks = 1;
};

SlurmJob JobOf(const Request& request) {
  SlurmJob job;
  job.nodes = request.nodes;
  job.tasks = request.tasks;
  SetGpus(request.by_job, request.by_node, request.by_task, request.tasks, job);
  return job;
}

Words WordsFor(const SlurmJob& job, int devices) {
  const auto words = SizeWords(job, devices);
  return words ? *words : Words{words.error().what};
}

// The forms are those that squeue 22.05 and 24.11 print.
TEST(JobSize, GpusStayInTheFormOfTheRequest) {
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres:gpu:1"}), 4), Words{"TresPerJob=gres:gpu:4"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres/gpu:a100:8"}), 2), Words{"TresPerJob=gres/gpu:a100:2"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres/gpu:a100=8"}), 2), Words{"TresPerJob=gres/gpu:a100=2"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres:gpu"}), 2), Words{"TresPerJob=gres:gpu:2"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres:gpu:a100"}), 2), Words{"TresPerJob=gres:gpu:a100:2"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres:gpu:1,license:gpu:3"}), 2),
            Words{"TresPerJob=gres:gpu:2,license:gpu:3"});
}

TEST(JobSize, NodesShareGpusEvenly) {
  const SlurmJob job = JobOf({.by_node = "gres:gpu:2", .nodes = 2});
  EXPECT_EQ(DevicesOf(job), 4);
  EXPECT_EQ(WordsFor(job, 2), Words{"TresPerNode=gres:gpu:1"});
  EXPECT_EQ(WordsFor(job, 3), Words{"it has 2 nodes, which cannot share 3 GPUs evenly"});
}

TEST(JobSize, CoresAreThoseOfTheOneTask) {
  SlurmJob job;
  job.cores = 2;
  EXPECT_EQ(DevicesOf(job), 2);
  EXPECT_EQ(WordsFor(job, 4), (Words{"NumCPUs=4", "CPUsPerTask=4"}));
  job.tasks = 2;
  EXPECT_EQ(WordsFor(job, 4), Words{"it asks for cores for several tasks"});
}

TEST(JobSize, OtherRequestsStayAsTheyAre) {
  EXPECT_EQ(WordsFor(JobOf({.by_task = "gres:gpu:1", .tasks = 2}), 4),
            Words{"it asks for GPUs by task"});
  EXPECT_EQ(WordsFor(JobOf({.by_job = "gres:gpu:a100:1,gres:gpu:v100:1"}), 4),
            Words{"it asks for several kinds of GPUs"});
  SlurmJob part = JobOf({.by_job = "gres:gpu:1"});
  part.leader = "12";
  EXPECT_EQ(WordsFor(part, 4), Words{"it is a heterogeneous job"});
}

}  // namespace
}  // namespace ebb::slurm
