#include "sweep/skypilot_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sweep/target_name.h"
#include "testing/golden.h"
#include "testing/scratch_directory.h"

namespace ebb::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2026-11-27T18:00Z");

SkypilotOptions Options() {
  SkypilotOptions options;
  options.regions = {"aws/eu-north-1", "gcp/europe-west1"};
  options.bucket = "s3://my-bucket/sweeps";
  options.accelerator = "A100-80GB";
  options.cpus = "8+";
  options.memory = "64+";
  options.spot = true;
  options.setup = "pip install -r requirements.txt";
  options.ebb_wheel = "build/packages/ebb-0.1.0-py3-none-manylinux_2_28_x86_64.whl";
  return options;
}

Experiment Named(int index, const std::string& name, std::vector<std::string> command) {
  Experiment experiment;
  experiment.index = index;
  experiment.name = name;
  experiment.duration = std::chrono::minutes{96};
  experiment.power = {381};
  experiment.command = std::move(command);
  return experiment;
}

Sweep TwoExperiments() {
  Sweep sweep;
  sweep.name = "qwen lora";
  sweep.tiers = {{"3", Intensity{125}, std::chrono::hours{96}, 1}};
  sweep.common.time_limit = std::chrono::hours{4};
  sweep.common.job.devices = 2;
  sweep.common.budget.energy = Energy::Joules(2.5 * 3.6e6);
  sweep.common.budget.emissions = Emissions{500};
  sweep.experiments = {Named(1, "qwen-lora-r16", {"python", "train.py", "--name", "it's $(this)"}),
                       Named(2, "qwen-lora-r32", {"python", "train.py", "--r", "32"})};
  return sweep;
}

std::vector<CloudStart> Starts() {
  return {{kNow + std::chrono::hours{8},
           kNow + std::chrono::hours{96},
           {{"aws/eu-north-1", Intensity{22.84}}, {"gcp/europe-west1", Intensity{141}}}},
          {kNow,
           kNow + std::chrono::hours{96},
           {{"gcp/europe-west1", Intensity{96.5}}, {"aws/eu-north-1", std::nullopt}}}};
}

std::string FileNamed(const std::string& name) {
  const auto files = SkypilotFiles(TwoExperiments(), Options(), Starts());
  EXPECT_TRUE(files) << files.error().Message();
  for (const GeneratedFile& file : *files)
    if (file.name == name) return file.content;
  return "no file " + name;
}

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteProgram(const fs::path& path, const std::string& lines) {
  std::ofstream(path) << "#!/bin/bash\n" << lines;
  fs::permissions(path, fs::perms::owner_all);
}

// The script below "run: |", the last key of a task, with the bucket at another place.
std::string RunScript(const std::string& task, const fs::path& bucket) {
  const std::string mark = "\nrun: |\n";
  std::stringstream lines(task.substr(task.find(mark) + mark.size()));
  std::string script;
  for (std::string line; std::getline(lines, line);)
    script += (line.empty() ? "" : line.substr(2)) + "\n";
  const std::string there = "/ebb-bucket";
  for (auto at = script.find(there); at != std::string::npos; at = script.find(there, at + 1))
    script.replace(at, there.size(), bucket.string());
  return script;
}

