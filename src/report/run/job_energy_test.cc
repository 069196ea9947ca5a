#include "report/run/job_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;

JobRun Task(int attempt, const std::string& node, int task, Duration submitted, double factor) {
  JobRun part{attempt, node,
              RunBuilder{.power_factor = factor, .submitted = submitted, .trains = false}.Build()};
  part.run.spec.run_id = node + "-" + std::to_string(attempt) + "-" + std::to_string(task);
  part.run.spec.machine.host = node;
  part.run.spec.scope = core::MeterScope::kProcessTree;
  return part;
}

// Gives the run a GPU that all tasks of its node read.
void ReadGpu(JobRun& part) {
  const std::vector<core::LedgerRow> rows = part.run.ledger;
  for (core::LedgerRow row : rows) {
    if (row.component != core::Component::kCpu) continue;
    row.component = core::Component::kGpu;
    row.device = "gpu:GPU-" + part.node;
    row.source = core::EnergySource::kCounter;
    part.run.ledger.push_back(row);
  }
}

Energy EnergyIn(const std::vector<JobEnergy::Row>& rows) {
  Energy sum;
  for (const JobEnergy::Row& row : rows) sum += row.figures.energy;
  return sum;
}

std::int64_t MicrogramsIn(const std::vector<JobEnergy::Row>& rows) {
  std::int64_t sum = 0;
  for (const JobEnergy::Row& row : rows) sum += row.figures.emissions_ug;
  return sum;
}

TEST(JobEnergyTest, ItsSumIsThatOfTheLedgersToTheMicrojoule) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    std::vector<JobRun> runs;
    Energy shares, gpus;
    const auto attempts = static_cast<int>(1 + random.Below(4));
    for (int attempt = 1; attempt <= attempts; ++attempt)
      for (const char* node : {"n1", "n2"}) {
        const auto tasks = static_cast<int>(1 + random.Below(3));
        for (int task = 0; task < tasks; ++task) {
          runs.push_back(
              Task(attempt, node, task, std::chrono::hours{attempt}, random.Uniform(0.1, 3)));
          shares += core::Total(runs.back().run.ledger).energy;
        }
        // The tasks of a node see the same GPU, which is counted with the first.
        const bool have_gpu = random.Below(2) == 1;
        const std::vector<core::LedgerRow> same = runs.back().run.ledger;
        for (int task = 0; have_gpu && task < tasks; ++task) {
          JobRun& part = runs[runs.size() - static_cast<std::size_t>(task) - 1];
          const Energy before = core::Total(part.run.ledger).energy;
          part.run.ledger = same;
          shares += core::Total(part.run.ledger).energy - before;
          ReadGpu(part);
          if (task == 0) gpus += core::Total(part.run.ledger).gpu;
        }
      }
    const JobEnergy job = EnergyOf("12", runs);
    EXPECT_EQ(job.total.energy, shares + gpus) << seed;
    EXPECT_EQ(job.total.gpu, gpus) << seed;
    for (const auto* rows : {&job.attempts, &job.nodes, &job.cells}) {
      EXPECT_EQ(EnergyIn(*rows), job.total.energy) << seed;
      EXPECT_EQ(MicrogramsIn(*rows), job.total.emissions_ug) << seed;
    }
    Energy ledgers;
    for (const JobRun& part : runs) ledgers += core::Total(part.run.ledger).energy;
    EXPECT_EQ(job.counted_elsewhere, ledgers - job.total.energy) << seed;
  }
}

TEST(JobEnergyTest, NodesOfAnAttemptRunAtTheSameTime) {
  const auto job = EnergyOf(
      "12", {Task(1, "n1", 0, std::chrono::hours{1}, 1), Task(1, "n2", 0, std::chrono::hours{1}, 1),
             Task(2, "n1", 0, std::chrono::hours{9}, 1)});
  EXPECT_EQ(job.total.ran, std::chrono::minutes{20});
  EXPECT_EQ(job.nodes.size(), 2u);
  EXPECT_EQ(job.nodes.front().figures.ran, std::chrono::minutes{20});
}

TEST(JobEnergyTest, UnknownIntensityIsNotZero) {
  JobRun part = Task(1, "n1", 0, std::chrono::hours{1}, 1);
  for (core::LedgerRow& row : part.run.ledger) row.intensity.reset();
  part.run.signal = *core::IntensitySeries::Create(part.run.spec.signal, {});
  part.run.signal_versions.clear();
  const JobEnergy job = EnergyOf("12", {part});
  EXPECT_THAT(JobEnergyText(job), HasSubstr("unknown"));
  const auto json = nlohmann::json::parse(JobEnergyJson(job));
  EXPECT_TRUE(json["total"]["emissions_ug"].is_null());
  EXPECT_THAT(JobEnergyCsv(job), HasSubstr(std::to_string(job.total.energy.microjoules()) + ",\n"));
}

TEST(JobEnergyTest, ASentenceForItsComment) {
  const JobRun one = Task(1, "n1", 0, std::chrono::hours{1}, 1);
  EXPECT_EQ(JobEnergySentence(EnergyOf("12", {one})), "used 200 Wh, 56.0 g");
  EXPECT_EQ(JobEnergySentence(EnergyOf("12", {one, Task(1, "n2", 0, std::chrono::hours{1}, 1),
                                              Task(2, "n1", 0, std::chrono::hours{2}, 1)})),
            "used 600 Wh, 164 g in 2 attempts on 2 nodes");
}

TEST(JobEnergyTest, SaysHowEachAttemptEnded) {
  JobRun killed = Task(1, "n1", 0, std::chrono::hours{1}, 1);
  killed.run.attempts.back().outcome = core::AttemptOutcome::kRunning;
  JobRun paused = Task(2, "n1", 0, std::chrono::hours{2}, 1);
  paused.run.attempts.back().outcome = core::AttemptOutcome::kPaused;
  JobRun done = Task(2, "n2", 0, std::chrono::hours{2}, 1);
  const JobEnergy job = EnergyOf("12", {killed, paused, done});
  EXPECT_EQ(job.unfinished, 1);
  ASSERT_EQ(job.attempts.size(), 2u);
  EXPECT_EQ(job.attempts[1].outcome, "paused, done");
  EXPECT_THAT(JobEnergyText(job), HasSubstr("1 run without an end"));
}

}  // namespace
}  // namespace ebb::report
