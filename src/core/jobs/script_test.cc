#include "core/jobs/script.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::core {
namespace {

std::string LabelOf(std::string_view command) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(command, ' ')) words.emplace_back(word);
  return ScriptOf(words).Label();
}

TEST(Script, IsWhatAnInterpreterRuns) {
  EXPECT_EQ(LabelOf("python3 train.py --lr 1e-3"), "train.py");
  EXPECT_EQ(LabelOf("/usr/bin/python3.11 -u -X dev jobs/train.py"), "train.py");
  EXPECT_EQ(LabelOf("python -m pkg.mod --lr 1"), "pkg.mod");
  EXPECT_EQ(LabelOf("bash -x run"), "run");
}

TEST(Script, IsWhatALauncherStarts) {
  EXPECT_EQ(LabelOf("torchrun --nproc-per-node 2 train.py --epochs 3"), "train.py");
  EXPECT_EQ(LabelOf("python -m torch.distributed.run --nproc-per-node 2 train.py"), "train.py");
  EXPECT_EQ(LabelOf("mpirun -n 4 python -m pkg.mod"), "pkg.mod");
  EXPECT_EQ(LabelOf("env A=1 python3 train.py"), "train.py");
}

TEST(Script, CodeInAnArgumentIsNamedByItsProgram) {
  EXPECT_EQ(LabelOf("python3 -c pass"), "python3 -c");
  EXPECT_EQ(LabelOf("/bin/sh -c true"), "sh -c");
  EXPECT_EQ(ScriptOf(std::vector<std::string>{"/bin/sh", "-c", "true"}).name, "sh");
}

TEST(Script, OtherwiseItIsTheProgram) {
  EXPECT_EQ(LabelOf("./train.sh prepare.py"), "train.sh");
  EXPECT_EQ(LabelOf("/opt/bin/simulate --steps 3"), "simulate");
  EXPECT_EQ(LabelOf("python3 -V"), "python3");
  EXPECT_EQ(LabelOf("torchrun --help"), "torchrun");
  EXPECT_EQ(ScriptOf({}).Label(), "");
}

}  // namespace
}  // namespace ebb::core
