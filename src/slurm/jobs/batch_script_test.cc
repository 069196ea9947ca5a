#include "slurm/jobs/batch_script.h"

#include <gtest/gtest.h>

namespace ebb::slurm {
namespace {

using Words = std::vector<std::string>;

TEST(BatchScript, OptionsUpToTheFirstCommand) {
  const BatchScript script = ReadBatchScript(
      "#!/bin/bash\n"
      "#SBATCH -t 2:00:00 --gres=gpu:1  # two hours\n"
      "\n"
      "# a comment\n"
      "#EBB --tier 2 --checkpointable\n"
      "#EBB --start-by=12h\r\n"
      "  # another one\n"
      "#SBATCH --job-name \"my job\" --comment 'it''s #1'\n"
      "##SBATCH --hold\n"
      "#SBATCHED --hold\n"
      "module load cuda\n"
      "#SBATCH -t 1\n"
      "#EBB --tier 3\n");
  EXPECT_TRUE(script.problems.empty());
  EXPECT_EQ(script.sbatch, (Words{"-t", "2:00:00", "--gres=gpu:1", "--job-name", "my job",
                                  "--comment", "its #1"}));
  ASSERT_EQ(script.ebb.size(), 3u);
  EXPECT_EQ(script.ebb[0].name, "tier");
  EXPECT_EQ(script.ebb[0].value, "2");
  EXPECT_EQ(script.ebb[0].line, 5);
  EXPECT_EQ(script.ebb[1].name, "checkpointable");
  EXPECT_FALSE(script.ebb[1].has_value);
  EXPECT_EQ(script.ebb[2].name, "start-by");
  EXPECT_EQ(script.ebb[2].value, "12h");
}

TEST(BatchScript, AValueMayHaveBlanks) {
  const BatchScript script = ReadBatchScript("#!/bin/sh\n#EBB --start-by \"tomorrow 6am\"\n");
  ASSERT_EQ(script.ebb.size(), 1u);
  EXPECT_EQ(script.ebb[0].value, "tomorrow 6am");
}

TEST(BatchScript, AWordThatIsNotAnOptionIsNamedWithItsLine) {
  const BatchScript script = ReadBatchScript("#!/bin/sh\n\n#EBB tier=2 --tier 3 4\n");
  ASSERT_EQ(script.problems.size(), 2u);
  EXPECT_EQ(script.problems[0], "line 3: \"tier=2\" is not an option; options begin with --");
}

TEST(BatchScript, OfAHeterogeneousJobTheFirstComponent) {
  const BatchScript script =
      ReadBatchScript("#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\n#EBB --tier 2\ntrue\n");
  EXPECT_EQ(script.sbatch, Words{"-n1"});
  EXPECT_EQ(script.ebb.size(), 1u);
}

TEST(BatchScript, WithoutLines) {
  EXPECT_TRUE(ReadBatchScript("").sbatch.empty());
  EXPECT_TRUE(ReadBatchScript("hostname\n#SBATCH -n2\n").sbatch.empty());
}

}  // namespace
}  // namespace ebb::slurm
