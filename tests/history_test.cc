// What was run, as a person looks back on it: ebb runs over run directories, ebb history over the
// service.
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
  // Without a service.
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
  // In the list of all runs they stand beside those of directories.
  const json runs = json::parse(Client({"runs", "--format", "json"}).out);
  ASSERT_EQ(runs.at("runs").size(), 2u);
  EXPECT_EQ(runs["runs"][1]["job"], 1);
  EXPECT_EQ(runs["runs"][1]["outcome"], "done");
  EXPECT_EQ(Client({"cancel", "3"}).code, 0);
  WaitForEnds(3);
}

}  // namespace
}  // namespace ebb
