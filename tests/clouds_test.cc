// Tasks for clouds as a user makes them: `ebb sweep generate --target skypilot`, `ebb submit --as
// skypilot`. A stand-in for `sky` notes how it is called; tests/peers/skypilot_test.py reads the
// same files with SkyPilot itself.

#include "cli_fixture.h"

namespace ebb {
namespace {

// Poland's power is never as clean as Sweden's, and that of Singapore neither.
constexpr const char* kSweep = R"(name: clouds
parameters:
  grid: {loss: [0.1, 0.2]}
estimates:
  - {duration: 30m, power_w: 300}
name_template: "run-{index}"
command: [bash, train.sh, "{loss}"]
checkpointable: true
devices: 1
skypilot:
  regions: [gcp/europe-central2, aws/ap-southeast-1, AWS/eu-north-1]
  bucket: s3://my-bucket
  accelerator: A100
)";

constexpr const char* kTrainer = R"(
for epoch in 1 2 3; do
  sleep 0.1
  echo "{\"time_ms\":$(date +%s%3N),\"event\":\"epoch_end\",\"epoch\":$epoch,\"train_loss\":$1,\"test_loss\":$1}" >> "$EBB_RUN_DIR/progress.jsonl"
done
echo weights > "$EBB_CHECKPOINT_DIR/state"
)";

class CloudsCli : public Cli {
 protected:
  void WriteProgram(const std::string& name, const std::string& lines) {
    Write(name, "#!/bin/bash\n" + lines);
    fs::permissions(directory_ / name, fs::perms::owner_all);
  }
  Outcome Generate(const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep",    "generate",      "s.yaml",
                                   "--target", "skypilot",      "--signal",
                                   "profile",  "--submit-time", "2026-11-27T18:00Z"};
    words.insert(words.end(), more.begin(), more.end());
    return Ebb(words);
  }
  // Runs the script of a task as a machine of SkyPilot would, with a folder as the bucket.
  int RunTask(const std::string& file, const std::string& region) {
    const std::string task = Read(directory_ / file), mark = "\nrun: |\n";
    std::stringstream lines(task.substr(task.find(mark) + mark.size()));
    std::string script;
    for (std::string line; std::getline(lines, line);)
      script += (line.empty() ? "" : line.substr(2)) + "\n";
    const std::string there = "/ebb-bucket", here = (directory_ / "bucket").string();
    for (auto at = script.find(there); at != std::string::npos; at = script.find(there, at + 1))
      script.replace(at, there.size(), here);
    Write("run.sh", script);
    const std::string command = "cd '" + directory_.string() + "' && PATH='" +
                                fs::path(EBB_PROGRAM).parent_path().string() +
                                "':$PATH SKYPILOT_TASK_ID=sky-1 SKYPILOT_CLUSTER_INFO='{\"cloud\": "
                                "\"GCP\", \"region\": \"" +
                                region + "\"}' TMPDIR=$PWD bash run.sh > task.log 2>&1";
    return WEXITSTATUS(std::system(command.c_str()));
  }
};

