#include "slurm/jobs/sbatch_line.h"

#include <gtest/gtest.h>

namespace ebb::slurm {
namespace {

using Words = std::vector<std::string>;

TEST(SbatchLine, TheScriptFollowsTheOptionsWithTheirValues) {
  const Words words{
      "-n",     "4",   "--ntasks-per-node=2", "--time",   "1:00:00", "-Hp", "gpu",   "-Q",
      "--hold", "-c8", "--exclusive",         "train.sh", "-n",      "7",   "--hold"};
  const SbatchLine line = ReadSbatchLine(words);
  EXPECT_EQ(line.options, Words(words.begin(), words.begin() + 11));
  EXPECT_EQ(line.script, "train.sh");
  EXPECT_EQ(line.arguments, (Words{"-n", "7", "--hold"}));
}

TEST(SbatchLine, OptionsOfOtherVersionsHaveTheirValues) {
  const SbatchLine line = ReadSbatchLine(Words{"--new-option", "x", "train.sh"});
  EXPECT_EQ(line.options, (Words{"--new-option", "x"}));
  EXPECT_EQ(line.script, "train.sh");
}

TEST(SbatchLine, WithoutAScript) {
  EXPECT_EQ(ReadSbatchLine(Words{"--wrap", "hostname | cat"}).script, "");
  EXPECT_EQ(ReadSbatchLine(Words{"-n"}).options, Words{"-n"});
  EXPECT_EQ(ReadSbatchLine(Words{}).script, "");
}

TEST(SbatchLine, DashesEndTheOptions) {
  const SbatchLine line = ReadSbatchLine(Words{"-n1", "--", "-odd.sh", "--"});
  EXPECT_EQ(line.options, Words{"-n1"});
  EXPECT_EQ(line.script, "-odd.sh");
  EXPECT_EQ(line.arguments, Words{"--"});
}

TEST(SbatchLine, ComponentsOfAHeterogeneousJob) {
  const SbatchLine line = ReadSbatchLine(Words{"-n1", ":", "-n", "2", "train.sh"});
  EXPECT_EQ(line.options, (Words{"-n1", ":", "-n", "2"}));
  EXPECT_EQ(line.script, "train.sh");
}

TEST(SbatchLine, TheLastValueOfAnOptionCounts) {
  const Words options{"-t", "10", "--time=20", "-Ht30", "--time-min", "5", "-J", "-t99"};
  EXPECT_EQ(ValueOf(options, {"time", 't'}), "30");
  EXPECT_EQ(ValueOf(options, {"time-min"}), "5");
  EXPECT_EQ(ValueOf(options, {"job-name", 'J'}), "-t99") << "a value, not an option";
  EXPECT_EQ(ValueOf(options, {"hold", 'H'}), "t30") << "it stands there";
  EXPECT_EQ(ValueOf(options, {"comment"}), std::nullopt);
  EXPECT_EQ(ValueOf(Words{"--wait"}, {"wait", 'W'}), "");
}

TEST(SbatchLine, ResourcesOfTheUsualOptions) {
  EXPECT_EQ(RequestOf(Words{"--gpus=a100:4"}).gpus, 4);
  EXPECT_EQ(RequestOf(Words{"-G", "2"}).gpus, 2);
  EXPECT_EQ(RequestOf(Words{"-N2", "--gpus-per-node=a100:4"}).gpus, 8);
  EXPECT_EQ(RequestOf(Words{"-n", "3", "--gpus-per-task=1"}).gpus, 3);
  EXPECT_EQ(RequestOf(Words{"-N", "2-4", "--gres=gpu:a100:2,license:x"}).gpus, 4);
  EXPECT_EQ(RequestOf(Words{"--gres=gpu"}).gpus, 1);
  EXPECT_EQ(RequestOf(Words{"-n4", "-c", "8"}).cores, 32);
  EXPECT_EQ(RequestOf(Words{"-N2", "--ntasks-per-node=4"}).cores, 8);
  EXPECT_EQ(RequestOf(Words{}).cores, 1);
  EXPECT_EQ(RequestOf(Words{"-n", "many"}).cores, 1);
}

}  // namespace
}  // namespace ebb::slurm
