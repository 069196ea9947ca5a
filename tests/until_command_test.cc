// ebb until: waits and ends, with a code that && understands.

#include "cli_fixture.h"

namespace ebb {
namespace {

TEST_F(Cli, UntilWaitsForTheCleanestWindowAndWritesNothing) {
  const Outcome outcome =
      Ebb({"until", "--zone", "DE", "--signal", "profile", "--grid-start", "2026-05-01T12:00Z",
           "--skip-waits", "--duration", "2h", "--start-by", "24h", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto wait = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(wait.at("schema"), "ebb.until/1");
  EXPECT_EQ(wait.at("action"), "start");
  EXPECT_EQ(wait.at("policy"), "window");
  EXPECT_EQ(wait.at("submitted"), "2026-05-01T12:00:00Z");
  EXPECT_EQ(wait.at("latest_start"), "2026-05-02T12:00:00Z");
  EXPECT_GT(wait.at("waited_s").get<double>(), 0);
  EXPECT_FALSE(fs::exists(directory_ / "runs")) << "nothing is stored";

  // The gate of a run with the same options decides the same.
  const Outcome run = Ebb({"run",
                           "--policy",
                           "window",
                           "--zone",
                           "DE",
                           "--signal",
                           "profile",
                           "--grid-start",
                           "2026-05-01T12:00Z",
                           "--skip-waits",
                           "--duration",
                           "2h",
                           "--start-by",
                           "24h",
                           "--run-dir",
                           "r",
                           "--format",
                           "json",
                           "--",
                           "true"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto last = nlohmann::json::parse(run.out).at("schedule").at("last_decision");
  EXPECT_EQ(wait.at("rule"), last.at("rule"));
  EXPECT_EQ(wait.at("reason"), last.at("reason"));
}

TEST_F(Cli, UntilStartsAtOnceWithinTheThresholdAndWhereNothingIsKnownOfHours) {
  const Outcome below = Ebb({"until", "--threshold", "300", "--constant", "200"});
  EXPECT_EQ(below.code, 0) << below.err;
  EXPECT_EQ(below.out, "");
  EXPECT_TRUE(Contains(below.err, "start: ")) << below.err;
  EXPECT_EQ(Ebb({"until", "--constant", "200", "--quiet"}).err, "");
}

TEST_F(Cli, UntilHasOneCodeForEveryEnd) {
  const std::vector<std::string> dirty = {"until", "--threshold", "100", "--constant", "400"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), dirty.begin(), dirty.end());
    return more;
  };
  const Outcome later = Ebb(with({"--dry-run", "--format", "json"}));
  EXPECT_EQ(later.code, 75) << later.err;
  EXPECT_EQ(nlohmann::json::parse(later.out).at("action"), "wait");
  EXPECT_EQ(Ebb({"until", "--threshold", "500", "--constant", "400", "--dry-run"}).code, 0);
  const Outcome stopped =
      Ebb(with({"--start-by", "0s", "--at-deadline", "stop", "--format", "json"}));
  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_EQ(nlohmann::json::parse(stopped.out).at("action"), "stop");
  EXPECT_EQ(Ebb(with({"--start-by", "0s"})).code, 0) << "the latest start is reached";
  EXPECT_EQ(Ebb({"until", "--start-by", "soon"}).code, 2);
  EXPECT_EQ(Ebb({"until", "--constant", "200", "--", "true"}).code, 2) << "it starts nothing";
}

TEST_F(Cli, CtrlCEndsUntil) {
  const pid_t pid = Start({"until", "--threshold", "10", "--constant", "400", "--start-by", "10h"});
  while (!Contains(Read(directory_ / "err.txt"), "waiting"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGINT);
  const Outcome outcome = Finish(pid);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
}

}  // namespace
}  // namespace ebb
