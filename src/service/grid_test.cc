// grid.json as programs of the service find it.

#include "platform/file.h"
#include "service/service_for_test.h"

namespace ebb::service {
namespace {

// An hour of the grid takes three seconds.
class GridTest : public ::testing::Test {
 protected:
  GridTest() {
    world_.adjust = [](ServiceOptions& options) {
      options.executor.supervisor_program = EBB_STORED_SUPERVISOR_FOR_TEST;
    };
  }
  std::string Text(const std::string& name) const {
    return platform::ReadFile(world_.directory() / name).value_or("");
  }
  void WaitForFile(const std::string& name) {
    for (int i = 0; i < 2000 && !std::filesystem::exists(world_.directory() / name); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    EXPECT_TRUE(std::filesystem::exists(world_.directory() / name)) << name;
  }

  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name(),
               std::vector<double>{360, 100, 100, 100, 100, 100, 100, 100, 100, 100}, 400};
};

// Keeps each different grid.json as grid.1, grid.2, ... until one says 100.
const std::string kWatchGrid =
    "n=0; until grep -qs '\"g_per_kwh\":100' grid.$n; do "
    "cp $EBB_RUN_DIR/grid.json now; cmp -s now grid.$n || { n=$((n + 1)); mv now grid.$n; }; "
    "sleep 0.02; done";

TEST_F(GridTest, AProgramReadsTheIntensityThatTheServiceSchedulesBy) {
  world_.Start();
  const core::JobId job = world_.Submit(world_.Shell(kWatchGrid));
  world_.WaitForStage(job, engine::Stage::kSucceeded);
  EXPECT_NE(Text("grid.1").find("\"g_per_kwh\":360.0,\"pue\":1.0}"), std::string::npos)
      << Text("grid.1") << "it is there before the program starts";
  EXPECT_NE(Text("grid.2").find("\"g_per_kwh\":100.0,\"pue\":1.0}"), std::string::npos)
      << Text("grid.2") << "unknown for a moment is not unknown";
  EXPECT_EQ(Text("grid.3"), "");
}

TEST_F(GridTest, TheServiceMayRestartMeanwhile) {
  world_.Start();
  const core::JobId job = world_.Submit(world_.Shell(kWatchGrid));
  WaitForFile("grid.1");
  world_.Stop();
  std::this_thread::sleep_for(std::chrono::seconds{10});  // the hour of 9 s is over
  EXPECT_FALSE(std::filesystem::exists(world_.directory() / "grid.2"))
      << "nobody has heard of the next hour: " << Text("grid.2");
  world_.Start();
  world_.WaitForStage(job, engine::Stage::kSucceeded);
  EXPECT_NE(Text("grid.1").find("360.0"), std::string::npos);
  EXPECT_NE(Text("grid.2").find("100.0"), std::string::npos);
}

}  // namespace
}  // namespace ebb::service
