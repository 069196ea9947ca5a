// `ebb sweep` as a user runs it: generated files, runs side by side, Ctrl-C in the middle, a kill,
// programs that fail.

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli_fixture.h"
#include "platform/http.h"
#include "store/database/database.h"

namespace ebb {
namespace {

using nlohmann::json;

// Runs six epochs of a tenth of a second. A checkpoint is the number of epochs done. $1 is the
// final loss. While there is a file "hold", the program stays in its second epoch; while there is
// "hold-poor", one with a poor loss stays in its fourth.
constexpr const char* kTrainer = R"(
epoch=0
if [ "$EBB_RESUME" = 1 ] && [ -f "$EBB_CHECKPOINT_DIR/epoch" ]; then epoch=$(cat "$EBB_CHECKPOINT_DIR/epoch"); fi
pause() { mkdir -p "$EBB_CHECKPOINT_DIR"; echo "$epoch" > "$EBB_CHECKPOINT_DIR/epoch"; exit 75; }
trap pause TERM
if [ "$1" = fail ]; then echo boom; exit 3; fi
while [ "$epoch" -lt 6 ]; do
  while [ -e hold ] && [ "$epoch" = 1 ]; do sleep 0.02; done
  case $1 in 0.[6-9]) while [ -e hold-poor ] && [ "$epoch" = 3 ]; do sleep 0.02; done;; esac
  for i in 1 2 3 4 5; do sleep 0.02; done
  epoch=$((epoch + 1))
  echo "{\"time_ms\":$(date +%s%3N),\"event\":\"epoch_end\",\"epoch\":$epoch,\"train_loss\":$1,\"test_loss\":$1}" >> "$EBB_RUN_DIR/progress.jsonl"
done
)";

std::string SweepFile(const std::string& losses, const std::string& more = "") {
  return "name: s\nparameters:\n  grid: {loss: [" + losses +
         "]}\nestimates:\n  - {duration: 30m, power_w: 10}\nname_template: \"l{loss}\"\n"
         "command: [bash, train.sh, \"{loss}\"]\ncheckpointable: true\ntime_limit: 24h\n" +
         more;
}

class SweepCli : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    Write("train.sh", kTrainer);
  }
  std::vector<std::string> Run(const std::string& slots = "2") {
    return {"sweep",
            "run",
            "s.yaml",
            "--slots",
            slots,
            "--grid-start",
            "2023-05-02T00:00Z",
            "--grid-speed",
            "1200",
            "--skip-waits",
            "--zone",
            "US-CAL-CISO",
            "--interval",
            "50ms"};
  }
  json Report() { return json::parse(Ebb({"sweep", "report", "s.yaml", "--format", "json"}).out); }
  static json Named(const json& report, const std::string& name) {
    for (const json& row : report["experiments"])
      if (row["name"] == name) return row;
    return {};
  }
};

