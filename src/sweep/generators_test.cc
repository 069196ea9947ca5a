#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sweep/kubernetes_manifest.h"
#include "sweep/serving_manifest.h"
#include "sweep/shell_quote.h"
#include "sweep/slurm_script.h"
#include "sweep/target_name.h"
#include "sweep/yaml_text.h"
#include "testing/scratch_directory.h"

namespace ebb::sweep {
namespace {

const std::vector<std::string> kHostile{"$(touch pwned)",
                                        "`id`",
                                        "'; rm -rf ~; '",
                                        "a b",
                                        "",
                                        "new\nline",
                                        "\"quoted\"",
                                        "*",
                                        "~",
                                        "-n",
                                        "a=b",
                                        "\\",
                                        "!x",
                                        "#c",
                                        "{r}",
                                        "\xc3\xa4",
                                        "${HOME}",
                                        "&",
                                        "|",
                                        "a'b'c"};

// The arguments that a program gets when a shell reads `command`.
std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, count);
  ::pclose(pipe);
  return output;
}

Sweep OneExperiment(std::vector<std::string> command) {
  Sweep sweep;
  sweep.name = "s";
  sweep.tiers = {{"3", Intensity{125}, std::chrono::hours{96}, 1}};
  sweep.experiments = {{1,
                        "Weird name; $(id)",
                        {{"lr", Value::From("1e-04")}},
                        0,
                        "no: reason",
                        std::chrono::minutes{96},
                        Power{381},
                        std::move(command)}};
  sweep.common.time_limit = std::chrono::hours{4};
  return sweep;
}

TEST(ShellQuote, GivesEveryWordBackThroughAShell) {
  std::vector<std::string> words{"printf", "%s\\0"};
  words.insert(words.end(), kHostile.begin(), kHostile.end());
  std::string expected;
  for (const std::string& word : kHostile) expected += word + '\0';
  EXPECT_EQ(OutputOf(ShellCommand(words)), expected);
  EXPECT_EQ(ShellQuote("--lr=1"), "'--lr=1'");
  EXPECT_EQ(ShellQuote("/app/train.py"), "/app/train.py");
}