TEST_F(CloudsCli, ATaskTriesTheCleanestRegionFirst) {
  Write("s.yaml", kSweep);
  const Outcome made = Generate({"--out", "tasks"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(Contains(made.err, "2 experiments, 3 files in tasks")) << made.err;
  EXPECT_TRUE(Contains(made.out, "aws/eu-north-1")) << made.out;
  const std::string task = Read(directory_ / "tasks/run-1.yaml");
  EXPECT_TRUE(Contains(task, "  ordered:\n    - infra: aws/eu-north-1\n")) << task;
  EXPECT_TRUE(Contains(task, "accelerators: \"A100:1\"")) << task;
  EXPECT_TRUE(Contains(Read(directory_ / "tasks/launch.sh"), " run-2  # ")) << "launch.sh";
  EXPECT_EQ(Read(directory_ / "tasks/sweep.yaml"), kSweep);
}

TEST_F(CloudsCli, ADryRunShowsThePlanAndWritesNothing) {
  Write("s.yaml", kSweep);
  const Outcome shown = Generate({"--dry-run"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* part : {"run-1", "run-2", "aws/eu-north-1", "next region"})
    EXPECT_TRUE(Contains(shown.out, part)) << part << "\n" << shown.out;
  EXPECT_FALSE(fs::exists(directory_ / "tasks"));
}

TEST_F(CloudsCli, MistakesAreNamedWithTheirLines) {
  std::string sweep = kSweep;
  sweep.replace(sweep.find("AWS/eu-north-1"), 14, "aws/eu-nort-1");
  Write("s.yaml", sweep);
  const Outcome outcome = Generate({"--out", "tasks"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "s.yaml:11") && Contains(outcome.err, "eu-north-1"))
      << outcome.err;
  Write("s.yaml", std::string(kSweep).substr(0, std::string(kSweep).find("skypilot:")));
  EXPECT_TRUE(Contains(Generate({"--out", "tasks"}).err, "nothing is said about clouds"));
  Write("s.yaml", kSweep);
  EXPECT_TRUE(
      Contains(Generate({"--out", "tasks", "--zone", "DE"}).err, "every cloud region has its own"));
}

// The runs that tasks leave in the bucket, copied back, are those of a sweep.
TEST_F(CloudsCli, TheReportReadsWhatTasksLeaveInTheBucket) {
  Write("s.yaml", kSweep);
  Write("train.sh", kTrainer);
  ASSERT_EQ(Generate({"--out", "tasks"}).code, 0);
  // No source of this region answers without a key, so nothing is asked for over the network.
  ASSERT_EQ(RunTask("tasks/run-1.yaml", "us-east4"), 0) << Read(directory_ / "task.log");
  ASSERT_EQ(RunTask("tasks/run-2.yaml", "us-east4"), 0) << Read(directory_ / "task.log");
  const fs::path runs = directory_ / "bucket/clouds/runs";
  EXPECT_EQ(Read(runs / "run-1/checkpoints/state"), "weights\n");
  EXPECT_TRUE(fs::exists(runs / "run-1/attempt-1/gcp-us-east4/run.json"));
  fs::copy(runs, directory_ / "tasks/runs", fs::copy_options::recursive);
  const Outcome report = Ebb({"sweep", "report", "tasks", "--format", "json"});
  ASSERT_EQ(report.code, 0) << report.err;
  const auto json = nlohmann::json::parse(report.out);
  EXPECT_EQ(json["experiments"][0]["name"], "run-1");
  for (const auto& row : json["experiments"]) {
    EXPECT_EQ(row["outcome"], "done") << row;
    EXPECT_GT(row["energy_kwh"].get<double>(), 0) << row;
    EXPECT_GT(row["emissions_g"].get<double>(), 0) << row;
  }
}

TEST_F(CloudsCli, OneJobIsPrintedAsATask) {
  const Outcome made = Ebb({"submit",
                            "--as",
                            "skypilot",
                            "--regions",
                            "gcp/europe-central2, aws/eu-north-1",
                            "--bucket",
                            "my-bucket",
                            "--accelerator",
                            "H100",
                            "--devices",
                            "8",
                            "--spot",
                            "--name",
                            "train",
                            "--duration",
                            "2h",
                            "--budget-kwh",
                            "5",
                            "--env",
                            "HF_TOKEN=secret",
                            "--signal",
                            "profile",
                            "python",
                            "train.py",
                            "it's"});
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* part :
       {"name: train\n", "accelerators: \"H100:8\"", "use_spot: true",
        "    - infra: aws/eu-north-1", "envs:\n  HF_TOKEN: secret\n", "name: my-bucket",
        "--budget-kwh 5 --on-budget stop", "python train.py 'it'\\''s'"})
    EXPECT_TRUE(Contains(made.out, part)) << part << "\n" << made.out;
  EXPECT_TRUE(Contains(made.err, "train is to start ")) << made.err;
}

TEST_F(CloudsCli, TheTrainerIsThatOfTheMachineInTheCloud) {
  const Outcome made = Ebb({"submit", "--as", "skypilot", "--regions", "gcp/us-east4", "--bucket",
                            "my-bucket", "--signal", "profile", "ebb-train", "lora.yaml"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(Contains(made.out, "  ebb-train lora.yaml ||")) << made.out;
}

TEST_F(CloudsCli, ALaunchCallsSkyAtTheStartAndEndsAsItEnds) {
  WriteProgram("sky", "printf '%s|' \"$@\" > seen\nhead -c 15 \"${@: -1}\" > task\nexit 7\n");
  ::setenv("PATH", (directory_.string() + ":" + std::getenv("PATH")).c_str(), 1);
  const std::vector<std::string> words{"submit",       "--as",     "skypilot",  "--regions",
                                       "gcp/us-east4", "--bucket", "my-bucket", "--start-by",
                                       "1s",           "--signal", "profile",   "--name",
                                       "train",        "--launch", "python",    "train.py"};
  const Outcome launched = Ebb(words);
  EXPECT_EQ(launched.code, 7) << launched.err;
  const std::string seen = Read(directory_ / "seen");
  EXPECT_TRUE(seen.starts_with("jobs|launch|--yes|--detach-run|--name|train|")) << seen;
  EXPECT_EQ(Read(directory_ / "task"), "# Planned start");
}

TEST_F(CloudsCli, AJobForACloudNeedsRegionsAndABucketAndOneCommand) {
  const Outcome bare = Ebb({"submit", "--as", "skypilot", "python", "train.py"});
  EXPECT_EQ(bare.code, 2);
  EXPECT_TRUE(Contains(bare.err, "regions are missing") && Contains(bare.err, "bucket is missing"))
      << bare.err;
  EXPECT_EQ(Ebb({"submit", "--launch", "python", "train.py"}).code, 2);
  Write("jobs.yaml", "jobs: []\n");
  EXPECT_EQ(Ebb({"submit", "--as", "skypilot", "jobs.yaml"}).code, 2);
}

}  // namespace
}  // namespace ebb