TEST_F(SweepCli, GeneratesForEveryTarget) {
  Write("s.yaml", SweepFile("0.1, 0.2, 0.3"));
  for (const std::string target : {"kubernetes", "slurm", "local"}) {
    const Outcome outcome =
        Ebb({"sweep", "generate", "s.yaml", "--target", target, "--out", target});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_TRUE(fs::exists(directory_ / "slurm/l0.1.sbatch"));
  EXPECT_EQ(Read(directory_ / "slurm/sweep.yaml"), Read(directory_ / "s.yaml"));
  EXPECT_TRUE(fs::exists(directory_ / "local/s.jobs.yaml"));
  const Outcome dry = Ebb({"sweep", "generate", "s.yaml", "--target", "slurm", "--dry-run"});
  EXPECT_EQ(dry.out, "l0.1.sbatch\nl0.2.sbatch\nl0.3.sbatch\n");
  EXPECT_EQ(
      Ebb({"sweep", "generate", "local/s.jobs.yaml", "--target", "local", "--out", "again"}).code,
      0);
  EXPECT_EQ(Read(directory_ / "local/s.jobs.yaml"), Read(directory_ / "again/s.jobs.yaml"));
}

TEST_F(SweepCli, RunsAllMeasuresThemAndRanksThem) {
  Write("s.yaml", SweepFile("0.3, 0.1, 0.2"));
  const Outcome outcome = Ebb(Run());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string told = outcome.out + outcome.err;
  EXPECT_TRUE(Contains(told, ": succeeded ")) << told;
  EXPECT_FALSE(Contains(told, "succeeded 20")) << "the time is as the line's own\n" << told;
  const json report = Report();
  EXPECT_EQ(report["experiments"][0]["name"], "l0.1");
  for (const json& row : report["experiments"]) {
    EXPECT_EQ(row["outcome"], "done");
    EXPECT_GT(row["energy_kwh"].get<double>(), 0);
    EXPECT_GT(row["emissions_g"].get<double>(), 0);
  }
  // The idle power that the model gives to a mostly sleeping machine has its own line.
  EXPECT_GT(report["machine"]["idle_kwh"].get<double>(), 0);
  EXPECT_TRUE(report["machine"]["idle_g"].is_null()) << "nobody knows an hour of a replay";
  EXPECT_GE(report["machine"]["unattributed_kwh"].get<double>(), 0);
  EXPECT_TRUE(Contains(Ebb({"sweep", "report", "s.yaml"}).out, "machine, while Ebb ran: "));
  EXPECT_EQ(Ebb(Run()).code, 0) << "a sweep that is done stays done";
  EXPECT_EQ(Ebb({"summary", "runs/sweep-s/runs/l0.1"}).code, 0);
  EXPECT_EQ(Ebb({"sweep", "report", "runs/sweep-s", "--html", "page.html"}).code, 0);
  const std::string page = Read(directory_ / "page.html");
  EXPECT_TRUE(Contains(page, "\"/api/v1/sweeps/1\":{") && Contains(page, "\"name\": \"l0.1\""))
      << page;
}

TEST_F(SweepCli, IsShownInABrowserWhereThatIsAsked) {
  Write("s.yaml", SweepFile("0.1"));
  Write("train.sh", "until [ -e enough ]; do sleep 0.02; done");
  std::vector<std::string> command = Run();
  command.push_back("--page");
  const pid_t pid = Start(command);
  const std::string said = "shown at http://127.0.0.1:";
  WaitFor(directory_ / "runs/sweep-s/runs/l0.1");
  const std::string err = Read(directory_ / "err.txt");
  const auto at = err.find(said);
  EXPECT_NE(at, std::string::npos) << err;
  const std::string url = err.substr(at + 9, err.find(' ', at + 9) - at - 9);
  platform::HttpRequest request;
  request.url = url + "/api/v1/sweeps/1";
  const auto answer = platform::HttpGet(request);
  ASSERT_TRUE(answer) << url;
  EXPECT_EQ(json::parse(answer->body)["name"], "s");
  Write("enough", "");
  EXPECT_EQ(Finish(pid).code, 0);
}

// The audit covers each run and the sweep, whose decisions must follow from its journal.
TEST_F(SweepCli, AnAuditAgreesUntilADecisionIsChanged) {
  Write("s.yaml", SweepFile("0.1, 0.2, 0.3"));
  ASSERT_EQ(Ebb(Run()).code, 0);
  const Outcome audit = Ebb({"audit", "runs"});
  EXPECT_EQ(audit.code, 0) << audit.out << audit.err;
  EXPECT_NE(audit.out.find("decisions made again: "), std::string::npos) << audit.out;
  EXPECT_NE(audit.out.find("4 audited, 0 differ"), std::string::npos) << audit.out;

  auto database =
      store::Database::Open(directory_ / "runs/sweep-s/ebb.db", store::Database::Mode::kWrite);
  ASSERT_TRUE(database);
  ASSERT_TRUE(
      database->Run("UPDATE journal SET line = replace(line, '\"stage\":\"running\"',"
                    " '\"stage\":\"waiting\"')"));
  const Outcome after = Ebb({"audit", "runs/sweep-s"});
  EXPECT_EQ(after.code, 1);
  EXPECT_NE(after.out.find("is decided differently"), std::string::npos) << after.out;
}

TEST_F(SweepCli, GoesOnOnlyOnItsOwnClock) {
  Write("s.yaml", SweepFile("0.1"));
  ASSERT_EQ(Ebb(Run()).code, 0);
  const auto with = [&](const std::string& flag, const std::string& value) {
    std::vector<std::string> command = Run();
    *(std::find(command.begin(), command.end(), flag) + 1) = value;
    return Ebb(command);
  };
  const Outcome later = with("--grid-start", "2023-06-02T00:00Z");
  EXPECT_EQ(later.code, 2);
  EXPECT_TRUE(Contains(later.err, "begun with --grid-start 2023-05-02T00:00:00Z")) << later.err;
  EXPECT_EQ(with("--grid-speed", "60").code, 2);
  EXPECT_EQ(with("--grid-start", "2023-05-02").code, 0) << "the same, written otherwise";
}

TEST_F(SweepCli, EachRunIsChargedItsPartOfTheMachine) {
  Write("s.yaml", SweepFile("0.1"));
  std::vector<std::string> command = Run();
  command.insert(command.end(), {"--scope", "machine"});
  const Outcome outcome = Ebb(command);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(Contains(outcome.err, "--scope machine"));
  EXPECT_FALSE(fs::exists(directory_ / "runs/sweep-s"));
}

TEST_F(SweepCli, AFailedExperimentIsShownAndTheOthersGoOn) {
  Write("s.yaml", SweepFile("0.3, fail, 0.1"));
  EXPECT_EQ(Ebb(Run()).code, 1);
  const json report = Report();
  EXPECT_EQ(Named(report, "lfail")["outcome"], "failed");
  EXPECT_EQ(Named(report, "l0.1")["outcome"], "done");
  EXPECT_EQ(Read(directory_ / "runs/sweep-s/runs/lfail/attempt-1.log"), "boom\n");
}

TEST_F(SweepCli, WhatIsRefusedIsNamedAndTakenOnceItCanBe) {
  std::string sweep = SweepFile("0.1");
  const std::string program = "command: [bash, train.sh, ";
  sweep.replace(sweep.find(program), program.size(), "command: [./later, ");
  Write("s.yaml", sweep);
  const Outcome refused = Ebb(Run());
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "l0.1 is refused: ./later")) << refused.err;
  EXPECT_FALSE(Contains(refused.err, "--no-check")) << "it has no such flag";
  EXPECT_EQ(Named(Report(), "l0.1")["outcome"], "not run");
  Write("later", "#!/bin/sh\nexit 0\n");
  fs::permissions(directory_ / "later", fs::perms::owner_all);
  EXPECT_EQ(Ebb(Run()).code, 0);
  EXPECT_EQ(Named(Report(), "l0.1")["outcome"], "done");
}

