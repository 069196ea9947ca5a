#include "app/slurm/sacct.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::app {
namespace {

prices::ZoneClock Clock(const char* name) { return *prices::ZoneClock::Find(name); }
const Time kNow = *ParseTime("2026-11-27T18:00:00Z");

std::vector<report::SlurmRow> Read(const std::string& text, const char* zone = "UTC") {
  const auto rows = ReadSacctTable(text, "jobs.txt", Clock(zone), kNow);
  EXPECT_TRUE(rows) << rows.error().Message();
  return rows.value_or(std::vector<report::SlurmRow>());
}

// As sacct of Slurm 22.05 printed it: a job that was requeued, and one that runs.
constexpr const char* kReal =
    "JobIDRaw|JobID|Cluster|User|Account|Partition|State|Start|End|ElapsedRaw|AllocTRES|"
    "ConsumedEnergyRaw|JobName\n"
    "2|2|ci|root|root|main|REQUEUED|1795800509|1795800517|8|billing=1,cpu=1,mem=100M,node=1||a.sh\n"
    "2|2|ci|root|root|main|CANCELLED by 0|1795800529|1795800532|3|billing=1,cpu=1,mem=100M,node=1||"
    "a.sh\n"
    "9|8_3|ci|ann|ml|gpu|RUNNING|1795800600|Unknown|1800|billing=8,cpu=8,gres/gpu=2,mem=8G,node=2|"
    "5400|a|b\n"
    "10|10|ci|ann|ml|gpu|PENDING|Unknown|Unknown|0|||waits\n";

TEST(Sacct, ReadsARealTableWithRestarts) {
  const auto rows = Read(kReal);
  ASSERT_EQ(rows.size(), 3u) << "a job that waits has not begun";
  EXPECT_EQ(rows[0].state, "REQUEUED");
  EXPECT_EQ(rows[0].elapsed, std::chrono::seconds{8});
  EXPECT_FALSE(rows[0].told) << "not 0: it is not known";
  EXPECT_EQ(rows[2].job, "9");
  EXPECT_EQ(rows[2].id, "8_3");
  EXPECT_EQ(rows[2].name, "a|b");
  EXPECT_EQ(rows[2].gpus, 2);
  EXPECT_EQ(rows[2].nodes, 2);
  EXPECT_EQ(rows[2].wall.end, kNow);
  EXPECT_EQ(rows[2].told, Energy::Joules(5400));
}

TEST(Sacct, TimesAreLocalUnlessTheyAreSeconds) {
  const std::string table =
      "JobID|State|Start|End\n5|COMPLETED|2026-11-27T17:50:47|2026-11-27T17:50:50\n";
  EXPECT_EQ(Read(table)[0].wall.begin, *ParseTime("2026-11-27T17:50:47Z"));
  EXPECT_EQ(Read(table, "Europe/Berlin")[0].wall.begin, *ParseTime("2026-11-27T16:50:47Z"));
  EXPECT_EQ(Read(table)[0].elapsed, std::chrono::seconds{3});
}

TEST(Sacct, GpusAreNotCountedAgainByType) {
  const auto gpus = [](const std::string& resources) {
    return Read("JobID|State|Start|End|AllocTRES\n5|COMPLETED|10|20|" + resources + "\n")[0].gpus;
  };
  EXPECT_EQ(gpus("cpu=1,gres/gpu=4,gres/gpu:a100=4"), 4);
  EXPECT_EQ(gpus("cpu=1,gres/gpu:a100=2,gres/gpu:h100=1"), 3);
  EXPECT_EQ(gpus("cpu=1"), 0);
}

TEST(Sacct, EnergyThatSlurmDoesNotKnowIsAbsent) {
  const auto told = [](const std::string& raw, const std::string& resources) {
    return Read("JobID|State|Start|End|AllocTRES|ConsumedEnergyRaw\n5|COMPLETED|10|20|" +
                resources + "|" + raw + "\n")[0]
        .told;
  };
  EXPECT_EQ(told("0", ""), std::nullopt);
  EXPECT_EQ(told("18446744073709551614", ""), std::nullopt) << "NO_VAL64";
  EXPECT_EQ(told("", "cpu=1,energy=77,node=1"), Energy::Joules(77));
}

TEST(Sacct, StepsAreNoJobs) {
  EXPECT_EQ(Read("JobID|State|Start|End\n5|COMPLETED|10|20\n5.batch|COMPLETED|10|20\n"
                 "5.0|COMPLETED|10|20\n")
                .size(),
            1u);
}

TEST(Sacct, SaysWhatIsWrongWithAFile) {
  const auto message = [](const std::string& text) {
    const auto rows = ReadSacctTable(text, "jobs.txt", Clock("UTC"), kNow);
    return rows ? "" : rows.error().Message();
  };
  EXPECT_NE(message("JobID|State|Start\n").find("no column end"), std::string::npos);
  EXPECT_NE(message("JobID|JobName|State|Start|End\n1|a|b|COMPLETED|10|20\n").find("jobs.txt:2"),
            std::string::npos);
  EXPECT_NE(message("").find("no column"), std::string::npos);
}

TEST(Sacct, AsksForAllUsersAndRestartsOfThePeriod) {
  std::vector<std::string> asked;
  const Interval period{Time{std::chrono::seconds{1795800520}},
                        Time{std::chrono::hours{24 * 30000}}};
  const auto rows = SlurmRowsOf("sacct", period, Clock("UTC"), kNow,
                                [&](const std::vector<std::string>& command) {
                                  asked = command;
                                  return Result<platform::ProgramEnd>({0, kReal, ""});
                                });
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 2u) << "the first start had ended";
  EXPECT_EQ(Join(asked, " ").substr(0, 64),
            "sacct -a -X --duplicates -P -S uts1795800520 -E uts1795802400 -o");
  const auto failed = SlurmRowsOf("sacct", period, Clock("UTC"), kNow, [](const auto&) {
    return Result<platform::ProgramEnd>({1, "", "Slurm accounting storage is disabled\n"});
  });
  EXPECT_NE(failed.error().Message().find("storage is disabled"), std::string::npos);
}

}  // namespace
}  // namespace ebb::app
