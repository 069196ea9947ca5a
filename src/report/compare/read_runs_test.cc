#include "report/compare/read_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/file.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/run_directory.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using core::AttemptOutcome::kDone;
using core::AttemptOutcome::kNotStarted;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Path Stored(const Path& path, core::AttemptOutcome outcome) {
  core::RunRecord run = RunBuilder{}.Build();
  run.attempts.front().outcome = outcome;
  auto directory = RunDirectory::Create(path, run.spec);
  EXPECT_TRUE(directory);
  EXPECT_TRUE(directory->BeginAttempt(run.attempts.front()));
  EXPECT_TRUE(directory->EndAttempt(run.attempts.front()));
  return path;
}

TEST(ReadRuns, SkipsWhatIsNoCompleteRunAndNamesIt) {
  const Path folder = ScratchDirectory();
  const std::vector<Path> directories{Stored(folder / "good", kDone),
                                      Stored(folder / "never", kNotStarted), folder / "comparison",
                                      Stored(folder / "failed", core::AttemptOutcome::kFailed)};
  ASSERT_TRUE(platform::EnsureWritableDirectory(directories[2]));
  const auto read = ReadRunsToCompare(directories);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_THAT(read->runs, SizeIs(2));
  EXPECT_THAT(read->skipped,
              ElementsAre("Skipped " + directories[1].string() + ": its program never started.",
                          HasSubstr(directories[2].string() + ": holds no run")));
}

TEST(ReadRuns, FailsIfNothingIsLeft) {
  const Path folder = ScratchDirectory();
  const std::vector<Path> directories{Stored(folder / "never", kNotStarted)};
  const auto read = ReadRunsToCompare(directories);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().Message(), HasSubstr("never: its program never started"));
}

TEST(ReadRuns, AMisspeltDirectoryIsAnError) {
  const Path folder = ScratchDirectory();
  const std::vector<Path> directories{Stored(folder / "good", kDone), folder / "god"};
  const auto read = ReadRunsToCompare(directories);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().Message(), HasSubstr("there is no such directory"));
}

}  // namespace
}  // namespace ebb::report
