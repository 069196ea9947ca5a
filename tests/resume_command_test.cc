// Runs that end early, by Ctrl-C, a signal, kill -9 or a budget, and ebb resume after it.

#include "cli_fixture.h"

namespace ebb {
namespace {

TEST_F(Cli, CtrlCWhileWaitingEndsCleanlyAndTheRunCanBeContinued) {
  const pid_t pid = Start({"run", "--threshold", "10", "--constant", "400", "--start-by", "10h",
                           "--run-dir", "r", "--", "true"});
  WaitFor(directory_ / "r" / "decisions.jsonl");
  while (!Contains(Read(directory_ / "r" / "decisions.jsonl"), "threshold_out_of_reach"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGINT);
  const Outcome outcome = Finish(pid);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(Contains(outcome.err, "ebb resume r")) << outcome.err;
  const Outcome resumed = Ebb({"resume", "r", "--policy", "now"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(Cli, APausedRunResumesAsOneRunAndItsLedgerAddsUp) {
  const std::string program =
      "if [ \"$EBB_RESUME\" = 1 ]; then [ -f \"$EBB_CHECKPOINT_DIR/state\" ] || exit 3; exit 0; fi;"
      "mkdir -p \"$EBB_CHECKPOINT_DIR\"; trap 'echo x > \"$EBB_CHECKPOINT_DIR/state\"; exit 75' "
      "TERM;"
      "touch up; while :; do sleep 0.01; done";
  const pid_t pid = Start({"run", "--constant", "200", "--interval", "20ms", "--run-dir", "r", "--",
                           "sh", "-c", program});
  WaitFor(directory_ / "up");
  ::kill(pid, SIGTERM);
  EXPECT_EQ(Finish(pid).code, 75);
  const auto first = Summary("r");
  const Outcome resumed = Ebb({"resume", "r"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const auto both = Summary("r");
  std::int64_t in_ledger = 0;
  std::istringstream ledger(Read(directory_ / "r" / "ledger.jsonl"));
  for (std::string line; std::getline(ledger, line);)
    in_ledger += nlohmann::json::parse(line).at("energy_uj").get<std::int64_t>();
  const auto microjoules = [](const nlohmann::json& summary) {
    return std::llround(summary.at("energy").at("it_j").get<double>() * 1e6);
  };
  EXPECT_EQ(microjoules(both), in_ledger);
  EXPECT_GT(in_ledger, microjoules(first));
  EXPECT_EQ(Ebb({"resume", "r"}).code, 2) << "a run that is done is not run again";
}

TEST_F(Cli, ABudgetStopsARunOnceAndOnlyMoreOfItContinuesIt) {
  // The memory draws 3.6 kW whatever runs, so 0.0005 kWh last half a second.
  const Outcome stopped =
      Ebb({"track", "--scope", "machine", "--cpu-tdp", "1", "--ram-power", "3600", "--interval",
           "20ms", "--constant", "100", "--budget-kwh", "0.0005", "--run-dir", "r", "--", "sh",
           "-c", "trap 'exit 75' TERM; while :; do sleep 0.01; done"});
  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(Contains(stopped.err, "budget warning")) << stopped.err;
  auto summary = Summary("r");
  EXPECT_EQ(summary.at("outcome"), "stopped_by_budget");
  EXPECT_LE(summary.at("energy").at("facility_j").get<double>(), 1800 + 100)
      << "at most one sample (72 J) more";
  const Outcome refused = Ebb({"resume", "r"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(Contains(refused.err, "stopped by its budget of 1800 J")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--budget-kwh with more than 0.000500")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--budget-kwh")) << refused.err;
  EXPECT_EQ(Ebb({"resume", "r", "--budget-kwh", "0.001"}).code, 75);
  summary = Summary("r");
  EXPECT_EQ(summary.at("attempts"), 2);
  EXPECT_LE(summary.at("energy").at("facility_j").get<double>(), 3600 + 100);
  const std::string events = Read(directory_ / "r" / "budget.jsonl");
  EXPECT_TRUE(Contains(events, "\"event\":\"reached\",\"attempt\":2")) << events;
  EXPECT_TRUE(Contains(Ebb({"resume", "r"}).err, "its budget of 1.00 Wh"))
      << "the raised one is the one in force";
  EXPECT_EQ(Ebb({"track", "--on-budget", "log", "--run-dir", "x", "--", "true"}).code, 3)
      << "what happens to a budget that is not there";
}

TEST_F(Cli, ABudgetPausesARunAndAResumeGoesOnBeyondIt) {
  const Outcome paused = Ebb({"track",
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
                              "--budget-g",
                              "0.05",
                              "--on-budget",
                              "pause",
                              "--run-dir",
                              "r",
                              "--",
                              "sh",
                              "-c",
                              "trap 'exit 75' TERM; [ \"$EBB_RESUME\" = 1 ] && exit 0; "
                              "while :; do sleep 0.01; done"});
  EXPECT_EQ(paused.code, 75) << paused.err;
  EXPECT_EQ(Summary("r").at("outcome"), "paused");
  const Outcome resumed = Ebb({"resume", "r"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(Contains(resumed.err, "budget warning")) << resumed.err;
  EXPECT_EQ(Summary("r").at("outcome"), "done");
}

TEST_F(Cli, KillNineOfEbbLeavesAReadableRun) {
  const pid_t pid = Start({"track", "--constant", "200", "--interval", "20ms", "--run-dir", "r",
                           "--", "sh", "-c", "echo $$ > pid; sleep 30"});
  while (!Contains(Read(directory_ / "r" / "ledger.jsonl"), "\n"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGKILL);
  Finish(pid);
  ::kill(std::stoi(Read(directory_ / "pid")), SIGKILL);
  const Outcome summary = Ebb({"summary", "r"});
  EXPECT_EQ(summary.code, 0) << summary.err;
}

}  // namespace
}  // namespace ebb
