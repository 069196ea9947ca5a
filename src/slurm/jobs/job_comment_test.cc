#include "slurm/jobs/job_comment.h"

#include <gtest/gtest.h>

#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

SlurmJob JobWith(const std::string& comment) {
  SlurmJob job;
  job.name = "train";
  job.submitted = *ParseTime("2026-11-27T12:00Z");
  job.gpus = 2;
  job.time_limit = std::chrono::hours{3};
  job.comment = comment;
  return job;
}

TEST(JobComment, KeepsTheOwnersPart) {
  JobComment comment = ReadComment("ebb:tier=tier1");
  EXPECT_TRUE(comment.is_for_ebb);
  EXPECT_EQ(comment.course, Course::kNone);
  comment.course = Course::kWait;
  comment.attempt = 2;
  comment.tag = "5f2a";
  comment.sentence = "312 g/kWh now";
  const std::string written = WriteComment(comment);
  EXPECT_EQ(written, "ebb:tier=tier1 {ebb wait 2 5f2a} 312 g/kWh now");
  const JobComment read = ReadComment(written);
  EXPECT_EQ(read.owners, "ebb:tier=tier1");
  EXPECT_EQ(read.course, Course::kWait);
  EXPECT_EQ(read.attempt, 2);
  EXPECT_EQ(read.tag, "5f2a");
  EXPECT_EQ(read.sentence, "312 g/kWh now");
  EXPECT_EQ(WriteComment(read), written);
}

TEST(JobComment, OfAJobThatIsOnlyMeasuredStandsBehindAMark) {
  JobComment comment = ReadComment("for the paper");
  for (const char* sentence : {"used 1 kWh, 300 g", "used 2 kWh, 600 g"}) {
    comment.measured = sentence;
    const std::string text = WriteComment(comment);
    EXPECT_EQ(text, "for the paper {ebb measured} " + std::string(sentence));
    comment = ReadComment(text);
    EXPECT_EQ(comment.owners, "for the paper");
    EXPECT_EQ(comment.course, Course::kNone);
    EXPECT_EQ(comment.measured, sentence);
  }
  EXPECT_EQ(WriteComment(ReadComment("{ebb measured} used 1 kWh")), "{ebb measured} used 1 kWh");
}

TEST(JobComment, ASentenceStandsBehindWhatWasMeasured) {
  JobComment comment = ReadComment("ebb: {ebb go 1 5f2a} used 1 kWh, 300 g");
  EXPECT_EQ(comment.measured, "used 1 kWh, 300 g");
  EXPECT_EQ(comment.sentence, "");
  comment.course = Course::kWait;
  comment.sentence = "312 g/kWh now; expected at 03:00";
  const std::string text = WriteComment(comment);
  EXPECT_EQ(text, "ebb: {ebb wait 1 5f2a} used 1 kWh, 300 g; 312 g/kWh now; expected at 03:00");
  const JobComment read = ReadComment(text);
  EXPECT_EQ(read.measured, comment.measured);
  EXPECT_EQ(read.sentence, comment.sentence);
}

TEST(JobComment, OfAJobThatEbbDoesNotTakeHasItsReason) {
  JobComment comment = ReadComment("ebb:finish-by=1m");
  comment.sentence = "Ebb does not take this job: it takes 1 h";
  const std::string text = WriteComment(comment);
  EXPECT_EQ(text, "ebb:finish-by=1m {ebb note} Ebb does not take this job: it takes 1 h");
  EXPECT_EQ(ReadComment(text).course, Course::kNone);
  EXPECT_EQ(WriteComment(ReadComment(text)), text);
}

TEST(JobComment, OfAJobThatIsNotForEbb) {
  EXPECT_FALSE(ReadComment("please be quick").is_for_ebb);
  EXPECT_EQ(WriteComment(ReadComment("please be quick")), "please be quick");
}

TEST(JobComment, ALongSentenceIsCutBetweenCharacters) {
  JobComment comment = ReadComment("ebb:");
  comment.course = Course::kGo;
  for (int i = 0; i < 400; ++i) comment.sentence += "ü";
  const std::string written = WriteComment(comment);
  EXPECT_LT(written.size(), kLongestComment);
  EXPECT_EQ(static_cast<unsigned char>(written.back()), 0xBC);
}

TEST(JobComment, WishesAreTheOptionsOfAllJobs) {
  const JobWishes wishes = ReadWishes(
      JobWith("ebb:tier=2;start-by=6h;checkpointable;power=300;signal=USR1;grace=5m"), {});
  EXPECT_TRUE(wishes.problems.empty()) << wishes.problems.front();
  const core::Job& job = wishes.submission.job;
  EXPECT_EQ(job.tier, "2");
  EXPECT_EQ(job.threshold->g_per_kwh, 175);
  EXPECT_EQ(job.start_by, *ParseTime("2026-11-27T18:00Z"));
  EXPECT_TRUE(job.checkpointable);
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(job.power.watts, 300);
  EXPECT_EQ(job.duration, std::chrono::hours{3}) << "its time limit";
  EXPECT_EQ(wishes.pause_signal, "USR1");
  EXPECT_EQ(wishes.grace, std::chrono::minutes{5});
}

TEST(JobComment, EveryOptionInSlurmCanStandInAComment) {
  const JobWishes wishes = ReadWishes(
      JobWith("ebb:tier=1;finish-by=2026-11-28T12:00Z;duration=90m;threshold=200;priority=3;"
              "on-outage=run;pause-cost=30s;minimum-segment=10m;not-before=2026-11-27T15:00Z"),
      {});
  EXPECT_TRUE(wishes.problems.empty()) << wishes.problems.front();
  const core::Job& job = wishes.submission.job;
  EXPECT_EQ(job.duration, std::chrono::minutes{90});
  EXPECT_EQ(job.finish_by, *ParseTime("2026-11-28T12:00Z"));
  EXPECT_EQ(job.threshold->g_per_kwh, 200) << "over that of the tier";
  EXPECT_EQ(job.priority, 3);
  EXPECT_EQ(job.on_outage, core::OnOutage::kRun);
  EXPECT_EQ(job.pause_cost, std::chrono::seconds{30});
  EXPECT_EQ(job.minimum_segment, std::chrono::minutes{10});
  EXPECT_EQ(wishes.not_before, *ParseTime("2026-11-27T15:00Z"));
}

TEST(JobComment, WhatCannotBeReadIsSaid) {
  const JobWishes wishes = ReadWishes(JobWith("ebb:tier=gold;start-bye=6h;signal=u s r"), {});
  ASSERT_EQ(wishes.problems.size(), 3u);
  EXPECT_NE(wishes.problems[0].find("a tier of this service"), std::string::npos);
  EXPECT_NE(wishes.problems[2].find("start-by"), std::string::npos) << wishes.problems[2];
}

TEST(JobComment, AJobWithoutGpusHasCores) {
  SlurmJob job = JobWith("ebb:");
  job.gpus = 0;
  job.cores = 16;
  job.time_limit.reset();
  const JobWishes wishes = ReadWishes(job, {});
  EXPECT_EQ(wishes.submission.job.devices, 16);
  EXPECT_EQ(wishes.submission.job.power.watts, 10);
  EXPECT_EQ(wishes.submission.job.duration, std::chrono::hours{1});
}

}  // namespace
}  // namespace ebb::slurm