// A machine that runs a task: a bucket, and a folder of programs before the usual ones.
class SkypilotRun : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(directory_ / "bin");
    fs::create_directories(directory_ / "bucket");
    WriteProgram(directory_ / "bin/prog",
                 "printf '%s|' \"$EBB_RESUME\" \"$@\"\n"
                 "echo figures > \"$EBB_RUN_DIR/run.txt\"\n"
                 "echo weights > \"$EBB_CHECKPOINT_DIR/state\"\n"
                 "exit ${PROG_EXIT:-0}\n");
  }
  struct Outcome {
    std::string out;
    int code = 0;
  };
  Outcome Run(const std::vector<std::string>& words, const std::string& variables) {
    Sweep sweep = TwoExperiments();
    sweep.experiments[0].command = words;
    const std::string task = SkypilotTask(sweep, sweep.experiments[0], Options(), Starts()[0]);
    std::ofstream(directory_ / "run.sh") << RunScript(task, directory_ / "bucket");
    const std::string command = "cd '" + directory_.string() + "' && PATH=$PWD/bin:/usr/bin:/bin " +
                                variables + " TMPDIR=$PWD bash run.sh > out.txt";
    const int status = std::system(command.c_str());
    return {TextOf(directory_ / "out.txt"), WEXITSTATUS(status)};
  }
  fs::path Job() const {
    return directory_ / "bucket" / FileName("qwen lora") / "runs/qwen-lora-r16";
  }

  const fs::path directory_ = ScratchDirectory("skypilot");
  const std::string in_stockholm_ =
      "SKYPILOT_TASK_ID=sky-1 SKYPILOT_CLUSTER_INFO='{\"cluster_name\": \"c\", \"cloud\": \"AWS\", "
      "\"region\": \"eu-north-1\", \"zone\": \"eu-north-1a\"}'";
};

TEST(SkypilotTask, IsTheGoldenFile) {
  const std::string golden = "sweep/testdata/skypilot/";
  ExpectGoldenFile(golden + "qwen-lora-r16.yaml", FileNamed("qwen-lora-r16.yaml"));
  ExpectGoldenFile(golden + "launch.sh", FileNamed("launch.sh"));
}

// SkyPilot takes the cheapest of `any_of`, whatever their order.
TEST(SkypilotTask, RegionsAreInTheOrderOfThePlan) {
  const std::string task = FileNamed("qwen-lora-r32.yaml");
  EXPECT_THAT(
      task, HasSubstr("  ordered:\n    - infra: gcp/europe-west1\n    - infra: aws/eu-north-1\n"));
  EXPECT_EQ(task.find("any_of"), std::string::npos);
  EXPECT_THAT(task, HasSubstr("gcp/europe-west1 96.5, aws/eu-north-1 unknown\n"));
}

TEST(SkypilotTask, ABucketIsAnAddressOrAName) {
  const Sweep sweep = TwoExperiments();
  SkypilotOptions options = Options();
  options.bucket = "my-bucket";
  options.ebb_wheel = options.setup = options.workdir = options.accelerator = "";
  const std::string task = SkypilotTask(sweep, sweep.experiments[0], options, Starts()[0]);
  EXPECT_THAT(task, HasSubstr("  \"/ebb-bucket\":\n    name: my-bucket\n    mode: MOUNT\n"));
  for (const char* absent : {"setup:", "workdir:", "accelerators:", "wheel"})
    EXPECT_EQ(task.find(absent), std::string::npos) << absent;
}

TEST_F(SkypilotRun, GivesTheProgramItsArgumentsAndKeepsItsRunInTheBucket) {
  const Outcome outcome = Run({"prog", "$(id)", "a b", "it's"}, in_stockholm_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "0|$(id)|a b|it's|");
  EXPECT_EQ(TextOf(Job() / "attempt-1/aws-eu-north-1/run.txt"), "figures\n");
  EXPECT_EQ(TextOf(Job() / "checkpoints/state"), "weights\n");
}

TEST_F(SkypilotRun, ResumesIfSkyPilotRecoversTheTaskAndNotIfItIsLaunchedAgain) {
  const std::string in_belgium =
      "SKYPILOT_CLUSTER_INFO='{\"cluster_name\": \"c\", \"cloud\": \"GCP\", \"region\": "
      "\"europe-west1\", \"zone\": null}' SKYPILOT_TASK_ID=";
  EXPECT_EQ(Run({"prog"}, in_stockholm_).out, "0|");
  EXPECT_EQ(Run({"prog"}, in_belgium + "sky-1").out, "1|");
  EXPECT_EQ(Run({"prog"}, in_belgium + "sky-2").out, "0|");
  EXPECT_TRUE(fs::exists(Job() / "attempt-2/gcp-europe-west1/run.txt"));
  EXPECT_TRUE(fs::exists(Job() / "attempt-3/gcp-europe-west1/run.txt"));
}

