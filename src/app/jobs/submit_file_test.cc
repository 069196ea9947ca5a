#include "app/jobs/submit_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "plan/gate_policy.h"
#include "web/requests/submission_json.h"

namespace ebb::app {
namespace {

using nlohmann::json;

const SubmitOptions kOptions{"/home/me", "p"};

json Read(const std::string& text) {
  const auto file = ParseSubmitFile(text, "jobs.yaml", kOptions);
  EXPECT_TRUE(file) << file.error().Message();
  return file ? json::parse(file->body) : json();
}

std::string Refused(const std::string& text) {
  const auto file = ParseSubmitFile(text, "jobs.yaml", kOptions);
  EXPECT_FALSE(file) << text;
  return file ? "" : file.error().Message();
}

TEST(SubmitFile, OneJob) {
  const json jobs = Read(R"y(
name: train
command: [python, train.py, --lr, 1e-4, "$(rm) x"]
duration: 2h
power_w: 250
checkpointable: yes
environment: {A: 1, B: }
tier: 2
working_directory: here
)y");
  ASSERT_EQ(jobs.size(), 1u);
  const json& job = jobs[0];
  EXPECT_EQ(job["command"], json({"python", "train.py", "--lr", "1e-4", "$(rm) x"}));
  EXPECT_EQ(job["power_w"], 250);
  EXPECT_EQ(job["checkpointable"], true);
  EXPECT_EQ(job["environment"], json({{"A", "1"}, {"B", ""}}));
  EXPECT_EQ(job["working_directory"], "/home/me/here");
  EXPECT_EQ(job["key"], "p/train");
}

TEST(SubmitFile, DefaultsAndPredecessorsByName) {
  const json jobs = Read(R"(
defaults: {duration: 30m, power_w: 90}
jobs:
  - {name: prepare, command: [a]}
  - {name: train, command: [b], duration: 5h, after: [prepare, 12]}
  - {name: test, command: [c], after: train}
)");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0]["duration"], "30m");
  EXPECT_EQ(jobs[1]["duration"], "5h");
  EXPECT_EQ(jobs[1]["after"], json({"p/prepare", 12}));
  EXPECT_EQ(jobs[2]["after"], json({"p/train"}));
  EXPECT_EQ(jobs[2]["working_directory"], "/home/me");
}

TEST(SubmitFile, TrackersOfTheCommandLineAreForJobsThatNameNone) {
  SubmitOptions options = kOptions;
  options.tracking = {"/tb", "https://all", "", "/token"};
  const auto file = ParseSubmitFile(
      "- {command: [a]}\n- {command: [b], trackers: {mlflow: mlruns, tensorboard: tb}}\n", "f",
      options);
  ASSERT_TRUE(file) << file.error().Message();
  const json jobs = json::parse(file->body);
  EXPECT_EQ(
      jobs[0]["trackers"],
      json({{"tensorboard", "/tb"}, {"mlflow", "https://all"}, {"mlflow_token_file", "/token"}}));
  EXPECT_EQ(jobs[1]["trackers"],
            json({{"tensorboard", "/home/me/tb"}, {"mlflow", "/home/me/mlruns"}}))
      << "the token is not for another server";
  EXPECT_NE(Refused("{command: [a], trackers: 5}").find("trackers"), std::string::npos);
}

TEST(SubmitFile, JobsWithoutNamesMayBeAlike) {
  const json jobs = Read("- {command: [a]}\n- {command: [a]}\n");
  EXPECT_NE(jobs[0]["key"], jobs[1]["key"]);
}

TEST(SubmitFile, AllMistakesAreNamedWithTheirLines) {
  const std::string message = Refused(R"(jobs:
  - name: a
    comand: [x]
  - name: b
    command: [x]
    duration: soon
  - name: b
    command: [x]
    after: [c]
  - 5
deflauts: {}
)");
  for (const std::string expected :
       {"jobs.yaml:3", "\"command\"", "jobs.yaml:6", "duration", "jobs.yaml:7", "line 4",
        "jobs.yaml:9", "\"c\"", "jobs.yaml:10", "jobs.yaml:11", "\"defaults\""})
    EXPECT_NE(message.find(expected), std::string::npos) << expected << " in\n" << message;
}

TEST(SubmitFile, AJobWithFiveMistakesNamesFive) {
  const std::string message = Refused(R"(name: a
comand: [x]
duration: soon
priority: high
devices: 0
budget: {energy_kwh: -1}
)");
  for (const std::string expected :
       {"jobs.yaml:2: comand is not known", "jobs.yaml:3: duration", "jobs.yaml:4: priority",
        "jobs.yaml:5: devices", "jobs.yaml:6: budget.energy_kwh", "jobs.yaml: 5 mistakes"})
    EXPECT_NE(message.find(expected), std::string::npos) << expected << " in\n" << message;
  EXPECT_EQ(message.find("missing"), std::string::npos) << message;
}

TEST(SubmitFile, GpusAreCalledDevices) {
  const std::string message = Refused("- command: [x]\n  gpus: 2\n");
  EXPECT_NE(message.find("jobs.yaml:2: gpus is not known (write devices"), std::string::npos)
      << message;
}

TEST(SubmitFile, OlderNamesOfKeysAreReadButNotBesideThePresentOnes) {
  const json jobs = Read(R"(
defaults: {duration: 30m, checkpointable: yes}
jobs:
  - {name: a, command: [a], run_time: 5h, run_limit: 9h}
  - {name: b, command: [b], pausable: no, pause_overhead: 2m}
)");
  EXPECT_EQ(jobs[0]["duration"], "5h");
  EXPECT_EQ(jobs[0]["time_limit"], "9h");
  EXPECT_FALSE(jobs[0].contains("run_time"));
  EXPECT_EQ(jobs[1]["checkpointable"], false);
  EXPECT_EQ(jobs[1]["pause_cost"], "2m");
  const std::string message = Refused("{command: [x], duration: 1h,\n run_time: 1h}");
  EXPECT_NE(message.find("jobs.yaml:2: duration and run_time are the same key: leave out run_time"),
            std::string::npos)
      << message;
}

TEST(SubmitFile, WhatIsNoFileOfJobs) {
  for (const std::string text : {"", "5", "[]", "jobs: 3", "jobs: []", "name: x", "a: [", "- []",
                                 "{command: [x], command: [y]}", "{jobs: [{command: [x]}], x: 1}"})
    Refused(text);
}

TEST(SubmitFile, ASweepIsAJobForEachExperiment) {
  const std::string text = R"(
name: small
parameters: {grid: {lr: [1e-03, 1e-04]}}
tiers: [{name: 1, threshold: 225, max_delay: 24h, priority: 3}]
estimates: [{duration: 90m, power_w: 300}]
name_template: "small-{lr}"
command: [prog, --lr, "{lr}"]
checkpointable: true
pause_cost: 2m
)";
  const json sweep = Read(text);
  EXPECT_EQ(sweep["name"], "small");
  ASSERT_EQ(sweep["jobs"].size(), 2u);
  EXPECT_EQ(sweep["jobs"][1]["command"], json({"prog", "--lr", "1e-04"}));
  const auto read = web::SweepFromJson(sweep.dump(), {});
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_FALSE(read->at(1).sweep->halving);
  const core::Job& job = read->at(1).submission.job;
  EXPECT_EQ(job.name, "small-1e-04");
  EXPECT_EQ(job.duration, std::chrono::minutes{90});
  EXPECT_EQ(job.threshold->g_per_kwh, 225);
  EXPECT_EQ(read->at(1).start_within, std::chrono::hours{24});
  EXPECT_TRUE(job.checkpointable);
  EXPECT_EQ(read->at(1).submission.time_limit, std::chrono::hours{3});
  EXPECT_EQ(read->at(1).submission.parameters, (core::Parameters{{"lr", "1e-04"}}));
  EXPECT_EQ(read->at(1).submission.tracking.mlflow_experiment, "small");
  const auto halved = ParseSubmitFile(
      text + "successive_halving: {reduction: 3, minimum_epochs: 1, epochs: 9}\n", "s", kOptions);
  ASSERT_TRUE(halved);
  const auto limited =
      ParseSubmitFile(text + "budget: {energy_kwh: 2, action: pause}\n", "s", kOptions);
  ASSERT_TRUE(limited);
  const auto limited_jobs = web::SweepFromJson(limited->body, {});
  ASSERT_TRUE(limited_jobs) << limited_jobs.error().Message();
  const core::Budget& budget = limited_jobs->at(1).submission.budget;
  EXPECT_EQ(budget.energy, Energy::Joules(2 * 3.6e6));
  EXPECT_FALSE(budget.emissions);
  EXPECT_EQ(budget.action, core::BudgetAction::kPause);
  EXPECT_EQ(halved->route, "/api/v1/sweeps");
  EXPECT_EQ(web::SweepFromJson(halved->body, {})->front().sweep->halving,
            (sweep::HalvingOptions{3, 1, 9}));
}

std::string ManyJobs(int jobs) {
  std::string text = "jobs:\n";
  for (int i = 0; i < jobs; ++i) {
    const std::string number = std::to_string(i);
    text += "- name: job-" + number + "\n  command: [python, train.py, --seed, \"" + number +
            "\", --epochs, 9]\n  duration: 20m\n  power_w: 250\n  environment: {A: 1, B: 2}\n";
    if (i > 0) text += "  after: [job-" + std::to_string(i - 1) + "]\n";
  }
  return text;
}

TEST(SubmitFile, AsManyJobsAsTheServiceTakesAtOnce) {
  const auto file = ParseSubmitFile(ManyJobs(10'000), "jobs.yaml", kOptions);
  ASSERT_TRUE(file) << file.error().Message();
  EXPECT_EQ(file->places.size(), 10'000u);
  const json jobs = json::parse(file->body);
  EXPECT_EQ(jobs.size(), 10'000u);
  EXPECT_EQ(jobs[9999]["after"], json({"p/job-9998"}));
  const std::string refused = Refused(ManyJobs(10'001));
  EXPECT_NE(refused.find("holds 10001 jobs; the service takes 10000 at once: split the file"),
            std::string::npos)
      << refused;
}

// A short file must not use much memory, not even through defaults that are repeated for every job.
TEST(SubmitFile, WhatHoldsTooMuchIsToldTheLimitAndWhatToDo) {
  std::string lists = "[";
  for (int i = 0; i < 700'000; ++i) lists += "[],";
  std::string unfolding = "a: &a0 [x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    unfolding += "b" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int i = 0; i < 8; ++i)
      unfolding += "*a" + std::to_string(level - 1) + (i < 7 ? ", " : "]\n");
  }
  std::string repeated = "defaults: {environment: {A: " + std::string(10'000, 'x') + "}}\njobs:\n";
  for (int i = 0; i < 1000; ++i) repeated += "- {command: [a]}\n";
  const std::tuple<std::string, std::string> cases[] = {
      {lists + "]", "holds more than 600000 values"},
      {unfolding, "holds more than 600000 values"},
      {std::string(9 << 20, '#'), "is larger than 8 MiB"},
      {repeated, "longer than the 8 MiB"}};
  for (const auto& [text, what] : cases) {
    const std::string refused = Refused(text);
    EXPECT_NE(refused.find(what), std::string::npos) << refused;
    EXPECT_NE(refused.find("split "), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace ebb::app
