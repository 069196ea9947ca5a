#include "app/slurm/slurm_submission.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/hourly_for_test.h"

namespace ebb::app {
namespace {

using Words = std::vector<std::string>;
using plan::testing::Hourly;
using std::chrono::hours;

const Time kNow = *ParseTime("2026-11-27T18:00Z");

SubmitMoment Moment() { return {kNow, *prices::ZoneClock::Find("UTC")}; }

// 300 g/kWh, but for 141 from 03:00 to 05:00 and 60 from 21:00 of the next day on.
core::SignalView Grid() {
  core::SignalView view;
  view.now = kNow;
  view.known = Hourly(kNow - hours{24}, std::vector<double>(25, 300));
  std::vector<double> ahead(72, 300);
  ahead[8] = ahead[9] = 141;
  std::fill(ahead.begin() + 26, ahead.end(), 60);
  view.forecast.issued = kNow;
  view.forecast.method = "test";
  view.forecast.series = Hourly(kNow + hours{1}, ahead);
  return view;
}

Result<SlurmSubmission> Prepare(const Words& words, std::vector<GivenOption> flags = {},
                                const std::string& script = "#!/bin/sh\n", bool managed = false,
                                const core::SignalView& grid = Grid()) {
  SlurmSubmitRequest request;
  request.words = words;
  request.flags = std::move(flags);
  request.script = script;
  request.script_name = "train.sh";
  request.managed = managed;
  return PrepareSubmission(request, Moment(), [&](Duration) { return grid; });
}

GivenOption Flag(const std::string& name, const std::string& value = "") {
  return {name, value, !value.empty(), "--" + name};
}

std::string Begin(const SlurmSubmission& submission) {
  return submission.begin ? FormatTime(*submission.begin) : "at once";
}

std::string ErrorOf(const Result<SlurmSubmission>& result) {
  return result ? "taken" : result.error().Message();
}

bool Has(const Words& words, const std::string& word) {
  return std::ranges::count(words, word) == 1;
}

TEST(SlurmSubmission, TakesTheCleanestHoursOfTheNextDay) {
  const auto made = Prepare({"-n", "4", "-t", "2:00:00", "train.sh", "--epochs", "3"});
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(Begin(*made), "2026-11-28T03:00:00Z");
  EXPECT_EQ(made->command,
            (Words{"sbatch", "-n", "4", "-t", "2:00:00", "--begin=uts1795834800",
                   "--comment=ebb:start-by=2026-11-28T18:00:00Z", "train.sh", "--epochs", "3"}));
  EXPECT_EQ(made->choice->expected->g_per_kwh, 141);
  EXPECT_EQ(made->choice->if_now->g_per_kwh, 300);
  EXPECT_EQ(FormatTime(made->choice->latest), "2026-11-28T18:00:00Z");
  EXPECT_TRUE(made->notes.empty());
}

TEST(SlurmSubmission, LinesOfTheScriptAreOverriddenByTheCommandLine) {
  const std::string script =
      "#!/bin/sh\n#SBATCH -t 2:00:00\n#EBB --start-by 6h --power 250\n#EBB "
      "--checkpointable\ntrue\n";
  auto made = Prepare({"train.sh"}, {}, script);
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(Begin(*made), "at once") << "no hour until midnight is cleaner";
  EXPECT_TRUE(Has(made->command,
                  "--comment=ebb:start-by=2026-11-28T00:00:00Z;power=250;"
                  "checkpointable"));
  EXPECT_EQ(made->power->watts, 250);
  made = Prepare({"train.sh"}, {Flag("start-by", "48h")}, script);
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(Begin(*made), "2026-11-28T21:00:00Z");
}

TEST(SlurmSubmission, TheDurationIsThatOfTheFlagThenTheTimeLimitThenAnHour) {
  EXPECT_EQ(Prepare({"-t", "90", "train.sh"}, {Flag("duration", "30m")})->job.duration,
            std::chrono::minutes{30});
  EXPECT_EQ(Prepare({"-t", "90", "train.sh"})->job.duration, std::chrono::minutes{90});
  EXPECT_EQ(Prepare({"train.sh"}, {}, "#!/bin/sh\n#SBATCH --time=1-0\n")->job.duration, hours{24});
  const auto unknown = Prepare({"train.sh"});
  EXPECT_EQ(unknown->job.duration, hours{1});
  ASSERT_EQ(unknown->notes.size(), 1u);
  EXPECT_NE(unknown->notes[0].find("Ebb assumes 1h"), std::string::npos) << unknown->notes[0];
  EXPECT_EQ(Prepare({"-t", "10", "train.sh"}, {Flag("duration", "30m")})->notes.size(), 1u)
      << "the time limit would end it";
}

TEST(SlurmSubmission, AnElasticJobHasItsWidthsInTheComment) {
  const std::vector<GivenOption> flags{Flag("speedup", "2=1.9,4=3.3"), Flag("checkpointable")};
  const auto managed = Prepare({"--gres=gpu:1", "-t", "90", "train.sh"}, flags, "", true);
  ASSERT_TRUE(managed) << ErrorOf(managed);
  EXPECT_EQ(managed->job.speedup.size(), 2u);
  EXPECT_TRUE(managed->notes.empty());
  EXPECT_TRUE(Has(managed->command,
                  "--comment=ebb:speedup=2=1.9,4=3.3;checkpointable;"
                  "start-by=2026-11-28T18:00:00Z"));
  const auto alone = Prepare({"--gres=gpu:1", "-t", "90", "train.sh"}, flags);
  ASSERT_TRUE(alone) << ErrorOf(alone);
  ASSERT_EQ(alone->notes.size(), 1u);
  EXPECT_TRUE(alone->notes[0].starts_with("only a service changes the width"));
  EXPECT_TRUE(ErrorOf(Prepare({"train.sh"}, {flags[0]})).find("--speedup: it has several widths") !=
              std::string::npos)
      << ErrorOf(Prepare({"train.sh"}, {flags[0]}));
}

TEST(SlurmSubmission, WidthsThatSlurmCannotGiveAreLeftOut) {
  const std::vector<GivenOption> flags{Flag("speedup", "1=0.5"), Flag("checkpointable")};
  const auto too_slow = Prepare({"-G", "2", "-t", "90", "train.sh"}, flags, "", true);
  EXPECT_TRUE(too_slow->job.speedup.empty());
  ASSERT_EQ(too_slow->notes.size(), 1u);
  EXPECT_EQ(too_slow->notes[0],
            "speedup: at a width of 1 it takes longer than its time limit of 1h 30m, so it keeps "
            "its width");
  const auto by_task = Prepare({"-n2", "--gpus-per-task=1", "train.sh"}, flags, "", true);
  EXPECT_TRUE(by_task->job.speedup.empty());
  EXPECT_TRUE(std::ranges::any_of(by_task->notes, [](const std::string& note) {
    return note == "speedup: it asks for GPUs by task, so it keeps its width";
  }));
}

TEST(SlurmSubmission, MistakesNameTheirPlace) {
  EXPECT_NE(ErrorOf(Prepare({"train.sh"}, {}, "#!/bin/sh\n#EBB --start-bye 2h\n"))
                .find("train.sh line 2: --start-bye: there is no option \"start-bye\" (did you "
                      "mean \"start-by\"?)"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Prepare({"train.sh"}, {}, "#EBB tier=2\n")).find("train.sh line 1: \"tier=2\""),
            std::string::npos);
  EXPECT_NE(ErrorOf(Prepare({"train.sh"}, {Flag("tier", "gold")})).find("--tier: \"gold\""),
            std::string::npos);
  EXPECT_NE(ErrorOf(Prepare({"train.sh"}, {Flag("start-by")})).find("a value is missing: WHEN"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Prepare({"train.sh"}, {Flag("priority", "high")})).find("--priority"),
            std::string::npos);
}

TEST(SlurmSubmission, DeadlinesBoundTheStart) {
  EXPECT_EQ(Begin(*Prepare({"-t120", "train.sh"}, {Flag("finish-by", "04:00")})),
            "2026-11-28T02:00:00Z")
      << "the latest start, of which one hour is clean";
  EXPECT_NE(ErrorOf(Prepare({"-t", "10:00:00", "train.sh"}, {Flag("finish-by", "2h")}))
                .find("cannot end by its deadline"),
            std::string::npos);
  // Slurm's own: it removes a job that cannot end by then.
  EXPECT_EQ(Begin(*Prepare({"-t", "120", "--deadline=2026-11-28T02:00", "train.sh"})), "at once");
}

TEST(SlurmSubmission, ItsBeginIsTheEarliestStart) {
  EXPECT_EQ(Begin(*Prepare({"-t60", "--begin", "04:00", "train.sh"})), "2026-11-28T04:00:00Z");
  EXPECT_EQ(Begin(*Prepare({"-t60", "--begin=10:00", "train.sh"})), "2026-11-28T10:00:00Z")
      << "nothing after that is cleaner";
  EXPECT_EQ(Begin(*Prepare({"-t60", "train.sh"}, {}, "#SBATCH --begin=now+30hours\n")),
            "2026-11-29T00:00:00Z");
}

TEST(SlurmSubmission, ATickAndAServiceKnowItsBegin) {
  const auto made = Prepare({"-t60", "--begin=10:00", "train.sh"});
  EXPECT_TRUE(Has(made->command,
                  "--comment=ebb:start-by=2026-11-28T18:00:00Z;"
                  "not-before=2026-11-28T10:00:00Z"));
  EXPECT_NE(ErrorOf(Prepare({"--begin=10:00", "train.sh"}, {}, "", true)).find("contradict"),
            std::string::npos);
}

TEST(SlurmSubmission, ACommentForEbbIsReadAndReplaced) {
  const auto made =
      Prepare({"-t60", "train.sh"}, {Flag("priority", "3")}, "#SBATCH --comment=ebb:start-by=6h\n");
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_TRUE(Has(made->command, "--comment=ebb:start-by=2026-11-28T00:00:00Z;priority=3"));
}

TEST(SlurmSubmission, AnotherCommentStays) {
  const auto made = Prepare({"-t60", "--comment=for Anna", "train.sh"});
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(made->command,
            (Words{"sbatch", "-t60", "--comment=for Anna", "--begin=uts1795834800", "train.sh"}));
  EXPECT_EQ(made->notes.size(), 1u);
  EXPECT_NE(ErrorOf(Prepare({"--comment=for Anna", "train.sh"}, {}, "", true))
                .find("leave --comment out"),
            std::string::npos);
}

TEST(SlurmSubmission, AManagedJobWaitsWithItsLatestStart) {
  const auto made = Prepare({"-t60", "train.sh"}, {Flag("tier", "2")}, "", true);
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_FALSE(made->choice);
  EXPECT_EQ(Begin(*made), "2026-11-29T18:00:00Z");
  EXPECT_TRUE(Has(made->command, "--comment=ebb:tier=2"));
}

TEST(SlurmSubmission, AReservationSaysWhenAJobRuns) {
  const auto made = Prepare({"-t60", "--reservation=course", "train.sh"});
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(Begin(*made), "at once");
  EXPECT_FALSE(made->choice);
  EXPECT_EQ(made->notes.size(), 1u);
}

TEST(SlurmSubmission, WhileNothingIsKnownAJobWaitsUnlessItIsToRun) {
  core::SignalView unknown;
  unknown.now = kNow;
  EXPECT_EQ(Begin(*Prepare({"-t60", "train.sh"}, {Flag("start-by", "6h")}, "", false, unknown)),
            "2026-11-28T00:00:00Z");
  EXPECT_EQ(Begin(*Prepare({"-t60", "train.sh"}, {Flag("on-outage", "run")}, "", false, unknown)),
            "at once");
}

TEST(SlurmSubmission, AJobThatStopsInAnOutageIsNotSubmitted) {
  core::SignalView unknown;
  unknown.now = kNow;
  EXPECT_NE(ErrorOf(Prepare({"-t60", "train.sh"}, {Flag("on-outage", "stop")}, "", false, unknown))
                .find("is unknown"),
            std::string::npos);
}

TEST(SlurmSubmission, AHeterogeneousJobBeginsByItsFirstComponent) {
  const auto made = Prepare({"-t60", ":", "-n2", "train.sh"});
  ASSERT_TRUE(made) << ErrorOf(made);
  EXPECT_EQ(made->command[2].substr(0, 11), "--begin=uts");
  EXPECT_EQ(made->command[4], ":");
}

TEST(SlurmSubmission, SbatchGetsTheScriptThatMeasures) {
  SlurmSubmitRequest request;
  request.script = "#!/bin/sh\n";
  request.script_name = "train.sh";
  request.words = {"-n", "2", "train.sh", "a"};
  request.tracked_script = "/tmp/x/train.sh";
  const auto prepare = [&] {
    return PrepareSubmission(request, Moment(), [](Duration) { return Grid(); })->command;
  };
  Words command = prepare();
  EXPECT_EQ(Words(command.end() - 2, command.end()), (Words{"/tmp/x/train.sh", "a"}));
  EXPECT_FALSE(Has(command, "train.sh"));
  request.words = {"--wrap", "python train.py"};
  request.script.clear();
  request.flags = {Flag("checkpointable"), Flag("start-by", "12h")};
  command = prepare();
  EXPECT_EQ(command.back(), "/tmp/x/train.sh");
  EXPECT_FALSE(Has(command, "--wrap"));
  EXPECT_TRUE(Has(command, "--job-name=wrap"));
  EXPECT_TRUE(std::ranges::any_of(command, [](const std::string& word) {
    return word.find(";signal=USR1;grace=10m") != std::string::npos;
  })) << "ebb slurm run pauses at this signal";
}

}  // namespace
}  // namespace ebb::app
