#include "cli/slurm_start_text.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

const Time kNow = *ParseTime("2026-11-27T18:00Z");
const LocalTimes kUtc{std::nullopt, kNow};

app::SlurmSubmission Later() {
  app::SlurmSubmission submission;
  submission.job.duration = std::chrono::hours{2};
  submission.job.devices = 4;
  app::StartChoice choice;
  choice.start = kNow + std::chrono::hours{9};
  choice.latest = kNow + std::chrono::hours{18};
  choice.reason.rule = core::GateRule::kPlanned;
  choice.if_now = Intensity{312};
  choice.expected = Intensity{141};
  submission.begin = choice.start;
  submission.choice = choice;
  return submission;
}

TEST(SlurmStartText, SaysWhatALaterStartSaves) {
  app::SlurmSubmission submission = Later();
  EXPECT_EQ(StartSentence("job 12", submission, kNow, kUtc),
            "job 12 starts at Sat 03:00, in 9h: 141 g/kWh instead of 312, saves 55 %; at the "
            "latest Sat 12:00");
  submission.power = Power{250};
  EXPECT_EQ(StartSentence("job 12", submission, kNow, kUtc),
            "job 12 starts at Sat 03:00, in 9h: 141 g/kWh instead of 312, saves 55 % (282 g "
            "instead of 624 g); at the latest Sat 12:00");
}

TEST(SlurmStartText, SaysWhyAJobStartsNow) {
  app::SlurmSubmission submission = Later();
  submission.begin.reset();
  submission.choice->start = kNow;
  EXPECT_EQ(StartSentence("job 12", submission, kNow, kUtc),
            "job 12 starts as soon as Slurm has room: no start until Sat 12:00 is expected to be "
            "better than now (312 g/kWh)");
  submission.choice->reason.rule = core::GateRule::kHoursUnknown;
  EXPECT_NE(
      StartSentence("job 12", submission, kNow, kUtc).find("nothing is known about the hours"),
      std::string::npos);
}

TEST(SlurmStartText, UnknownIsNotZero) {
  app::SlurmSubmission submission = Later();
  submission.choice->expected.reset();
  submission.choice->reason.rule = core::GateRule::kSignalMissing;
  submission.choice->start = submission.choice->latest;
  EXPECT_EQ(SavingOf(*submission.choice), std::nullopt);
  EXPECT_NE(StartSentence("job 12", submission, kNow, kUtc).find("is unknown now"),
            std::string::npos);
}

TEST(SlurmStartText, AServiceMovesTheStart) {
  app::SlurmSubmission submission = Later();
  submission.choice.reset();
  EXPECT_EQ(StartSentence("job 12", submission, kNow, kUtc),
            "job 12 waits for the service, which starts it in a clean hour; without a service it "
            "starts at Sat 03:00, in 9h");
  submission.begin.reset();
  EXPECT_EQ(StartSentence("job 12", submission, kNow, kUtc), "job 12 starts when Slurm lets it");
}

}  // namespace
}  // namespace ebb::cli
