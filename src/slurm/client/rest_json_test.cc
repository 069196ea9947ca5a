// Answers of slurmrestd: recorded ones beside what Slurm's commands say of the same jobs at the
// same time, and ones written after the documentation (testdata/README.md).
#include "slurm/client/rest_json.h"

#include <gtest/gtest.h>

#include "platform/file.h"
#include "slurm/client/slurm_rows_for_test.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

std::string Data(const std::string& name) {
  return *platform::ReadFile(std::string(EBB_SLURM_TESTDATA) + "/" + name);
}

// Slurm estimates the start of waiting jobs again and again.
std::vector<SlurmJob> WithoutEstimates(std::vector<SlurmJob> jobs) {
  for (SlurmJob& job : jobs)
    if (job.state == JobState::kPending && job.reason != "BeginTime") job.start = job.end = {};
  return jobs;
}

TEST(RestJson, RecordedJobsAreThoseOfSqueue) {
  for (const auto& [slurm, version] :
       {std::pair("22.05", "37"), {"22.05", "38"}, {"24.11", "40"}, {"24.11", "42"}}) {
    const auto jobs =
        ReadRestJobs(Data(std::string("rest-jobs-") + slurm + "-v0.0." + version + ".json"));
    ASSERT_TRUE(jobs) << version;
    EXPECT_TRUE(jobs->is_complete);
    const auto by_squeue = ReadSqueue(Data(std::string("rest-squeue-") + slurm + ".txt"));
    ASSERT_EQ(by_squeue.size(), 13u) << version;
    EXPECT_EQ(RowsOf(WithoutEstimates(jobs->jobs)), RowsOf(WithoutEstimates(by_squeue))) << version;
  }
}

TEST(RestJson, RecordedNodesAreThoseOfSinfo) {
  for (const auto& [slurm, version] : {std::pair("22.05", "38"), {"24.11", "42"}}) {
    const auto nodes =
        ReadRestNodes(Data(std::string("rest-nodes-") + slurm + "-v0.0." + version + ".json"));
    ASSERT_TRUE(nodes && nodes->size() == 2) << version;
    EXPECT_EQ(RowsOf(*nodes), RowsOf(ReadSinfo(Data(std::string("rest-sinfo-") + slurm + ".txt"))))
        << version;
  }
}

TEST(RestJson, DocumentedJobsOfSlurm2511) {
  const auto jobs = ReadRestJobs(Data("rest-jobs-25.11-v0.0.44.json"));
  ASSERT_TRUE(jobs && jobs->jobs.size() == 5);
  EXPECT_EQ(RowOf(jobs->jobs[0]),
            "900_4 |  | alice | lab | green | a100,h100 | CONFIGURING | None | 1200 | "
            "2026-11-27T17:20:00Z | 2026-11-27T18:20:00Z | - | - | 2 | 32 | 8 | a100 |  |  | 2 | 0 "
            "| gpu07 |  | train | ebb:tier=2");
  EXPECT_EQ(jobs->jobs[0].state, JobState::kRunning);
  EXPECT_EQ(RowOf(jobs->jobs[4]),
            "950_9 |  | bob | lab | normal | a100 | PENDING | nodes are in maintenance | 900 | "
            "2026-11-27T17:21:40Z | - | - | 1h 30m | 1 | 4 | 2 |  | dependency | reservation | 0 | "
            "0 |  |  | eval | ");
  EXPECT_EQ(jobs->jobs[2].id, "950_3");
}

TEST(RestJson, AccountingGivesTheLastAttemptOfEachJob) {
  const auto jobs = ReadRestAccounting(Data("rest-accounting-v0.0.42.json"));
  ASSERT_TRUE(jobs && jobs->size() == 3);
  const auto& [component, failed, element] = std::tie((*jobs)[0], (*jobs)[1], (*jobs)[2]);
  EXPECT_EQ(component.id, "12+1");
  EXPECT_FALSE(component.end);
  EXPECT_EQ(failed.id, "8");
  EXPECT_EQ(failed.state, JobState::kFailed);
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.comment, "ebb:");
  EXPECT_EQ(element.id, "9_2");
  EXPECT_EQ(element.exit_code, 137);
}

