// ebb track as a user runs it, and what is done with its runs: merged, compared.

#include "cli_fixture.h"
#include "trace_for_test.h"

namespace ebb {
namespace {

TEST_F(Cli, TrackMeasuresAndPassesTheExitCodeThrough) {
  const Outcome outcome =
      Ebb({"track", "--constant", "360", "--interval", "20ms", "--run-dir", "r", "--", "sh", "-c",
           "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo hello; exit 7"});
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, "hello\n") << "the command's own output is untouched";
  const auto summary = Summary("r");
  EXPECT_EQ(summary.at("schema"), "ebb.summary/1");
  EXPECT_GT(summary.at("energy").at("it_j").get<double>(), 0);
  EXPECT_TRUE(fs::exists(directory_ / "r" / "emissions.csv"));
}

TEST_F(Cli, ACommandThatIsNotThereIs127AndOneThatIsKilledIs128PlusN) {
  const Outcome missing = Ebb({"track", "--run-dir", "a", "--", "ebb-no-such-command"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_TRUE(Contains(missing.err, "ebb-no-such-command: command not found")) << missing.err;
  EXPECT_FALSE(fs::exists(directory_ / "a")) << "a run that cannot start leaves nothing";
  const Outcome waiting =
      Ebb({"run", "--threshold", "1", "--start-by", "1h", "ebb-no-such-command"});
  EXPECT_EQ(waiting.code, 127) << "said before anything waits";
  EXPECT_EQ(Ebb({"track", "--run-dir", "b", "--", "sh", "-c", "kill -9 $$"}).code, 137);
  EXPECT_TRUE(fs::exists(directory_ / "b" / "summary.json")) << "what was measured is kept";
  EXPECT_EQ(Ebb({"track", "--scope", "process"}).code, 2);
}

TEST_F(Cli, ASecondSignalWaterAndEmbodiedEmissionsStandBesideTheTotals) {
  Write("marginal.csv", Trace());
  const Outcome outcome = Ebb({"track",
                               "--scope",
                               "machine",
                               "--cpu-tdp",
                               "1",
                               "--ram-power",
                               "3600",
                               "--interval",
                               "20ms",
                               "--constant",
                               "100",
                               "--grid-start",
                               "2023-05-02T00:30Z",
                               "--other-trace",
                               "marginal.csv",
                               "--other-kind",
                               "marginal",
                               "--pue",
                               "1.5",
                               "--wue",
                               "2",
                               "--embodied-kg",
                               "3504",
                               "--embodied-share",
                               "0.5",
                               "--run-dir",
                               "r",
                               "--",
                               "sleep",
                               "0.2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = Summary("r");
  const double kwh = summary.at("energy").at("it_kwh").get<double>();
  EXPECT_NEAR(summary.at("emissions_g").get<double>(), kwh * 1.5 * 100, 1e-9);
  const auto& other = summary.at("other_signal");
  EXPECT_EQ(other.at("kind"), "marginal");
  EXPECT_NEAR(other.at("emissions_g").get<double>(), kwh * 1.5 * 400, 1e-9);
  EXPECT_NEAR(summary.at("water_l").get<double>(), kwh * 2, 1e-12) << "IT energy, not facility";
  const double hours = summary.at("running_time_s").get<double>() / 3600;
  EXPECT_NEAR(summary.at("embodied").at("emissions_g").get<double>(), 3504e3 * hours / 35040 / 2,
              1e-9);
  const Outcome same = Ebb({"track", "--constant", "100", "--other-constant", "9", "--", "true"});
  EXPECT_EQ(same.code, 3);
  EXPECT_TRUE(Contains(same.err, "both signals are average")) << same.err;
}

TEST_F(Cli, TrackSaysWhatWaitingWouldHaveSaved) {
  Write("trace.csv", Trace());
  const Outcome track =
      Ebb({"track", "--trace", "trace.csv", "--forecast", "perfect", "--grid-start",
           "2023-05-01T07:00Z", "--interval", "20ms", "--run-dir", "r", "sleep", "0.1"});
  ASSERT_EQ(track.code, 0) << track.err;
  EXPECT_TRUE(Contains(track.err, "had it waited  up to 1d 0h: 77.8 % less at 2023-05-02 02:00"))
      << track.err;
  const auto summary = nlohmann::json::parse(Read(directory_ / "r/summary.json"));
  const auto& waited = summary.at("had_it_waited");
  EXPECT_EQ(waited.at("start"), "2023-05-02T02:00:00Z");
  EXPECT_EQ(waited.at("up_to_s"), 86400);
  EXPECT_NEAR(waited.at("saving_percent").get<double>(), 100 * (1 - 100.0 / 450), 1e-6);
  EXPECT_EQ(Ebb({"audit", "r"}).code, 0) << Ebb({"audit", "r"}).out;
}

TEST_F(Cli, AnOutputDirectoryThatCannotBeWrittenIsNamedBeforeAnythingRuns) {
  const Outcome outcome = Ebb({"track", "--output-dir", "/proc/ebb", "--", "touch", "started"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(Contains(outcome.err, "/proc/ebb")) << outcome.err;
  EXPECT_FALSE(fs::exists(directory_ / "started"));
}

TEST_F(Cli, CompareCallsRunsByTheirScriptAndSkipsWhatNeverStarted) {
  Write("train.sh", "exit 0");
  Write("eval.sh", "exit 0");
  for (const char* script : {"train.sh", "eval.sh"})
    ASSERT_EQ(Ebb({"track", "--constant", "100", "--quiet", "--", "sh", script}).code, 0);
  // A program that exists and is executable, but cannot be started.
  Write("gone", "#!/no/such/interpreter\n");
  fs::permissions(directory_ / "gone", fs::perms::owner_all);
  EXPECT_EQ(Ebb({"track", "--constant", "100", "--quiet", "--name", "gone", "--", "./gone"}).code,
            127);
  std::vector<std::string> arguments{"compare"};
  for (const auto& entry : fs::directory_iterator(directory_ / "runs"))
    arguments.push_back(entry.path());
  EXPECT_EQ(arguments.size(), 4u);
  const Outcome refused = Ebb(arguments);
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_TRUE(Contains(refused.err, "unlike programs")) << refused.err;
  arguments.push_back("--unlike");
  const Outcome outcome = Ebb(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "one run each: no verdict")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "train.sh (1 run)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "eval.sh (1 run)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, ": its program never started.")) << outcome.out;
  EXPECT_FALSE(Contains(outcome.out, "n = 0")) << outcome.out;
}

TEST_F(Cli, RanksThatMeterOneMachineMergeIntoOneRun) {
  const std::vector<std::string> rank{
      "track",        "--scope", "machine", "--interval", "20ms",  "--constant", "100",
      "--output-dir", "runs",    "--quiet", "--",         "sleep", "0.1"};
  ASSERT_EQ(Ebb(rank).code, 0);
  ASSERT_EQ(Ebb(rank).code, 0);
  std::vector<std::string> merge{"report", "merge"};
  double joules = 0;
  for (const auto& entry : fs::directory_iterator(directory_ / "runs")) {
    merge.push_back(entry.path().string());
    joules +=
        Summary("runs/" + entry.path().filename().string()).at("energy").at("it_j").get<double>();
  }
  for (const char* word : {"--output-dir", "whole", "--name", "job"}) merge.push_back(word);
  const Outcome merged = Ebb(merge);
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_NEAR(Summary("whole").at("energy").at("it_j").get<double>(), joules, 1e-6)
      << "one after the other: nothing overlaps";
  EXPECT_EQ(Summary("whole").at("attempts"), 2);
  const Outcome again = Ebb({"report", "merge", "whole", merge[2], "--format", "json"});
  EXPECT_NEAR(nlohmann::json::parse(again.out).at("energy").at("it_j").get<double>(), joules, 1e-6)
      << "a member given twice counts once";
  EXPECT_EQ(Ebb(merge).code, 3) << "a directory that holds a run is not written over";
  EXPECT_EQ(Ebb({"report", "merg", "whole"}).code, 2);
  EXPECT_EQ(Ebb({"report", "merge", "nothing"}).code, 4);
}

}  // namespace
}  // namespace ebb
