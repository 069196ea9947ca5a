#include "local/process/pause_marker.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "local/supervised_world_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

constexpr const char* kSays = R"({"event":"paused","step":3})";

class PauseMarkerTest : public ::testing::Test {
 protected:
  void Write(const std::string& line) {
    std::ofstream(directory_ / "progress.jsonl", std::ios::app) << line << "\n";
  }
  platform::ChildOptions Child() const {
    platform::ChildOptions child;
    child.environment = {{"EBB_RUN_DIR", directory_.string()}};
    return child;
  }
  const std::filesystem::path directory_ = ScratchDirectory("pause_marker");
  std::vector<std::string> warnings_;
};

TEST_F(PauseMarkerTest, TheLastLineCountsWhateverTheLauncherEndsWith) {
  const PauseMarker said(Child());
  Write(R"({"event":"step","step":3,"note":")" + std::string(5000, 'x') + "\"}");
  Write(kSays);
  for (const platform::ExitStatus status :
       {platform::ExitStatus{1, false}, {128 + SIGTERM, true}, {128 + SIGKILL, true}}) {
    warnings_.clear();
    const auto meant = said.Judge(status, warnings_);
    EXPECT_EQ(meant.code, 75);
    EXPECT_FALSE(meant.by_signal);
    EXPECT_EQ(warnings_.size(), 1u) << "it is said";
  }
  warnings_.clear();
  EXPECT_EQ(said.Judge({0, false}, warnings_).code, 0) << "it came to its end all the same";
  EXPECT_EQ(said.Judge({75, false}, warnings_).code, 75);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(PauseMarkerTest, WhatWentOnOrWasSaidBeforeDoesNotCount) {
  Write(kSays);
  const PauseMarker said(Child());
  EXPECT_EQ(said.Judge({1, false}, warnings_).code, 1) << "of an earlier attempt";
  Write(R"({"event":"step","step":4})");
  EXPECT_EQ(said.Judge({1, false}, warnings_).code, 1);
  Write(kSays);
  Write(R"({"event":"step","step":5})");
  EXPECT_EQ(said.Judge({1, false}, warnings_).code, 1) << "it went on and failed";
  Write("{");
  EXPECT_EQ(said.Judge({1, false}, warnings_).code, 1) << "no JSON";
  EXPECT_EQ(PauseMarker({}).Judge({1, false}, warnings_).code, 1) << "no run directory";
}

TEST(PauseMarker, AJobBehindALauncherIsPausedAndNotFailed) {
  SupervisedWorld world;
  const auto job = world.AddShell(
      "trap 'echo \"{\\\"event\\\":\\\"paused\\\"}\" >> \"$EBB_RUN_DIR/progress.jsonl\"; exit 1' "
      "TERM; touch ready; while :; do sleep 0.02; done");
  ASSERT_TRUE(world.local().Execute(engine::StartJob{job, 1, 0}));
  std::ignore = world.WaitForProgram();
  world.WaitForFile(job, "ready");
  ASSERT_TRUE(world.local().Execute(engine::PauseJob{job, 1}));
  EXPECT_EQ(world.WaitUntil(job, engine::JobPhase::kPaused).exit_code, 75);
}

}  // namespace
}  // namespace ebb::local