TEST(RestJson, AListOfElementsThatIsCutIsNotComplete) {
  const auto jobs = ReadRestJobs(
      R"({"jobs": [{"job_id": 7, "array_job_id": 7, "array_task_string": "0-1,4,9,..."}]})");
  ASSERT_TRUE(jobs);
  EXPECT_FALSE(jobs->is_complete);
}

TEST(RestJson, BytesThatAreNotUtf8HideNoJobs) {
  const auto jobs =
      ReadRestJobs("{\"jobs\": [{\"job_id\": 7, \"name\": \"\xff\"}, {\"job_id\": 8}]}");
  ASSERT_TRUE(jobs && jobs->jobs.size() == 2);
  EXPECT_EQ(jobs->jobs[0].name, "?");
}

TEST(RestJson, NumbersOutOfRangeAreNone) {
  const auto jobs = ReadRestJobs(
      R"({"jobs": [{"job_id": 7, "cpus": 4294967294, "node_count": -3, "tasks": 1e300,
          "time_limit": 4294967295, "end_time": 5, "exit_code": {"return_code": {"set": false}}}]})");
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->jobs[0].cores, 1);
  EXPECT_EQ(jobs->jobs[0].nodes, 1);
  EXPECT_FALSE(jobs->jobs[0].time_limit);
}

TEST(RestJson, ErrorsAreThoseWithANumber) {
  const Status refused =
      ReadRestDone(R"({"errors": [{"error_number": 2017, "error": "Invalid job id specified"}]})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "Invalid job id specified");
  EXPECT_EQ(refused.error().code, ExitCode::kUsage);
  EXPECT_TRUE(ReadRestDone(R"({"errors": [{"description": "job array update failed"}]})"))
      << "22.05 says so of a change that it has made";
  EXPECT_TRUE(ReadRestDone(R"({"errors": [{"error_number": 9003, "error": "Nothing found"}]})"));
  for (const char* away :
       {R"({"error_number": 1800, "error": "Unable to contact slurm controller"})",
        R"({"error_number": -1, "error": "Unspecified error", "source": "slurm_load_jobs"})"})
    EXPECT_EQ(ReadRestJobs(std::string("{\"errors\": [") + away + "]}").error().code,
              ExitCode::kUnavailable)
        << away;
  EXPECT_FALSE(ReadRestDone("<html>"));
}

TEST(RestJson, TheNewestVersionThatBothKnow) {
  const auto api = [](const std::string& paths) {
    return ReadRestApi("{\"paths\": {" + paths + "}}");
  };
  const auto newest = api(R"("/slurm/v0.0.40/jobs/": {}, "/slurm/v0.0.42/jobs/": {},
                             "/slurmdb/v0.0.42/jobs/": {}, "/slurm/v0.0.99/jobs/": {})");
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->slurm(), "/slurm/v0.0.42/");
  EXPECT_TRUE(newest->has_accounting);
  EXPECT_FALSE(api(R"("/slurm/v0.0.42/jobs/": {})")->has_accounting);
  EXPECT_FALSE(api(R"("/slurm/v0.0.38/jobs": {}, "/slurmdb/v0.0.38/jobs": {})")->has_accounting)
      << "its accounting lacks exit codes";
  const auto unknown = api(R"("/slurm/v0.0.99/jobs/": {}, "/openapi": {})");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find("it serves slurm/v0.0.99;"), std::string::npos)
      << unknown.error().what;
}

TEST(RestJson, AChangeInOldAndNewVersions) {
  const JobUpdate update{"12", *ParseTime("2026-11-27T12:00:00.5Z"), "a \"b\""};
  EXPECT_EQ(RestUpdate(update, 38), R"({"begin_time":"uts1795780801","comment":"a \"b\""})");
  EXPECT_EQ(RestUpdate(update, 42),
            R"({"begin_time":{"infinite":false,"number":1795780801,"set":true},)"
            R"("comment":"a \"b\""})");
  EXPECT_EQ(RestUpdate({"12", {}, {}}, 42), "{}");
}

}  // namespace
}  // namespace ebb::slurm
