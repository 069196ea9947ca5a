// ebb run as a user runs it: how long it waits, and for what.

#include "cli_fixture.h"
#include "trace_for_test.h"

namespace ebb {
namespace {

TEST_F(Cli, ThresholdWaitsForTheCleanHoursAndTellsWhatItSaved) {
  Write("trace.csv", Trace());
  const Outcome outcome = Ebb({"run", "--threshold", "150", "--trace", "trace.csv", "--grid-start",
                               "2023-05-02T00:00Z", "--skip-waits", "--run-dir", "r", "--", "sh",
                               "-c", "echo $CG_SCHEDULED_AT $CG_CARBON_INTENSITY"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2023-05-02T02:00:00Z 100.0\n");
  EXPECT_TRUE(Contains(outcome.err, "replayed")) << outcome.err;
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "above_threshold"));
  EXPECT_TRUE(fs::exists(directory_ / "r" / "summary_sh.json"));
}

// An hour is not known before it has been published, so a gate that waits for the first hour after
// the dirty ones starts at its publication.
TEST_F(Cli, AReplayedHourIsKnownOnlyOnceItWasPublished) {
  std::string csv = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 24; ++hour) {
    char line[64];
    std::snprintf(line, sizeof line, "2023-05-01T%02d:00:00Z,%d\n", hour, hour < 6 ? 400 : 100);
    csv += line;
  }
  Write("trace.csv", csv);
  const auto started = [&](const char* lag) {
    const Outcome outcome =
        Ebb({"run", "--threshold", "150", "--trace", "trace.csv", "--publication-lag", lag,
             "--grid-start", "2023-05-01T03:00Z", "--start-by", "20h", "--skip-waits", "--run-dir",
             std::string("r-") + lag, "--", "sh", "-c", "echo $CG_SCHEDULED_AT"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(started("none"), "2023-05-01T06:00:00Z\n");
  EXPECT_EQ(started("20m"), "2023-05-01T07:20:00Z\n");
  EXPECT_EQ(started("1h"), "2023-05-01T08:00:00Z\n");
}

TEST_F(Cli, WindowAvoidsAStartThatEndsInTheRamp) {
  Write("trace.csv", Trace());
  // At 05:00 the present minute is clean, but the next four hours are not. Tomorrow's 02:00-06:00
  // is clean.
  const Outcome outcome =
      Ebb({"run", "--policy", "window", "--duration", "4h", "--start-by", "24h", "--trace",
           "trace.csv", "--grid-start", "2023-05-02T05:00Z", "--skip-waits", "--run-dir", "r", "--",
           "sh", "-c", "echo $CG_SCHEDULED_AT"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2023-05-03T02:00:00Z\n");
}

TEST_F(Cli, StoppingAtTheDeadlineIsTryLater) {
  const Outcome outcome = Ebb({"run", "--threshold", "10", "--constant", "400", "--start-by", "2h",
                               "--at-deadline", "stop", "--grid-start", "2023-05-01",
                               "--skip-waits", "--run-dir", "r", "--", "touch", "started"});
  EXPECT_EQ(outcome.code, 75) << outcome.err;
  EXPECT_FALSE(fs::exists(directory_ / "started"));
}

TEST_F(Cli, AnUnreachableAddressNeverBecomesMadeUpData) {
  // Port 9 on loopback refuses at once.
  const Outcome outcome =
      Ebb({"run", "--threshold", "300", "--api-url", "http://127.0.0.1:9/x", "--start-by", "300ms",
           "--refresh", "100ms", "--run-dir", "r", "--", "true"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "signal_missing"));
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "latest_start"));
  EXPECT_TRUE(Contains(outcome.err, "unknown")) << outcome.err;
  EXPECT_FALSE(Contains(outcome.err, "modelled")) << outcome.err;
}

}  // namespace
}  // namespace ebb
