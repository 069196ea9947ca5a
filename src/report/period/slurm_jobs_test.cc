#include "report/period/slurm_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const Time kNoon{std::chrono::hours{12}};

SlurmRow Start(const std::string& job, Duration after, Duration lasts, const std::string& state,
               std::int64_t gpus = 1) {
  SlurmRow row;
  row.job = row.id = job;
  row.cluster = "ci";
  row.user = "ann";
  row.state = state;
  row.wall = {kNoon + after, kNoon + after + lasts};
  row.elapsed = lasts;
  row.gpus = gpus;
  return row;
}

MeasuredAttempt Attempt(const std::string& job, Duration after, Energy energy) {
  JobFigures figures;
  figures.runs = 1;
  figures.energy = energy;
  figures.emissions_ug = energy.microjoules() / 10'000;
  return {job, "ci", {kNoon + after, kNoon + after + std::chrono::minutes{5}}, figures};
}

TEST(SlurmJobs, EachRestartIsARowWithItsOwnEnergy) {
  using std::chrono::hours;
  using std::chrono::seconds;
  const SlurmReport slurm = BesideSlurm(
      {Start("7", hours{2}, hours{1}, "COMPLETED"), Start("7", hours{0}, hours{1}, "REQUEUED"),
       Start("8", hours{0}, hours{3}, "COMPLETED", 4)},
      {Attempt("7", hours{2} + seconds{3}, Energy::Joules(500)),
       Attempt("7", seconds{-1}, Energy::Joules(200)), Attempt("9", hours{0}, Energy::Joules(1))});
  ASSERT_EQ(slurm.rows.size(), 3u);
  EXPECT_EQ(slurm.rows[0].restart, 0);
  EXPECT_EQ(slurm.rows[0].measured->energy, Energy::Joules(200));
  EXPECT_FALSE(slurm.rows[1].measured) << "job 8";
  EXPECT_EQ(slurm.rows[2].restart, 1);
  EXPECT_EQ(slurm.rows[2].measured->energy, Energy::Joules(500));
  EXPECT_EQ(slurm.measured.starts, 2);
  EXPECT_EQ(slurm.not_measured.starts, 1);
  EXPECT_DOUBLE_EQ(slurm.not_measured.hours, 3);
  EXPECT_DOUBLE_EQ(slurm.not_measured.gpu_hours, 12);
  EXPECT_EQ(slurm.without_row.energy, Energy::Joules(1));
}

TEST(SlurmJobs, ANumberThatSlurmUsesAgainIsAnotherJob) {
  using std::chrono::hours;
  SlurmRow later = Start("7", hours{20}, hours{1}, "COMPLETED");
  SlurmRow elsewhere = Start("7", hours{0}, hours{1}, "COMPLETED");
  elsewhere.cluster = "other";
  const SlurmReport slurm =
      BesideSlurm({Start("7", hours{0}, hours{1}, "COMPLETED"), later, elsewhere},
                  {Attempt("7", hours{20}, Energy::Joules(5))});
  for (const SlurmRow& row : slurm.rows) {
    EXPECT_EQ(row.restart, 0);
    EXPECT_EQ(row.measured.has_value(), row.wall.begin == later.wall.begin);
  }
}

TEST(SlurmJobs, NoJouleIsLostOrCountedTwice) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    std::vector<SlurmRow> rows;
    std::vector<MeasuredAttempt> attempts;
    Energy all;
    for (int i = 0; i < 30; ++i) {
      const std::string job = std::to_string(random.Below(6));
      const Duration after = std::chrono::minutes{random.Below(600)};
      if (random.Below(3) > 0)
        rows.push_back(Start(job, after, std::chrono::minutes{random.Below(60)}, "REQUEUED"));
      if (random.Below(3) == 0) continue;
      attempts.push_back(Attempt(
          job, after, Energy::Microjoules(static_cast<std::int64_t>(random.Below(1000000)))));
      all += attempts.back().figures.energy;
    }
    const SlurmReport slurm = BesideSlurm(rows, attempts);
    EXPECT_EQ(slurm.measured.measured.energy + slurm.without_row.energy, all) << seed;
    Energy by_user, by_row;
    for (const auto& user : slurm.users) by_user += user.measured.measured.energy;
    for (const SlurmRow& row : slurm.rows)
      if (row.measured) by_row += row.measured->energy;
    EXPECT_EQ(by_user, slurm.measured.measured.energy) << seed;
    EXPECT_EQ(by_row, slurm.measured.measured.energy) << seed;
    EXPECT_EQ(slurm.measured.starts + slurm.not_measured.starts,
              static_cast<std::int64_t>(rows.size()));
  }
}

TEST(SlurmJobs, WhatIsNotMeasuredHasHoursAndNoEnergy) {
  const SlurmReport slurm =
      BesideSlurm({Start("7", Duration{}, std::chrono::hours{2}, "COMPLETED", 8)}, {});
  const std::string text = SlurmText(slurm, kAnyWidth);
  EXPECT_THAT(text, HasSubstr("16.0"));
  EXPECT_THAT(text, Not(HasSubstr(" J")));
  EXPECT_THAT(text, Not(HasSubstr("Wh")));
  EXPECT_THAT(SlurmCsv(slurm), HasSubstr(",7200,0,0,8,0,,,,\n"));
  EXPECT_THAT(text, HasSubstr("AcctGatherEnergyType"));
}

TEST(SlurmJobs, SlurmsOwnEnergyStandsBesideWithItsLimits) {
  SlurmRow row = Start("7", Duration{}, std::chrono::hours{2}, "COMPLETED");
  row.told = Energy::Joules(7'200'000);
  const SlurmReport slurm =
      BesideSlurm({row}, {Attempt("7", Duration{1000}, Energy::Joules(3'600'000))});
  const std::string text = SlurmText(slurm, kAnyWidth);
  EXPECT_THAT(text, HasSubstr("1.00 kWh"));
  EXPECT_THAT(text, HasSubstr("2.00 kWh"));
  EXPECT_THAT(text, HasSubstr("no NVIDIA GPUs"));
}

}  // namespace
}  // namespace ebb::report
