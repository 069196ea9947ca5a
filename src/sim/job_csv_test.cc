#include "sim/job_csv.h"

#include <gtest/gtest.h>

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

Error ErrorOf(const std::string& text) {
  const auto result = ParseJobCsv(text, "jobs.csv", {});
  EXPECT_FALSE(result.has_value()) << text;
  return result ? Error{} : result.error();
}

TEST(JobCsv, ReadsGaiasHours) {
  const auto csv = ParseJobCsv("arrival_time,length,cpus\n0.5,2.0,4\n0.25,0.001,1\n", "a", {});
  ASSERT_TRUE(csv.has_value());
  ASSERT_EQ(csv->jobs.size(), 2u);
  EXPECT_EQ(csv->jobs[0].submitted, Time{std::chrono::minutes{15}});
  EXPECT_EQ(csv->jobs[0].duration, Duration{3600});
  EXPECT_EQ(csv->jobs[1].duration, Duration{hours{2}});
  EXPECT_EQ(csv->jobs[1].devices, 4);
  EXPECT_EQ(csv->jobs[1].id, 2);
  EXPECT_EQ(csv->jobs[1].power.watts, 1000);
}

TEST(JobCsv, ReadsJobTracesWithOffsetsFromTheFirstSubmission) {
  const auto csv = ParseJobCsv(
      "job_id,submit_time,duration_s,gpus,clamped_48h\r\n"
      "b,2020-07-06T10:30:00Z,90,2,0\r\na,2020-07-06T10:00:00Z,60,1,0\r\n",
      "a", {});
  ASSERT_TRUE(csv.has_value());
  EXPECT_EQ(csv->first, *ParseTime("2020-07-06T10:00:00Z"));
  EXPECT_EQ(csv->jobs[0].name, "a");
  EXPECT_EQ(csv->jobs[0].submitted, Time{});
  EXPECT_EQ(csv->jobs[1].submitted, Time{std::chrono::minutes{30}});
}

TEST(JobCsv, RulesGoByLengthAndTheFirstThatFitsCounts) {
  JobCsvOptions options;
  options.max_delay = hours{24};
  options.rules = {{hours{2}, Duration{hours{6}}, std::nullopt, "short"},
                   {std::nullopt, std::nullopt, Power{300}, "long"}};
  const auto csv = ParseJobCsv("arrival_time,length,cpus\n0,2,1\n1,3,1\n", "a", options);
  ASSERT_TRUE(csv.has_value());
  EXPECT_EQ(*csv->jobs[0].start_by, Time{hours{6}});
  EXPECT_EQ(csv->jobs[0].tier, "short");
  EXPECT_EQ(*csv->jobs[1].start_by, Time{hours{25}});
  EXPECT_EQ(csv->jobs[1].power.watts, 300);
}

TEST(JobCsv, LeavesOutWhatIsAskedAndCountsIt) {
  JobCsvOptions options;
  options.shortest = hours{1};
  options.widest = 4;
  const auto csv = ParseJobCsv("arrival_time,length,cpus\n0,0.5,1\n1,3,8\n2,3,4\n", "a", options);
  ASSERT_TRUE(csv.has_value());
  EXPECT_EQ(csv->jobs.size(), 1u);
  EXPECT_EQ(csv->left_out, 2);
}

TEST(JobCsv, NamesTheLineAndTheCause) {
  const std::string head = "arrival_time,length,cpus\n0,1,1\n";
  EXPECT_EQ(ErrorOf(head + "1,0,1\n").where, "jobs.csv:3");
  EXPECT_NE(ErrorOf(head + "1,0,1\n").what.find("length \"0\""), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,-2,1\n").what.find("length"), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,2,0.5\n").what.find("cpus \"0.5\""), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,2,0\n").what.find("cpus"), std::string::npos);
  EXPECT_NE(ErrorOf(head + "-1,2,1\n").what.find("arrival_time"), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,nan,1\n").what.find("length \"nan\""), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,1e300,1\n").what.find("length"), std::string::npos);
  EXPECT_NE(ErrorOf(head + "1,2\n").what.find("has 2 fields"), std::string::npos);
  const std::string trace = "submit_time,duration_s,gpus,job_id\n";
  EXPECT_NE(ErrorOf(trace + "yesterday,1,1,x\n").what.find("submit_time \"yesterday\""),
            std::string::npos);
  EXPECT_NE(ErrorOf("a,b,c\n1,2,3\n").what.find("not one of a job trace"), std::string::npos);
  EXPECT_NE(ErrorOf(head.substr(0, 25)).what.find("no rows"), std::string::npos);
  EXPECT_EQ(ErrorOf("").where, "jobs.csv:1");
}

TEST(JobCsv, OneBadLineInAMillionIsNamed) {
  std::string text = "arrival_time,length,cpus\n";
  text.reserve(12'000'000);
  for (int i = 0; i < 1'000'000; ++i) text += i == 654'320 ? "1,oops,1\n" : "1.25,0.5,1\n";
  EXPECT_EQ(ErrorOf(text).where, "jobs.csv:654322");
}

TEST(JobCsv, SeveralBadLinesAreCountedAndTheFirstAreNamed) {
  std::string text = "arrival_time,length,cpus\n";
  for (int i = 0; i < 9; ++i) text += "x,1,1\n";
  const Error error = ErrorOf(text);
  EXPECT_NE(error.what.find("9 bad lines"), std::string::npos);
  EXPECT_NE(error.what.find("jobs.csv:2"), std::string::npos);
  EXPECT_EQ(error.what.find("jobs.csv:8"), std::string::npos);
}

}  // namespace
}  // namespace ebb::sim
