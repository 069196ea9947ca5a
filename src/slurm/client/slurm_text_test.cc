#include "slurm/client/slurm_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ebb::slurm {
namespace {

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(EBB_SLURM_TESTDATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SlurmText, JobsOfARealController) {
  const auto jobs = ReadSqueue(Recorded("squeue-22.05.txt"));
  ASSERT_EQ(jobs.size(), 11u);
  const auto find = [&](const std::string& id) -> const SlurmJob& {
    for (const SlurmJob& job : jobs)
      if (job.id == id) return job;
    ADD_FAILURE() << id;
    return jobs.front();
  };
  const SlurmJob& held = find("1");
  EXPECT_TRUE(held.is_held());
  EXPECT_FALSE(held.is_held_by_administrator());
  EXPECT_EQ(held.gpus, 2);
  EXPECT_EQ(held.time_limit, Duration{std::chrono::minutes{10}});
  EXPECT_EQ(held.comment, "ebb:tier=flex;start-by=12h");
  EXPECT_EQ(held.name, "a name | with UserId=7 and ümlaut");
  EXPECT_FALSE(held.start);
  EXPECT_EQ(held.directory, "/tmp");
  const SlurmJob& later = find("2");
  EXPECT_FALSE(later.is_held());
  EXPECT_EQ(later.reason, "BeginTime");
  EXPECT_EQ(later.gpu_type, "fake");
  EXPECT_EQ(*later.start - later.submitted, std::chrono::hours{1});
  EXPECT_EQ(find("3_1").gpus, 2) << "of two tasks";
  EXPECT_EQ(find("3_1").number, "3");
  EXPECT_EQ(find("3_1").nodes, 2);
  EXPECT_EQ(find("3_2").time_limit, Duration{std::chrono::days{1}});
  EXPECT_EQ(find("4+0").leader, "4");
  EXPECT_EQ(find("4+1").gpus, 1);
  EXPECT_EQ(find("6").state, JobState::kFailed);
  EXPECT_EQ(find("6").exit_code, 3);
  EXPECT_TRUE(find("7").has_dependency);
  EXPECT_EQ(find("8").state, JobState::kRunning);
  EXPECT_EQ(find("8").host, "n1");
  EXPECT_TRUE(find("10").is_held_by_administrator());
}

TEST(SlurmText, NodesOfARealController) {
  const auto nodes = ReadSinfo(Recorded("sinfo-22.05.txt"));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].name, "n1");
  EXPECT_EQ(nodes[0].partitions, (std::vector<std::string>{"main", "short"}));
  EXPECT_EQ(nodes[0].cores, 8);
  EXPECT_EQ(nodes[0].gpus, 2);
  EXPECT_EQ(nodes[0].gpu_type, "fake");
  EXPECT_EQ(nodes[0].used_gpus, 1);
  EXPECT_TRUE(nodes[0].is_up);
  EXPECT_TRUE(nodes[1].is_away) << "drained";
}

TEST(SlurmText, EndsOfARealAccounting) {
  const auto ended = ReadSacct(
      "7|FAILED|3:0|1795798913|1795798914|1795798915|root|a|b\n"
      "9|CANCELLED by 0|0:15|1795798913|Unknown|1795798915|root|\n"
      "short|line\n");
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].state, JobState::kFailed);
  EXPECT_EQ(ended[0].exit_code, 3);
  EXPECT_EQ(ended[0].comment, "a|b");
  EXPECT_EQ(ended[1].state, JobState::kCancelled);
  EXPECT_FALSE(ended[1].start);
}

// The beginning of what sdiag of 22.05 printed.
TEST(SlurmText, TheLoadOfTheController) {
  const auto load = ReadSdiag(
      "*******************************************************\n"
      "sdiag output at Fri Nov 27 20:36:25 2026 (1795811785)\n"
      "Server thread count:  131\n"
      "Agent queue size:     12\n"
      "Agent count:          0\n"
      "DBD Agent queue size: 7\n");
  ASSERT_TRUE(load);
  EXPECT_EQ(*load, (ControllerLoad{131, 12}));
  EXPECT_FALSE(ReadSdiag("sdiag: error: Zero Bytes were transmitted or received"));
}

TEST(SlurmText, RequestsOfGpus) {
  const auto read = [](std::string_view text) {
    const GpuRequest request = ReadGpus(text);
    return std::pair(request.count, request.type);
  };
  using Expected = std::pair<int, std::string>;
  EXPECT_EQ(read("gres:gpu:2"), Expected(2, ""));
  EXPECT_EQ(read("gres/gpu:a100:4"), Expected(4, "a100"));
  EXPECT_EQ(read("gres:gpu"), Expected(1, ""));
  EXPECT_EQ(read("gpu:fake:2(IDX:0,1),license:3"), Expected(2, "fake"));
  EXPECT_EQ(read("gres/gpu=8"), Expected(8, ""));
  EXPECT_EQ(read("license:x:3"), Expected(0, ""));
  EXPECT_EQ(read(""), Expected(0, ""));
}

TEST(SlurmText, TimeLimits) {
  EXPECT_EQ(ReadTimeLimit("10:00"), Duration{std::chrono::minutes{10}});
  EXPECT_EQ(ReadTimeLimit("1-02:03:04"), Duration{std::chrono::seconds{93784}});
  EXPECT_EQ(ReadTimeLimit("90"), Duration{std::chrono::minutes{90}});
  EXPECT_EQ(ReadTimeLimit("2:00:00"), Duration{std::chrono::hours{2}});
  EXPECT_EQ(ReadTimeLimit("1-6"), Duration{std::chrono::hours{30}});
  EXPECT_EQ(ReadTimeLimit("1-06:30"), Duration{std::chrono::minutes{1830}});
  EXPECT_EQ(ReadTimeLimit("UNLIMITED"), std::nullopt);
  for (const char* text : {"0", "", "-", "1-", "x", "1:2:3:4", "-5"})
    EXPECT_EQ(ReadTimeLimit(text), std::nullopt) << text;
  EXPECT_EQ(ReadTimeLimit("Partition_Limit"), std::nullopt);
}

TEST(SlurmText, WhatIsNoLineIsLeftOut) {
  EXPECT_TRUE(ReadSqueue("squeue: error\n\n").empty());
  EXPECT_TRUE(ReadSinfo(std::string(2000, 'x')).size() <= 1);
}

}  // namespace
}  // namespace ebb::slurm