TEST_F(SweepCli, CtrlCPausesAndTheSameCommandContinues) {
  Write("s.yaml", SweepFile("0.3, 0.1"));
  Write("hold", "");
  const pid_t pid = Start(Run());
  WaitFor(directory_ / "runs/sweep-s/runs/l0.1/progress.jsonl");
  ::kill(pid, SIGINT);
  const Outcome stopped = Finish(pid);
  fs::remove(directory_ / "hold");
  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(Contains(stopped.err, "Continue with: ebb sweep run s.yaml"));
  const Outcome done = Ebb({"sweep", "run", "s.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  const json row = Named(Report(), "l0.1");
  EXPECT_EQ(row["attempts"], 2);
  EXPECT_EQ(row["epochs"], 6);
}

TEST_F(SweepCli, ADryRunSaysWhatWouldRunAndStartsNothing) {
  Write("s.yaml", SweepFile("0.3, 0.1"));
  const Outcome dry = Ebb({"sweep", "run", "s.yaml", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(Contains(dry.out, "bash train.sh 0.3")) << dry.out;
  EXPECT_TRUE(Contains(dry.out, "2 experiments would run in runs/sweep-s")) << dry.out;
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
  EXPECT_EQ(Ebb({"sweep", "run", "s.yaml", "--dry-run", "--policy", "plannr"}).code, 2);
  EXPECT_EQ(Ebb({"sweep", "report", "s.yaml", "--dry-run"}).code, 2);
}

TEST_F(SweepCli, ASweepThatAnEarlierVersionWroteContinues) {
  Write("s.yaml", SweepFile("0.3, 0.1"));
  const pid_t pid = Start(Run());
  WaitFor(directory_ / "runs/sweep-s/runs/l0.1/progress.jsonl");
  ::kill(pid, SIGKILL);
  Finish(pid);
  std::string stored = Read(directory_ / "runs/sweep-s/sweep.yaml");
  for (auto at = stored.find("duration:"); at != std::string::npos; at = stored.find("duration:"))
    stored.replace(at, 9, "run_time:");
  ASSERT_TRUE(Contains(stored, "run_time:")) << stored;
  Write("runs/sweep-s/sweep.yaml", stored);
  const Outcome done = Ebb({"sweep", "run", "s.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
}

TEST_F(SweepCli, AKilledSweepContinues) {
  Write("s.yaml", SweepFile("0.3, 0.1"));
  const pid_t pid = Start(Run());
  WaitFor(directory_ / "runs/sweep-s/runs/l0.1/progress.jsonl");
  ::kill(pid, SIGKILL);
  Finish(pid);
  const Outcome done = Ebb({"sweep", "run", "s.yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(Named(Report(), "l0.1")["outcome"], "done");
}

TEST_F(SweepCli, HalvingStopsPoorRunsAndSaysWhatThatSaved) {
  Write("s.yaml", SweepFile("0.2, 0.1, 0.9, 0.8, 0.7, 0.6",
                            "successive_halving: {reduction: 2, minimum_epochs: 1, epochs: 6}\n"));
  Write("hold-poor", "");
  // The experiments run in the order of the file, so the good ones have set the standard before the
  // others come.
  std::vector<std::string> command = Run();
  command.insert(command.end(), {"--policy", "run-now"});
  const Outcome outcome = Ebb(command);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json report = Report();
  EXPECT_GE(report["stopped_early"].get<int>(), 3);
  EXPECT_GT(report["estimated_saved_g"].get<double>(), 0);
  EXPECT_EQ(Named(report, "l0.1")["outcome"], "done");
  EXPECT_EQ(Named(report, "l0.9")["outcome"], "stopped early");
  EXPECT_LT(Named(report, "l0.9")["epochs"].get<int>(), 6);
}

// "hungry" keeps a processor busy until it is asked to end or the file "enough" exists.
constexpr const char* kBurner = R"(
trap 'exit 75' TERM
if [ "$1" = hungry ]; then while [ ! -e "$2/enough" ]; do :; done; fi
)";

class SweepBudgets : public SweepCli {
 protected:
  void SetUp() override {
    SweepCli::SetUp();
    Write("burn.sh", kBurner);
    WriteSweep("");
  }
  void WriteSweep(const std::string& more) {
    Write("s.yaml",
          "name: s\nparameters:\n  grid: {what: [hungry, modest, small]}\nestimates:\n"
          "  - {duration: 30m, power_w: 10}\nname_template: \"{what}\"\n"
          "command: [bash, burn.sh, \"{what}\", \"" +
              directory_.string() + "\"]\ncheckpointable: true\ntime_limit: 240h\n" + more);
  }
  // All processors together draw 400 W, so one of them uses a limit of 50 mWh in a second or so.
  std::vector<std::string> Burn(const std::vector<std::string>& more) {
    std::vector<std::string> command = Run("1");
    command.insert(command.end(), {"--policy", "run-now", "--cpu-tdp", "400", "--grace", "20s"});
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  std::string Events() { return Read(directory_ / "runs/sweep-s/runs/hungry/budget.jsonl"); }
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
};

TEST_F(SweepBudgets, OneThatIsUsedUpEndsItsExperimentAlone) {
  WriteSweep("budget: {energy_kwh: 0.00005}\n");
  const Outcome outcome = Ebb(Burn({}));
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "hungry: budget reached")) << outcome.err;
  const json report = Report();
  const json hungry = Named(report, "hungry");
  EXPECT_EQ(hungry["outcome"], "failed");
  EXPECT_EQ(hungry["note"], "stopped by its budget of 180 J");
  EXPECT_EQ(hungry["attempts"], 1);
  for (const char* name : {"modest", "small"}) EXPECT_EQ(Named(report, name)["outcome"], "done");
  double ledger_j = 0;
  std::istringstream ledger(Read(directory_ / "runs/sweep-s/runs/hungry/ledger.jsonl"));
  for (std::string line; std::getline(ledger, line);)
    ledger_j += json::parse(line).at("energy_uj").get<double>() / 1e6;
  EXPECT_NEAR(hungry["energy_kwh"].get<double>() * 3.6e6, ledger_j, 1e-6);
  EXPECT_GT(ledger_j, 90);
  const Outcome again = Ebb(Run());
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_EQ(Named(Report(), "hungry")["attempts"], 1) << "it stays ended";
  EXPECT_EQ(Count(Events(), "\"event\":\"reached\""), 1u) << Events();
}

TEST_F(SweepBudgets, OneThatPausesHoldsItUntilThereIsMore) {
  const Outcome held = Ebb(Burn({"--budget-kwh", "0.00005", "--budget-action", "pause"}));
  EXPECT_EQ(held.code, 75) << held.err;
  EXPECT_TRUE(Contains(held.err,
                       "held by their budget: 1. Continue with a larger one: ebb sweep "
                       "run s.yaml"))
      << held.err;
  json hungry = Named(Report(), "hungry");
  EXPECT_EQ(hungry["outcome"], "paused");
  EXPECT_EQ(hungry["note"], "held by its budget of 180 J");
  EXPECT_EQ(Named(Report(), "small")["outcome"], "done");
  EXPECT_EQ(Ebb(Run()).code, 75) << "as large as before";
  EXPECT_EQ(Named(Report(), "hungry")["attempts"], 1);
  std::vector<std::string> larger = Run();
  larger.insert(larger.end(), {"--budget-kwh", "0.0001"});
  EXPECT_EQ(Ebb(larger).code, 75);
  EXPECT_EQ(Ebb(Run()).code, 75) << "the larger one is kept";
  hungry = Named(Report(), "hungry");
  EXPECT_EQ(hungry["attempts"], 2);
  EXPECT_EQ(hungry["note"], "held by its budget of 360 J");
  EXPECT_EQ(Count(Events(), "\"event\":\"reached\""), 2u) << Events();
  Write("enough", "");
  larger.back() = "1";
  EXPECT_EQ(Ebb(larger).code, 0);
  EXPECT_EQ(Named(Report(), "hungry")["outcome"], "done");
}

TEST_F(SweepBudgets, IsKeptOverAKill) {
  const pid_t pid = Start(Burn({"--budget-kwh", "0.00005"}));
  while (Count(Events(), "\"event\":\"reached\"") == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::kill(pid, SIGKILL);
  Finish(pid);
  const Outcome outcome = Ebb(Run());
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const json hungry = Named(Report(), "hungry");
  EXPECT_EQ(hungry["attempts"], 1);
  EXPECT_EQ(hungry["outcome"], "failed");
  EXPECT_EQ(hungry["note"], "stopped by its budget of 180 J");
}

TEST_F(SweepBudgets, ThatOfTheSweepStopsItAndMoreOfItGoesOn) {
  std::vector<std::string> command = Burn({"--sweep-budget-kwh", "0.00005"});
  const Outcome stopped = Ebb(command);
  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(Contains(stopped.err, "sweep 1, s: budget reached")) << stopped.err;
  EXPECT_TRUE(Contains(stopped.err, "stopped by the budget of the sweep. Continue with a larger"))
      << stopped.err;
  json report = Report();
  EXPECT_EQ(Named(report, "hungry")["outcome"], "paused");
  EXPECT_EQ(Named(report, "small")["outcome"], "not run");
  EXPECT_TRUE(Contains(report["notices"].dump(),
                       "stopped by its budget of 180 J; 3 of 3 experiments had not ended"))
      << report["notices"];
  const Outcome again = Ebb(Run());
  EXPECT_EQ(again.code, 2) << again.err;
  EXPECT_TRUE(Contains(again.err, "raise it to go on: --sweep-budget-kwh")) << again.err;
  Write("enough", "");
  std::vector<std::string> larger = Run();
  larger.insert(larger.end(), {"--sweep-budget-kwh", "1"});
  EXPECT_EQ(Ebb(larger).code, 0);
  report = Report();
  EXPECT_EQ(Named(report, "hungry")["attempts"], 2);
  EXPECT_EQ(Named(report, "small")["outcome"], "done");
  EXPECT_FALSE(Contains(report["notices"].dump(), "stopped by its budget")) << report["notices"];
  EXPECT_EQ(Ebb(Run()).code, 0) << "a sweep that is done stays done";
}

TEST_F(SweepBudgets, WrongOnesAreNamed) {
  EXPECT_TRUE(Contains(Ebb(Burn({"--budget-kwh", "-1"})).err, "--budget-kwh: \"-1\""));
  EXPECT_TRUE(
      Contains(Ebb(Burn({"--budget-g", "1", "--budget-action", "stopp"})).err, "stopp not in"));
  const Outcome nothing = Ebb(Burn({"--budget-action", "log"}));
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(Contains(nothing.err, "give --budget-kwh or --budget-g")) << nothing.err;
  EXPECT_TRUE(Contains(Ebb(Burn({"--sweep-budget-g", "many"})).err, "--sweep-budget-g: \"many\""));
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
}

TEST_F(SweepCli, WrongInputsAreNamedAndNothingIsBegun) {
  Write("s.yaml", SweepFile("0.3, 0.1"));
  EXPECT_EQ(Ebb({"sweep", "rum", "s.yaml"}).code, 2);
  EXPECT_EQ(Ebb({"sweep", "run", "s.yaml", "--slots", "none"}).code, 2);
  EXPECT_EQ(Ebb({"sweep", "run", "s.yaml", "--policy", "planer"}).code, 2);
  EXPECT_EQ(Ebb({"sweep", "report", "s.yaml"}).code, 2);
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
  Write("tight.yaml", SweepFile("0.3, 0.1, 0.2", "tiers: [{name: 1, max_delay: 1m}]\n"));
  const Outcome infeasible = Ebb({"sweep", "run", "tight.yaml", "--slots", "1"});
  EXPECT_EQ(infeasible.code, 5) << infeasible.err;
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
  EXPECT_EQ(Ebb(Run()).code, 0);
  EXPECT_EQ(Ebb({"sweep", "run", "s.yaml", "--policy", "edf"}).code, 2);
  Write("s.yaml", SweepFile("0.3, 0.1, 0.4"));
  const Outcome changed = Ebb(Run());
  EXPECT_EQ(changed.code, 3);
  EXPECT_TRUE(Contains(changed.err, "holds a sweep that is not this one"));
}

}  // namespace
}  // namespace ebb
