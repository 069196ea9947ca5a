#include "slurm/jobs/srun_line.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::slurm {
namespace {

// The words from the program on; "none" without one.
std::string ProgramOf(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(line, ' ')) words.emplace_back(word);
  const auto at = ProgramInSrun(words);
  if (!at) return "none";
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(*at));
  return Join(words, " ");
}

TEST(SrunLine, TheProgramStandsBehindTheOptions) {
  EXPECT_EQ(ProgramOf("python train.py -n 4"), "python train.py -n 4");
  EXPECT_EQ(ProgramOf("-n 4 -N2 --gpus-per-task=1 python train.py"), "python train.py");
  EXPECT_EQ(ProgramOf("--ntasks 4 --cpu-bind cores --label python x"), "python x");
  EXPECT_EQ(ProgramOf("-lu -W 60 --wait 60 --pty --overlap bash"), "bash");
  EXPECT_EQ(ProgramOf("-ln4 hostname"), "hostname");
  EXPECT_EQ(ProgramOf("-ln 4 hostname"), "hostname");
  EXPECT_EQ(ProgramOf("--kill-on-bad-exit=1 --mpi=pmix -- -odd"), "-odd");
  EXPECT_EQ(ProgramOf("--exclusive --exact -K -Q a"), "a");
}

TEST(SrunLine, WithoutASingleProgramThereIsNone) {
  for (const char* line : {"--version", "-n 2 --multi-prog tasks.conf", "-n 2", "a : b", "-V"})
    EXPECT_EQ(ProgramOf(line), "none") << line;
}

}  // namespace
}  // namespace ebb::slurm