TEST(TargetName, KeepsGoodNamesAndMendsTheRest) {
  const std::string published = "qwen-lora-r32-a128-lr1e-04-d10-tier3";
  EXPECT_EQ(KubernetesName(published), published);
  EXPECT_EQ(SlurmName(published), published);
  for (const std::string& name :
       {std::string("A_b"), std::string("1st"), std::string("x--"), std::string(200, 'a'),
        std::string("\xc3\xa4"), std::string("---"), std::string("a.b")}) {
    const std::string valid = KubernetesName(name);
    EXPECT_LE(valid.size(), kLongestRayJobName);
    EXPECT_TRUE(valid.front() >= 'a' && valid.front() <= 'z') << valid;
    EXPECT_NE(valid.back(), '-');
    EXPECT_EQ(valid.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
    EXPECT_EQ(KubernetesName(valid), valid);
  }
  EXPECT_NE(KubernetesName("a_b"), KubernetesName("a.b"));
  EXPECT_EQ(SlurmName("../x").find('/'), std::string::npos);
  EXPECT_NE(FileName(".."), "..");
}

TEST(Yaml, QuotesWhatCouldBeReadAsSomethingElse) {
  EXPECT_EQ(YamlScalar("qwen-lora"), "qwen-lora");
  for (const char* text : {"1e-04", "16", "true", "No", "null", "~", "", "0x1f", ".5", "a: b",
                           "- a", "#x", "nan", "y", "a\nb", "1:30", "{}", "\"", "2023-05-01"})
    EXPECT_EQ(YamlScalar(text).front(), '"') << text;
  EXPECT_EQ(YamlScalar("a\n\"\\\x01"), "\"a\\n\\\"\\\\\\x01\"");
}

// YAML 1.1 reads the first three as the end of a line, and no version takes the last three as text.
TEST(Yaml, EscapesCharactersThatItDoesNotTakeAsTheyAre) {
  EXPECT_EQ(YamlScalar("a\xc2\x85\xe2\x80\xa8\xe2\x80\xa9"
                       "b\xc2\x9f\xef\xbb\xbf\xef\xbf\xbf"),
            "\"a\\x85\\u2028\\u2029b\\x9f\\ufeff\\uffff\"");
  EXPECT_EQ(YamlScalar("\xc3\xa4\xe2\x80\xa6\xc2\xa0"), "\"\xc3\xa4\xe2\x80\xa6\xc2\xa0\"");
}

TEST(Yaml, WritesLinesAsALiteralBlockWhereThatGivesThemBack) {
  const auto written = [](const std::string& text) {
    return Yaml::Map({{"run", Yaml::Lines(text)}}).Document();
  };
  EXPECT_EQ(written("a \"b\"\n\n  c: '#'\n"), "run: |\n  a \"b\"\n\n    c: '#'\n");
  EXPECT_EQ(Yaml::List({Yaml::Lines("a\nb\n")}).Document(), "- |\n  a\n  b\n");
  for (const char* text : {"", "a", "a\n\n", " a\n", "\na\n", "a\rb\n", "a\x01\n", "a\xc2\x85\n"})
    EXPECT_EQ(written(text), "run: " + YamlScalar(text) + "\n");
}

TEST(Yaml, WritesNestedMapsAndLists) {
  const Yaml yaml = Yaml::Map(
      {{"a", Yaml::List({Yaml::Map({{"b", "c"}, {"d", Yaml::Map({})}}), Yaml::Number(3)})},
       {"1", Yaml::Bool(true)}});
  EXPECT_EQ(yaml.Document(), "a:\n  - b: c\n    d: {}\n  - 3\n\"1\": true\n");
}

TEST(KubernetesManifest, WaitsAsAWholeAndLongEnough) {
  const Sweep sweep = OneExperiment({"python", "x.py", "--lr", "1e-04"});
  const std::string text = KubernetesManifest(sweep, sweep.experiments[0], {});
  EXPECT_NE(text.find("  suspend: true\n"), std::string::npos);
  EXPECT_NE(text.find("  activeDeadlineSeconds: 360000\n"), std::string::npos);  // 96 h + 4 h
  EXPECT_NE(text.find("  entrypoint: \"python x.py --lr 1e-04\"\n"), std::string::npos);
  // The job as a whole is suspended; its pods have no gate and use the cluster's usual scheduler.
  EXPECT_EQ(text.find("schedulerName"), std::string::npos);
  const auto first = text.find("carbon-intensity-threshold");
  EXPECT_EQ(text.find("carbon-intensity-threshold", first + 1), std::string::npos);
  EXPECT_LT(first, text.find("spec:"));
}

TEST(KubernetesManifest, RefusesOptionsThatAClusterWould) {
  KubernetesOptions options;
  EXPECT_TRUE(MistakesIn(options).empty());
  options.name_space = "My Space";
  options.volume_claim = "a/b";
  options.node_selector = {{"bad key", "bad value!"}};
  EXPECT_EQ(MistakesIn(options).size(), 4u);
}

TEST(ServingManifest, ServesTheAdapterOfAnExperimentAtARankThatVllmHas) {
  Experiment winner;
  winner.name = "qwen-lora-r24-a128";
  winner.settings = {{"r", Value::From("24")}};
  ServingOptions options;
  options.model = "Qwen/Qwen2.5-Coder-7B-Instruct";
  options.adapter = "/mnt/models/{name}";
  const auto made = ServingManifest(winner, options, {});
  ASSERT_TRUE(made) << made.error().Message();
  EXPECT_NE(made->find("qwen-lora-r24-a128=/mnt/models/qwen-lora-r24-a128"), std::string::npos);
  EXPECT_NE(made->find("- \"--max-lora-rank\"\n            - \"32\"\n"), std::string::npos);
  EXPECT_NE(made->find("claimName: llm-finetuned-models-rwx"), std::string::npos);
  options.rank = "{rank}";
  EXPECT_NE(ServingManifest(winner, options, {}).error().Message().find("serving.rank"),
            std::string::npos);
  options.rank = "512";
  EXPECT_FALSE(ServingManifest(winner, options, {}));
}

TEST(ServingManifest, RanksAreRoundedUpToOneThatVllmHas) {
  EXPECT_EQ(ServedRank(1), 8);
  EXPECT_EQ(ServedRank(8), 8);
  EXPECT_EQ(ServedRank(9), 16);
  EXPECT_EQ(ServedRank(256), 256);
  EXPECT_EQ(ServedRank(257), std::nullopt);
  EXPECT_EQ(ServedRank(0), std::nullopt);
}

TEST(SlurmScript, IsOneThatBashReads) {
  std::vector<std::string> command{"python"};
  command.insert(command.end(), kHostile.begin(), kHostile.end());
  const Sweep sweep = OneExperiment(command);
  const std::string script = SlurmScript(sweep, sweep.experiments[0], {});
  EXPECT_EQ(script.find("--hold"), std::string::npos);
  EXPECT_NE(script.find("#SBATCH --time=0-04:00:00\n"), std::string::npos);
  EXPECT_NE(script.find("#SBATCH --comment=ebb:tier=3;duration="), std::string::npos) << script;
  EXPECT_NE(script.find("set -euo pipefail\n"), std::string::npos);
  const std::filesystem::path path = ScratchDirectory("slurm") / "job.sbatch";
  std::ofstream(path) << script;
  EXPECT_EQ(std::system(("bash -n '" + path.string() + "'").c_str()), 0);
}

// Runs the script as Slurm would, with a stand-in for srun that prints its arguments.
TEST(SlurmScript, GivesTheProgramItsArgumentsAndTheContract) {
  const std::filesystem::path directory = ScratchDirectory("slurm");
  std::ofstream(directory / "srun") << "#!/bin/sh\nprintf '%s|' \"$EBB_RESUME\" "
                                       "\"${EBB_RUN_DIR##*/}\" \"$@\"\n";
  std::ofstream(directory / "ebb") << "#!/bin/sh\necho\necho This is ebb Version 20211117\n";
  for (const char* name : {"srun", "ebb"})
    std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
  const Sweep sweep = OneExperiment({"prog", "$(id)", "a b"});
  std::ofstream(directory / "job.sbatch") << SlurmScript(sweep, sweep.experiments[0], {});
  const std::string in = "cd '" + directory.string() + "' && PATH=.:$PATH ";
  const std::string rest =
      FileName(sweep.experiments[0].name) + "|--kill-on-bad-exit=1|--|prog|$(id)|a b|";
  EXPECT_EQ(OutputOf(in + "bash job.sbatch"), "0|" + rest)
      << "without Ebb on the node, but with TeX Live's program of that name";
  EXPECT_EQ(OutputOf(in + "SLURM_RESTART_COUNT=1 bash job.sbatch"), "1|" + rest);
}

TEST(SlurmScript, EbbMeasuresWhereItIsInstalled) {
  const std::filesystem::path directory = ScratchDirectory("slurm");
  std::ofstream(directory / "srun") << "#!/bin/sh\nprintf '%s|' \"$@\"\n";
  std::ofstream(directory / "ebb") << "#!/bin/sh\necho ebb 1.0.0\n";
  for (const char* name : {"srun", "ebb"})
    std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
  const Sweep sweep = OneExperiment({"prog", "a b"});
  std::ofstream(directory / "job.sbatch") << SlurmScript(sweep, sweep.experiments[0], {});
  EXPECT_EQ(
      OutputOf("cd '" + directory.string() + "' && EBB_SWEEP_DIR=d PATH=.:$PATH bash job.sbatch"),
      "--kill-on-bad-exit=1|--|ebb|slurm|run|--directory|d/runs/" +
          FileName(sweep.experiments[0].name) + "|--|prog|a b|");
}

TEST(SlurmScript, ATierOfTheSweepItselfIsSpeltOut) {
  Sweep sweep = OneExperiment({"true"});
  core::Tier& tier = sweep.tiers[static_cast<std::size_t>(sweep.experiments[0].tier)];
  tier = {"night", Intensity{90}, std::chrono::hours{10}, 4};
  const std::string script = SlurmScript(sweep, sweep.experiments[0], {});
  EXPECT_NE(script.find("--comment=ebb:threshold=90;priority=4;start-by=36000s;duration="),
            std::string::npos)
      << script;
}

TEST(SlurmScript, StatesAnAbsoluteDeadlineWhereTheSubmissionIsKnown) {
  const Sweep sweep = OneExperiment({"true"});
  SlurmOptions options;
  options.submitted = *ParseTime("2025-10-28T17:00Z");
  EXPECT_NE(
      SlurmScript(sweep, sweep.experiments[0], options).find(";start-by=2025-11-01T17:00:00Z;"),
      std::string::npos);
  options.partition = "gpu; rm";
  EXPECT_EQ(MistakesIn(options).size(), 1u);
}

}  // namespace
}  // namespace ebb::sweep
