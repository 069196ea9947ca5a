#include "app/jobs/open_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

TEST(OpenRuns, AreThereUntilTheyAreRemoved) {
  const fs::path jobs = ScratchDirectory("open-runs");
  const OpenRuns open(jobs);
  EXPECT_EQ(open.Jobs(), std::vector<core::JobId>());
  EXPECT_EQ(open.Find(7), std::nullopt);
  const OpenRun paused{3, core::AttemptOutcome::kPaused};
  ASSERT_TRUE(open.Put(7, {3, core::AttemptOutcome::kRunning}));
  ASSERT_TRUE(open.Put(7, paused));
  EXPECT_EQ(open.Jobs(), std::vector<core::JobId>{7});
  EXPECT_EQ(open.Find(7), paused);
  for (const char* damaged : {"", "3", "x paused", "0 paused", "99999999999 paused", "1 asleep"}) {
    std::ofstream(jobs / "open-runs" / "7") << damaged;
    ASSERT_TRUE(open.Find(7)) << damaged;
    EXPECT_EQ(open.Find(7)->attempt, 1) << damaged;
  }
  std::ofstream(jobs / "open-runs" / "note.tmp") << "no job";
  open.Remove(7);
  open.Remove(7);
  EXPECT_EQ(open.Jobs(), std::vector<core::JobId>());
  fs::remove_all(jobs);
}

}  // namespace
}  // namespace ebb::app
