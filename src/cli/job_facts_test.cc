#include "cli/job_facts.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

const LocalTimes kTimes{std::nullopt, *ParseTime("2026-05-01T16:10:00Z")};

std::string Facts(const char* json) { return *JobFacts(json, kTimes); }

TEST(JobFacts, ADifferenceWithinWhatIsKnownIsNoClearOne) {
  const std::string facts = Facts(R"({"id":7,"name":"x","stage":"succeeded","emissions_g":240,
      "started":"2026-05-01T12:00:00Z","energy_kwh":1,"ended":"2026-05-01T15:10:00Z",
      "emissions_at_submission_g":250,"saving_half_width_g":12.5})");
  EXPECT_NE(facts.find("250 g: no clear difference (10.0 g less, ± 12.5 g)"), std::string::npos)
      << facts;
}

TEST(JobFacts, TellWhatWaitingWouldHaveSaved) {
  const std::string facts = Facts(R"({"id":7,"name":"x","stage":"succeeded","had_it_waited":
      {"up_to_s":86400,"start":"2026-05-02T11:00:00Z","expected_g":300,"expected_g_at_once":400,
       "saving_percent":25,"forecast_method":"typical day","forecast_issued":"2026-05-01T15:00:00Z"}})");
  EXPECT_NE(facts.find("had it waited             up to 1d 0h: 25.0 % less at"), std::string::npos)
      << facts;
}

TEST(JobFacts, UnknownEmissionsAreAWord) {
  const std::string facts = Facts(R"({"id":7,"name":"x","stage":"succeeded","energy_kwh":1,
      "started":"2026-05-01T12:00:00Z","ended":"2026-05-01T15:10:00Z"})");
  EXPECT_NE(facts.find("emissions                 unknown"), std::string::npos) << facts;
  EXPECT_EQ(Facts(R"({"id":7,"name":"x","stage":"waiting","energy_kwh":0})").find("emissions"),
            std::string::npos);
}

TEST(JobFacts, OfAnEndedJobTellWhatItCostAndWhatItWouldHaveCost) {
  EXPECT_EQ(Facts(R"({"id":7,"name":"bert","stage":"failed","reason":"failed 15:10",
      "detail":"exit code 3","expected_start":"2026-05-01T12:00:00.250Z",
      "expected_end":"2026-05-01T15:10:00Z","ended":"2026-05-01T15:10:00Z","devices":2,"pool":0,
      "ran_ms":[[0,3600000],[7200000,9000000]],"ran_on":[[0,1],[2,3]],
      "energy_kwh":1.23456,"emissions_g":250,"submitted":"2026-05-01T10:00:00Z",
      "started":"2026-05-01T12:00:00.250Z","attempt":2,"pauses":1,"exit_code":3,
      "emissions_at_submission_g":250.001,"emissions_first_come_g":240,
      "command":["python","train.py","--name","a b"],"working_directory":"/home/me",
      "duration_s":5000,"duration_error_percent":8,"power_w":250,"checkpointable":true,
      "priority":1,"sweep":2,"parameters":{"lr":"0.01","rank":"8"},"after":[3,4],"trackers":{"mlflow":"http://127.0.0.1:5000"}})"),
            R"(job 7 (bert): failed 15:10
why                       exit code 3

command                   python train.py --name 'a b'
directory                 /home/me

submitted                 10:00, 6h 10m ago
started                   12:00, 4h 10m ago
ended                     15:10, 1h ago
time zone                 UTC
ran                       1h 30m in 2 parts
attempts                  2
pauses                    1
exit code                 3

energy                    1.23 kWh
emissions                 250 g
first come, first served  240 g: 10.0 g WORSE
at submission, alone      250 g: the same

devices                   2, last on number 2, 3
estimate                  1h 23m (it ran 8.0 % longer), 250 W a device
can be paused             by a checkpoint
priority                  1
after jobs                3, 4
sweep                     2
parameters                lr 0.01, rank 8
mlflow                    http://127.0.0.1:5000
)");
}

TEST(JobFacts, SmallFiguresAreInUnitsThatFit) {
  const std::string facts = Facts(R"({"id":7,"name":"x","stage":"succeeded","emissions_g":4.95e-7,
      "started":"2026-05-01T12:00:00Z","energy_kwh":1.4e-7,"ended":"2026-05-01T15:10:00Z",
      "emissions_at_submission_g":8.17e-3,"duration_s":60,"power_w":1200})");
  for (const char* line :
       {"energy                    504 mJ\n", "emissions                 495 ng\n",
        "at submission, alone      8.17 mg: 8.17 mg saved\n", "1.20 kW a device"})
    EXPECT_NE(facts.find(line), std::string::npos) << line << facts;
}

TEST(JobFacts, OfAWaitingJobTellWhenItIsExpected) {
  const std::string facts =
      Facts(R"({"id":8,"name":"x","stage":"waiting","reason":"waiting: 300 g/kWh now","devices":1,
      "expected_start":"2026-05-02T02:00:00Z","expected_end":"2026-05-02T03:00:00Z",
      "latest_start":"2026-05-02T12:00:00Z","energy_kwh":0,"waits_for":[5,6],
      "submitted":"2026-05-01T10:00:00Z","intensity_now":300,"intensity_expected":120.5,
      "attempt":0,"pauses":0,"command":["true"],"duration_s":3600,"power_w":100,
      "checkpointable":false,"freeze":true,"priority":0,"user":"ada"})");
  EXPECT_TRUE(
      facts.starts_with("job 8 (x): waiting: 300 g/kWh now\nwaits for jobs            5, 6\n"));
  for (const char* line :
       {"expected start            Sat 02:00, in 9h 50m\n",
        "must start by             Sat 12:00, in 20h\n", "intensity now             300 g/kWh\n",
        "intensity expected        120 g/kWh\n",
        "can be paused             where it is, on its devices\n",
        "user                      ada\n"})
    EXPECT_NE(facts.find(line), std::string::npos) << line << facts;
  for (const char* unknown : {"energy", "emissions", "attempts", "exit code", "ran "})
    EXPECT_EQ(facts.find(std::string("\n") + unknown), std::string::npos) << unknown;
}

TEST(JobFacts, WhatIsNoAnswerIsAnError) { EXPECT_FALSE(JobFacts("<html>", kTimes)); }

TEST(JobFacts, OfAJobThatOnlyTheStoreKnowsAssumeNothing) {
  EXPECT_EQ(Facts(R"({"id":1,"name":"old","stage":"cancelled","submitted":"2026-05-01T10:00:00Z",
      "ended":"2026-05-01T11:00:00Z","pauses":0,"energy_kwh":0.0})"),
            "job 1 (old): cancelled\n\n"
            "submitted                 10:00, 6h 10m ago\n"
            "ended                     11:00, 5h 10m ago\n"
            "time zone                 UTC\n");
}

TEST(JobFacts, TellTheWidthsOfAnElasticJob) {
  const std::string facts = Facts(R"({"id":7,"name":"x","stage":"running","devices":1,
      "devices_now":4,"ran_devices":[2,0,1,4],"planned_devices":[4,2]})");
  EXPECT_NE(facts.find("devices now               4\n"), std::string::npos) << facts;
  EXPECT_NE(facts.find("devices so far            2, 1, 4 devices\n"), std::string::npos) << facts;
  EXPECT_NE(facts.find("devices planned           4, 2 devices\n"), std::string::npos) << facts;
}

}  // namespace
}  // namespace ebb::cli
