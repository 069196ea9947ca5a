#include "app/slurm/tracked_script.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "platform/file.h"
#include "platform/program_output.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using Words = std::vector<std::string>;

// Runs a tracked script as Slurm would, with a stand-in for ebb that prints its words and, but for
// srun, becomes the program behind "--".
class TrackedScriptTest : public ::testing::Test {
 protected:
  TrackedScriptTest() {
    Write("ebb",
          "#!/bin/sh\necho \"ebb $*\"\n[ \"$2\" = srun ] && exit\n"
          "while [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n");
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(platform::WriteFileAtomically(folder_ / name, text));
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  std::string Run(const std::string& script, const Words& arguments = {}) {
    const auto made =
        MakeTrackedScript({script, "train.sh", (folder_ / "ebb").string(), {"--zone=DE"}});
    if (!made) return made.error().Message();
    Write("job", *made);
    Words command{(folder_ / "job").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto end = platform::RunToEnd(
        command, {{"SLURM_SUBMIT_DIR", folder_.string()}, {"SLURM_JOB_ID", "12"}},
        std::chrono::seconds{20});
    return end ? end->output + end->errors : end.error().Message();
  }
  std::string Folder() const { return (folder_ / ".ebb/slurm-12").string(); }

  std::filesystem::path folder_ = ScratchDirectory("tracked_script");
};

TEST_F(TrackedScriptTest, RunsTheScriptUnderEbb) {
  EXPECT_EQ(Run("#!/bin/sh -e\n#SBATCH -n 1\necho \"$1 $0\"\nexit 3", {"two words"}),
            "ebb slurm run --directory " + Folder() + " --zone=DE -- /bin/sh -e " + Folder() +
                "/script two words\ntwo words " + Folder() + "/script\n");
}

TEST_F(TrackedScriptTest, LeavesEveryCharacterAsItIs) {
  EXPECT_NE(Run("#!/bin/sh\necho 'EBB_END'\ncat <<'EBB_END'\n$HOME \\ `x`\nEBB_END\n")
                .find("EBB_END\n$HOME \\ `x`\n"),
            std::string::npos);
}

TEST_F(TrackedScriptTest, KeepsTheOptionsOfSbatch) {
  const auto made = MakeTrackedScript(
      {"#!/bin/bash\n#SBATCH -t 10\n# a comment\n\n#SBATCH -n 2\ntrue\n#SBATCH -p late\n", "a",
       "/usr/bin/ebb"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->substr(0, 38), "#!/bin/sh\n#SBATCH -t 10\n#SBATCH -n 2\n#");
}

TEST_F(TrackedScriptTest, InAScriptWithSrunItsTasksAreMeasured) {
  const std::string said = Run("#!/bin/sh\n# srun\nsrun -n 2 python train.py\n");
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "ebb slurm srun --directory " + Folder() + " --zone=DE -- -n 2 python train.py")
      << said;
  EXPECT_EQ(
      TrackedSrun({"-n", "2", "python", "train.py"}, "/usr/bin/ebb", {"--zone=DE"}),
      (Words{"-n", "2", "/usr/bin/ebb", "slurm", "run", "--zone=DE", "--", "python", "train.py"}));
  const Words measured{"-n", "2", "ebb", "slurm", "run", "--", "a"};
  EXPECT_EQ(TrackedSrun(measured, "/usr/bin/ebb", {}), measured) << "Ebb measures it already";
}

TEST_F(TrackedScriptTest, FindsCallsOfSrun) {
  for (const char* script : {"srun a", "  exec srun -n 4 a", "x=$(srun hostname)", "a && srun b"})
    EXPECT_TRUE(CallsSrun(script)) << script;
  for (const char* script : {"# srun a", "./my-srun.sh", "echo srunner", "asrun"})
    EXPECT_FALSE(CallsSrun(script)) << script;
}

TEST_F(TrackedScriptTest, AScriptNeedsAnInterpreter) {
  EXPECT_NE(Run("echo hello\n").find("train.sh: its first line names no interpreter"),
            std::string::npos);
}

}  // namespace
}  // namespace ebb::app
