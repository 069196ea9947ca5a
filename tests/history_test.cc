// Past runs as a user sees them: ebb runs over run directories, ebb history over the service.
#include "serve_fixture.h"

namespace ebb {
namespace {

using nlohmann::json;

class Runs : public Cli {
 protected:
  Outcome Track(const std::string& name, const std::vector<std::string>& command) {
    std::vector<std::string> words{"track",           "--constant", "360",    "--cpu-tdp", "10",
                                   "--interval=20ms", "--quiet",    "--name", name};
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  }
  // Lists runs without a service.
  Outcome List(std::vector<std::string> more) {
    more.insert(more.begin(), {"runs", "--local"});
    return Ebb(more);
  }
  json Listed(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--format", "json"});
    const Outcome outcome = List(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  fs::path FolderOf(const std::string& name) {
    for (const auto& entry : fs::directory_iterator(directory_ / "runs"))
      if (entry.path().filename().string().starts_with(name)) return entry.path();
    return {};
  }
};

TEST_F(Runs, AreListedWithFiguresAndTotals) {
  EXPECT_EQ(List({}).out, "no run matches\n") << "there is no folder of runs yet";
  ASSERT_EQ(Track("good", {"sleep", "0.2"}).code, 0);
  ASSERT_EQ(Track("bad", {"sh", "-c", "exit 3"}).code, 3);
  const json listed = Listed();
  ASSERT_EQ(listed.at("runs").size(), 2u);
  const json& newest = listed["runs"][0];
  EXPECT_EQ(newest["name"], "bad");
  EXPECT_EQ(newest["outcome"], "failed");
  const json& good = listed["runs"][1];
  const json summary = json::parse(Read(FolderOf("good") / "summary.json"));
  EXPECT_EQ(good["outcome"], "done");
  EXPECT_NEAR(good["energy_kwh"], summary["energy"]["it_kwh"], 1e-12);
  EXPECT_GT(good["energy_kwh"], 0);
  EXPECT_EQ(good["emissions_g"], summary["emissions_g"]);
  EXPECT_EQ(good["saved_g"], summary["same_energy_at_submission"]["saving_g"]);
  EXPECT_NEAR(good["ran_s"], summary["running_time_s"], 1e-3);
  const Outcome table = List({});
  EXPECT_TRUE(Contains(table.out, "2 runs: 1 done, 1 failed; ")) << table.out;
  const std::string place = (fs::path("runs") / FolderOf("good").filename()).string();
  EXPECT_TRUE(Contains(table.out, place + "  ")) << "whole, to be copied: " << table.out;
  const Outcome csv = List({"--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("name,user,outcome,created,ended,ran_s,energy_kwh,")) << csv.out;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
  const auto names = [&](std::vector<std::string> flags) {
    std::string text;
    const json chosen = Listed(std::move(flags));
    for (const json& run : chosen.at("runs")) text += run["name"].get<std::string>();
    return text;
  };
  EXPECT_EQ(names({"--name", "good"}), "good");
  EXPECT_EQ(names({"--outcome", "failed,killed"}), "bad");
  EXPECT_EQ(names({"--since", "1h"}), "badgood");
  EXPECT_EQ(names({"--until", "1h"}), "");
  EXPECT_EQ(names({"--limit", "1"}), "bad");
  EXPECT_EQ(names({"--user", "nobody-of-this-name"}), "");
  EXPECT_EQ(names({"runs"}), "badgood");
  EXPECT_EQ(names({FolderOf("good").string()}), "good");
  const Outcome misspelt = List({"--outcome", "faild"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_TRUE(Contains(misspelt.err, "did you mean \"failed\"?")) << misspelt.err;
  EXPECT_EQ(List({"nosuch"}).code, 4);
}

// A program that went on from its checkpoint: of the 30 steps, 5 were done twice.
TEST_F(Runs, ProgramsThatReportTheirWorkHaveAnEnergyPerUnit) {
  const auto report = [](const std::string& event, int step) {
    return R"(echo '{"time_ms":1,"event":")" + event + R"(","step":)" + std::to_string(step) +
           R"(,"samples_seen":)" + std::to_string(64 * step) +
           "}' >> $EBB_RUN_DIR/progress.jsonl; ";
  };
  const std::string train = report("begin", 0) + report("step", 25) + report("resume", 20) +
                            report("end", 30) + "sleep 0.2";
  for (const char* name : {"worker", "other"}) ASSERT_EQ(Track(name, {"sh", "-c", train}).code, 0);
  ASSERT_EQ(Track("silent", {"sleep", "0.2"}).code, 0);

  const std::string folder = FolderOf("worker").string();
  const json summary = json::parse(Ebb({"summary", folder, "--format", "json"}).out);
  EXPECT_EQ(summary["work"]["steps"], 30);
  EXPECT_EQ(summary["work"]["samples"], 1920);
  const double joules = summary["energy"]["it_j"].get<double>() / 1920;
  EXPECT_NEAR(summary["work"]["energy_per_sample_j"], joules, 1e-12);
  const std::string text = Ebb({"summary", folder}).out;
  EXPECT_TRUE(Contains(text, "/sample ± ")) << text;
  EXPECT_TRUE(Contains(text, "; 1,920 samples\n")) << text;
  const Outcome audit = Ebb({"audit", folder});
  EXPECT_EQ(audit.code, 0) << audit.out;

  const json listed = Listed().at("runs");
  EXPECT_FALSE(listed[0].contains("samples")) << "it reported nothing";
  EXPECT_EQ(listed[2]["samples"], 1920);
  EXPECT_NEAR(listed[2]["energy_per_sample_j"], joules, 1e-9);
  const Outcome table = List({});
  EXPECT_TRUE(Contains(table.out, "per unit")) << table.out;
  EXPECT_TRUE(Contains(table.out, "/sample ")) << table.out;
  const std::string csv = List({"--format", "csv"}).out;
  EXPECT_TRUE(Contains(csv, ",samples,energy_per_sample_j,emissions_per_sample_g,steps,")) << csv;
  EXPECT_TRUE(Contains(csv, ",1920,")) << csv;

  const Outcome compared = Ebb({"compare", folder, FolderOf("other").string(), "--unlike"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_TRUE(Contains(compared.out, "energy per sample ")) << compared.out;
  EXPECT_FALSE(Contains(compared.out, "energy per step ")) << compared.out;
}

// A figure of the work that somebody changed is found as every other.
TEST_F(Runs, TheAuditComputesEnergyPerUnitAgain) {
  ASSERT_EQ(Track("worker", {"sh", "-c",
                             "echo '{\"time_ms\":1,\"event\":\"end\",\"step\":30}' >> "
                             "$EBB_RUN_DIR/progress.jsonl; sleep 0.2"})
                .code,
            0);
  const fs::path file = FolderOf("worker") / "summary.json";
  json summary = json::parse(Read(file));
  summary["work"]["energy_per_step_j"] = summary["work"]["energy_per_step_j"].get<double>() * 0.9;
  std::ofstream(file) << summary.dump(2);
  const Outcome audit = Ebb({"audit", FolderOf("worker").string()});
  EXPECT_EQ(audit.code, 1) << audit.out;
  EXPECT_TRUE(Contains(audit.out, "work.energy_per_step_j: the file says ")) << audit.out;
}

// The "saving" of a replay did not spare any grid anything.
TEST_F(Runs, ReplaysHaveSumsOfTheirOwn) {
  // The trace is clean from the second hour on.
  Write("trace.csv",
        "datetime,carbon_intensity\n2023-05-02T00:00:00Z,300\n2023-05-02T01:00:00Z,100\n"
        "2023-05-02T02:00:00Z,100\n2023-05-02T03:00:00Z,300\n");
  ASSERT_EQ(Track("real", {"sleep", "0.2"}).code, 0);
  const Outcome replay =
      Ebb({"run", "--threshold", "150", "--trace", "trace.csv", "--grid-start", "2023-05-02T00:00Z",
           "--skip-waits", "--cpu-tdp", "10", "--interval=20ms", "--quiet", "--", "sleep", "0.2"});
  ASSERT_EQ(replay.code, 0) << replay.err;
  const Outcome table = List({});
  EXPECT_TRUE(Contains(table.out, "\n1 run: 1 done; ")) << table.out;
  EXPECT_TRUE(Contains(table.out, "\non a replayed grid clock: 1 run: 1 done; ")) << table.out;
  EXPECT_TRUE(Contains(table.out, "done, replay")) << table.out;
  const json listed = Listed();
  EXPECT_EQ(listed["runs"][0]["replayed"], true);
  EXPECT_EQ(listed["runs"][1]["replayed"], false);
}

TEST_F(Runs, BrokenDirectoriesAreRowsAndTheOthersAreThere) {
  ASSERT_EQ(Track("good", {"true"}).code, 0);
  ASSERT_EQ(Track("spoilt", {"true"}).code, 0);
  std::ofstream(FolderOf("spoilt") / "run.json") << "{\"run_id\":";
  fs::create_directories(directory_ / "runs" / "half");
  Write("runs/half/ledger.jsonl", "{\"attempt\":");
  fs::create_directories(directory_ / "runs" / "notes");
  const Outcome table = List({});
  EXPECT_EQ(table.code, 0);
  EXPECT_TRUE(Contains(table.out, "3 runs: 2 broken, 1 done; ")) << table.out;
  EXPECT_TRUE(Contains(table.err, "no run.json")) << table.err;
  EXPECT_TRUE(Contains(table.err, "spoilt")) << table.err;
  EXPECT_EQ(Listed({"--outcome", "broken"}).at("runs").size(), 2u);
}

TEST_F(Runs, OneThatGoesOnIsToldFromOneThatWasKilled) {
  const pid_t pid = Start({"track", "--constant", "360", "--interval=20ms", "--name", "long",
                           "--run-dir", "runs/long", "sleep", "30"});
  WaitFor(directory_ / "runs/long/ledger.jsonl");
  std::vector<std::string> words{EBB_PROGRAM, "runs", "--local", "--format", "json"};
  const auto outcome = [&] {
    const pid_t aside = StartAside(words, "listed.json");
    int status = 0;
    ::waitpid(aside, &status, 0);
    const json listed = json::parse(Read(directory_ / "listed.json"));
    return listed["runs"][0]["outcome"].get<std::string>();
  };
  for (int i = 0; i < 500 && outcome() != "running"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_EQ(outcome(), "running");
  ::kill(pid, SIGKILL);
  Finish(pid);
  EXPECT_EQ(outcome(), "killed");
}

class History : public ServeCommand {
 protected:
  void WaitForEnds(std::size_t jobs) {
    WaitUntil([&] { return Ended() == jobs; });
  }
};

TEST_F(History, WhatEndedIsListedAndChosen) {
  Serve();
  ASSERT_EQ(Client({"submit", "--name", "good", "--user", "ada"}, {"true"}).code, 0);
  ASSERT_EQ(Client({"submit", "--name", "bad"}, {"sh", "-c", "exit 7"}).code, 0);
  ASSERT_EQ(Client({"submit", "--name", "goes-on"}, {"sleep", "60"}).code, 0);
  WaitForEnds(2);
  const Outcome table = Client({"history"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(Contains(table.out, "2 jobs: 1 failed, 1 succeeded; ")) << table.out;
  EXPECT_FALSE(Contains(table.out, "goes-on")) << table.out;
  const Outcome failed = Client({"history", "--columns", "job,name,exit", "--state", "failed"});
  EXPECT_TRUE(Contains(failed.out, "  job   name   exit\n  2     bad       7\n1 job: 1 failed; "))
      << failed.out;
  const Outcome csv = Client({"history", "--format", "csv", "--columns", "job,user,state"});
  EXPECT_EQ(csv.out, "job,user,state\n2,,failed\n1,ada,succeeded\n");
  EXPECT_EQ(Client({"history", "--user", "ada", "--format", "csv", "--columns", "job"}).out,
            "job\n1\n");
  const json whole = json::parse(Client({"history", "--format", "json"}).out);
  ASSERT_EQ(whole.at("jobs").size(), 2u);
  EXPECT_EQ(whole["jobs"][0]["exit_code"], 7);
  const Outcome one = Client({"history", "--limit", "1", "--format", "csv", "--columns", "job"});
  EXPECT_EQ(one.out, "job\n2\n");
  EXPECT_TRUE(Contains(one.err, "there are more")) << one.err;
  EXPECT_EQ(Client({"history", "--since", "1h", "--columns", "job", "--format", "csv"}).out,
            "job\n2\n1\n");
  EXPECT_EQ(Client({"history", "--until", "1h"}).out, "no job has ended that matches\n");
  const Outcome misspelt = Client({"history", "--columns", "nmae"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_TRUE(Contains(misspelt.err, "did you mean \"name\"?")) << misspelt.err;
  const Outcome state = Client({"history", "--state", "failed,suceeded"});
  EXPECT_EQ(state.code, 2);
  EXPECT_TRUE(Contains(state.err, "did you mean \"succeeded\"?")) << state.err;
  // The list of all runs shows these jobs beside the runs of directories.
  const json runs = json::parse(Client({"runs", "--format", "json"}).out);
  ASSERT_EQ(runs.at("runs").size(), 2u);
  EXPECT_EQ(runs["runs"][1]["job"], 1);
  EXPECT_EQ(runs["runs"][1]["outcome"], "done");
  EXPECT_EQ(Client({"cancel", "3"}).code, 0);
  WaitForEnds(3);
}

// Changes that users make to jobs that wait or have ended.
TEST_F(History, JobsAreChangedWhileTheyWait) {
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit", "--name", "first"}, {"sleep", "100"}).code, 0);
  ASSERT_EQ(Client({"submit", "--name", "second"}, {"true"}).code, 0);
  WaitUntil([&] { return Contains(Client({"queue"}).out, "running"); });
  const Outcome dry = Client({"edit", "second", "--start-by", "6h", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(dry.out.starts_with("job 2 (second) would be changed: ")) << dry.out;
  const Outcome both = Client({"edit", "second", "first", "--name", "third"});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(both.out.starts_with("job 2 (third): ")) << both.out;
  EXPECT_TRUE(Contains(both.err, "job 1: runs already")) << both.err;
  EXPECT_TRUE(Contains(Client({"show", "2"}).out, "job 2 (third)"));
  EXPECT_EQ(Client({"edit", "2"}).code, 2) << "nothing to change";
  EXPECT_EQ(Client({"edit", "2", "--start-by", "soon"}).code, 2);
  EXPECT_EQ(Client({"edit", "2", "--duration", "24"}).code, 2) << "without a unit";
  EXPECT_EQ(Client({"edit", "2", "--duration", "2h", "--run-time", "2h"}).code, 2) << "one flag";
  EXPECT_EQ(Client({"edit", "2", "--finish-by", "none"}).code, 0);
  EXPECT_EQ(Client({"cancel", "1", "2"}).code, 0);
  WaitForEnds(2);
  // A replay of the journal with the change gives the same state and the same decisions.
  Stop(SIGTERM);
  const Outcome check = Client({"store", "check"});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
}

TEST_F(History, EndedJobsAreSubmittedAgain) {
  Serve();
  ASSERT_EQ(Client({"submit", "--name", "prepare"}, {"sh", "-c", "exit 3"}).code, 0);
  WaitForEnds(1);
  ASSERT_EQ(Client({"submit", "--name", "evaluate", "--wrap", "echo a | tr a b"}).code, 0);
  WaitForEnds(2);
  EXPECT_EQ(Client({"logs", "evaluate"}).out, "b\n") << "a shell read the line";
  EXPECT_EQ(Client({"restart", "prepare", "--dry-run"}).out,
            "job 1 (prepare) would be submitted again\n");
  const Outcome again = Client({"restart", "evaluate", "1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out,
            "job 1 (prepare): submitted again as job 3\n"
            "job 2 (evaluate): submitted again as job 4\n");
  WaitForEnds(4);
  EXPECT_EQ(Client({"logs", "4"}).out, "b\n");
  const Outcome none = Client({"restart", "nothing"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(Contains(none.err, "ebb history lists")) << none.err;
  EXPECT_NE(Client({"restart", "4", "--resume"}).code, 0);
}

TEST_F(History, JobsThatDependOnARestartedOneDependOnTheNewOne) {
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit", "--name", "a"}, {"sleep", "100"}).code, 0);
  ASSERT_EQ(Client({"submit", "--name", "b", "--after", "1"}, {"true"}).code, 0);
  ASSERT_EQ(Client({"cancel", "1"}).code, 0);
  WaitForEnds(2);
  EXPECT_NE(Client({"restart", "2"}).code, 0) << "what it depends on has not succeeded";
  ASSERT_EQ(Client({"restart", "2", "1"}).code, 0);
  const auto shown = json::parse(Client({"show", "4", "--format", "json"}).out);
  EXPECT_EQ(shown.at("after"), json({3}));
  ASSERT_EQ(Client({"cancel", "3"}).code, 0);
  WaitForEnds(4);
}

TEST_F(History, ASearchProposesTrialsFromResultsAndGoesOnWhereItWas) {
  Serve();
  Write("train.sh",
        "loss=$(( ($1 - 70) * ($1 - 70) ))\n"
        "printf '{\"time_ms\":1,\"event\":\"epoch_end\",\"epoch\":1,\"test_loss\":%s}\\n' $loss"
        " >> $EBB_RUN_DIR/progress.jsonl\n");
  Write("search.yaml",
        "parameters: {random: {x: {integer: [0, 99]}}}\n"
        "search: {method: bayesian, trials: 9, startup: 4, parallel: 3, seed: 3}\n"
        "estimates: [{duration: 1m, power_w: 5}]\n"
        "name_template: \"trial-{index}-x{x}\"\n"
        "command: [sh, train.sh, \"{x}\"]\n");
  const Outcome submitted = Client({"submit", "search.yaml"});
  EXPECT_EQ(submitted.code, 3);
  EXPECT_TRUE(Contains(submitted.err, "ebb sweep search search.yaml")) << submitted.err;
  std::vector<std::string> words{EBB_PROGRAM, "sweep", "search", "search.yaml"};
  for (const std::string& word : Place()) words.push_back(word);
  const pid_t stopped = StartAside(words, "stopped.txt");
  WaitUntil([&] { return Ended() >= 3; });
  ::kill(stopped, SIGINT);
  int status = 0;
  ::waitpid(stopped, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130) << Read(directory_ / "stopped.txt");
  const Outcome found = Client({"sweep", "search", "search.yaml"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(found.out.starts_with("best of 9 trials: job ")) << found.out;
  const auto queue = Queue();
  EXPECT_EQ(queue.at("jobs").size(), 9u) << "none is tried twice";
  const auto sweep = json::parse(Client({"queue", "--sweep", "search", "--format", "json"}).out);
  EXPECT_EQ(sweep["sweep"], 1);
  EXPECT_EQ(sweep["experiments"].size(), 9u);
  EXPECT_TRUE(Contains(found.out, sweep["best"].get<std::string>())) << found.out;
}

TEST_F(Cli, WrapIsALineForAShellAndStandsAlone) {
  const json job = json::parse(Ebb({"submit", "--dry-run", "--wrap", "a | b"}).out);
  EXPECT_EQ(job["command"], json({"/bin/sh", "-c", "a | b"}));
  EXPECT_EQ(job["name"], "wrap");
  const Outcome both = Ebb({"submit", "--dry-run", "--wrap", "a | b", "--", "true"});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(Contains(both.err, "--wrap")) << both.err;
  Write("jobs.yaml", "command: [\"true\"]\n");
  EXPECT_EQ(Ebb({"submit", "--dry-run", "--wrap", "a", "jobs.yaml"}).code, 2);
}

TEST_F(Runs, CleanRemovesWhatNeverStartedAndOldRunsAndNothingElse) {
  ASSERT_EQ(Track("good", {"true"}).code, 0);
  ASSERT_EQ(Ebb({"run", "--constant", "360", "--quiet", "--policy", "threshold", "--threshold", "1",
                 "--start-by", "10ms", "--at-deadline", "stop", "--name", "never", "true"})
                .code,
            75);
  ASSERT_EQ(Ebb({"track", "--constant", "360", "--quiet", "--run-dir", "runs/mine", "true"}).code,
            0);
  Write("runs/mine/thesis.tex", "precious");
  fs::create_directories(directory_ / "runs" / "sweep" / "jobs");
  Write("runs/sweep/ebb.db", "");
  fs::copy(FolderOf("good"), directory_ / "runs" / "sweep" / "jobs" / "1");
  fs::create_directories(directory_ / "runs" / "half");
  Write("runs/half/run.json", "{\"run_id\":");
  fs::create_directories(directory_ / "elsewhere");
  fs::copy(FolderOf("never"), directory_ / "elsewhere" / FolderOf("never").filename());
  fs::create_directory_symlink(directory_ / "elsewhere", directory_ / "runs" / "link");
  const pid_t goes_on = StartAside(
      {EBB_PROGRAM, "track", "--constant", "360", "--quiet", "--run-dir", "runs/on", "sleep", "30"},
      "on.txt");
  WaitFor(directory_ / "runs/on/ledger.jsonl");

  EXPECT_EQ(Ebb({"clean"}).code, 2) << "nobody is there to be asked";
  EXPECT_EQ(Ebb({"clean", "nosuch", "--dry-run"}).code, 4);
  const Outcome dry = Ebb({"clean", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_TRUE(Contains(dry.out, "would remove 1 run, ")) << dry.out;
  EXPECT_TRUE(Contains(dry.err, "belong to the store")) << dry.err;
  EXPECT_TRUE(fs::exists(FolderOf("never")));
  const Outcome first = Ebb({"clean", "--yes"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(Contains(first.out, "removed 1 run, ")) << first.out;
  EXPECT_TRUE(FolderOf("never").empty());
  EXPECT_FALSE(FolderOf("good").empty());
  EXPECT_TRUE(Contains(Ebb({"clean", "--older-than", "1h", "--yes"}).out, "nothing to remove"));
  const Outcome old = Ebb({"clean", "--older-than", "0s", "--yes", "--format", "json"});
  EXPECT_EQ(old.code, 0) << old.err;
  EXPECT_EQ(json::parse(old.out)["runs"].size(), 2u) << old.out;
  EXPECT_TRUE(FolderOf("good").empty());
  EXPECT_FALSE(fs::exists(directory_ / "runs/mine/run.json"));
  EXPECT_EQ(Read(directory_ / "runs/mine/thesis.tex"), "precious");
  for (const char* stays :
       {"runs/sweep/jobs/1/run.json", "runs/half/run.json", "runs/link", "runs/on/run.json"})
    EXPECT_TRUE(fs::exists(directory_ / stays)) << stays;
  EXPECT_FALSE(fs::is_empty(directory_ / "elsewhere"));
  EXPECT_TRUE(Contains(Ebb({"clean", "runs/link", "--yes"}).err, "symbolic link"));
  ::kill(goes_on, SIGTERM);
  ::waitpid(goes_on, nullptr, 0);
}

}  // namespace
}  // namespace ebb