TEST_F(SkypilotRun, EndsAsTheProgramEnds) {
  EXPECT_EQ(Run({"prog"}, in_stockholm_ + " PROG_EXIT=75").code, 75);
  EXPECT_EQ(TextOf(Job() / "attempt-1/aws-eu-north-1/run.txt"), "figures\n");
  EXPECT_EQ(Run({"no-such-program"}, in_stockholm_).code, 127);
}

TEST_F(SkypilotRun, EbbMeasuresWhereItIsInstalledInTheZoneOfTheRegion) {
  WriteProgram(directory_ / "bin/ebb",
               "if [ \"$1\" = --version ]; then echo ebb 1.0.0; else printf '%s|' \"$@\"; fi\n");
  const std::string out = Run({"prog", "x y"}, in_stockholm_).out;
  EXPECT_THAT(out, HasSubstr("track|--zone|aws/eu-north-1|--run-dir|"));
  EXPECT_THAT(out, HasSubstr("|--name|qwen-lora-r16|--budget-kwh|2.5|--budget-g|500|--on-budget|"
                             "stop|--|env|EBB_JOB_ID=sky-1|"));
  EXPECT_THAT(out, HasSubstr("|EBB_RESUME=0|prog|x y|"));
  EXPECT_THAT(Run({"prog"}, "SKYPILOT_TASK_ID=1").out, HasSubstr("|--zone|cloud|"));
}

TEST(SkypilotLaunch, LaunchesAtThePlannedStartsAndGoesOnWhereItStopped) {
  const fs::path directory = ScratchDirectory("skypilot");
  std::ofstream(directory / "launch.sh") << FileNamed("launch.sh");
  WriteProgram(directory / "sky",
               "echo \"$@\" >> \"$SKY_SEEN\"\nif [ -e fail ]; then exit 1; fi\n");
  // The clock of the script stands at the earlier start; a sleep moves it to the later one.
  WriteProgram(directory / "date", "cat clock\n");
  WriteProgram(directory / "sleep", "echo 2000000000 > clock\n");
  std::ofstream(directory / "clock") << 1'795'802'400 << "\n";
  const auto launch = [&] {
    return WEXITSTATUS(std::system(("cd '" + directory.string() +
                                    "' && SKY_SEEN=seen PATH=$PWD:/usr/bin:/bin bash launch.sh "
                                    "2> err")
                                       .c_str()));
  };
  const auto line = [&](const std::string& name) {
    return "jobs launch --yes --detach-run --name " + name + " " + directory.string() + "/" + name +
           ".yaml\n";
  };
  std::ofstream(directory / "fail") << "";
  EXPECT_EQ(launch(), 1);
  EXPECT_EQ(TextOf(directory / "seen"), line("qwen-lora-r32") + line("qwen-lora-r16"));
  EXPECT_THAT(TextOf(directory / "err"), HasSubstr("qwen-lora-r16 was not launched"));
  fs::remove(directory / "fail");
  std::ofstream(directory / "launched.txt") << "qwen-lora-r32\n";
  fs::remove(directory / "seen");
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(TextOf(directory / "seen"), line("qwen-lora-r16"));
  EXPECT_EQ(TextOf(directory / "launched.txt"), "qwen-lora-r32\nqwen-lora-r16\n");
}

TEST(SkypilotOptions, MistakesAreNamed) {
  EXPECT_TRUE(MistakesIn(Options()).empty());
  SkypilotOptions options;
  options.accelerator = "A100:8";
  options.cpus = "many";
  options.memory = "+";
  options.ebb_wheel = "ebb.tar.gz";
  EXPECT_THAT(MistakesIn(options),
              ElementsAre(HasSubstr("regions are missing"), HasSubstr("bucket is missing"),
                          HasSubstr("accelerator \"A100:8\""), HasSubstr("ebb_wheel"),
                          HasSubstr("cpus \"many\""), HasSubstr("memory \"+\"")));
  options.bucket = "s3://a b";
  EXPECT_THAT(MistakesIn(options)[1], HasSubstr("bucket \"s3://a b\" is not an address"));
}

}  // namespace
}  // namespace ebb::sweep
