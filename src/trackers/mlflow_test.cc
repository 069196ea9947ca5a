#include "trackers/mlflow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "testing/scratch_directory.h"

namespace ebb::trackers {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class MlflowFiles : public ::testing::Test {
 protected:
  std::unique_ptr<Tracker> Make() {
    return MakeMlflowFiles(directory_ / "mlruns", directory_ / "mlflow.txt");
  }
  TrackedRun Run() {
    TrackedRun run;
    run.experiment = "it's one";
    run.name = "base\nline";
    run.run_id = "baseline-1";
    run.begin = Time{} + Duration{1'700'000'000'123};
    run.configuration = {{"model", "mlp"}, {"seed", "1"}};
    return run;
  }
  // The directory of the only run of the only experiment.
  fs::path Place() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / "mlruns"))
      if (entry.path().filename() == "params") found.push_back(entry.path().parent_path());
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found.front();
  }

  const fs::path directory_ = ScratchDirectory("mlflow");
};

TEST_F(MlflowFiles, TheLayoutIsThatOfItsFileStore) {
  auto tracker = Make();
  ASSERT_TRUE(tracker->Begin(Run()));
  const Time at = Time{} + Duration{1'700'000'001'000};
  ASSERT_TRUE(tracker->Log(std::vector<Value>{
      {"train/loss", 0.5, 1, at}, {"energy/kwh", 0.1, 1, at}, {"train/loss", 0.25, 2, at}}));
  const fs::path place = Place();
  EXPECT_EQ(Read(place / "metrics/train/loss"), "1700000001000 0.5 1\n1700000001000 0.25 2\n");
  EXPECT_EQ(Read(place / "metrics/energy/kwh"), "1700000001000 0.1 1\n");
  EXPECT_EQ(Read(place / "params/model"), "mlp");
  EXPECT_EQ(Read(place / "tags/ebb.run_id"), "baseline-1");
  std::string meta = Read(place / "meta.yaml");
  EXPECT_NE(meta.find("status: 1\n"), std::string::npos);
  EXPECT_NE(meta.find("end_time: null\n"), std::string::npos);
  EXPECT_NE(meta.find("run_name: 'base line'\n"), std::string::npos);
  EXPECT_NE(meta.find("start_time: 1700000000123\n"), std::string::npos);
  EXPECT_NE(meta.find("run_id: '" + place.filename().string() + "'\n"), std::string::npos);
  ASSERT_TRUE(tracker->End(Outcome::kFailed, at));
  meta = Read(place / "meta.yaml");
  EXPECT_NE(meta.find("status: 4\n"), std::string::npos);
  EXPECT_NE(meta.find("end_time: 1700000001000\n"), std::string::npos);
  EXPECT_NE(Read(place.parent_path() / "meta.yaml").find("name: 'it''s one'\n"), std::string::npos);
}

TEST_F(MlflowFiles, AResumedRunIsTheSameRunAndOthersAreNot) {
  ASSERT_TRUE(Make()->Begin(Run()));
  TrackedRun resumed = Run();
  resumed.resumed = true;
  resumed.begin += Duration{1000};
  auto tracker = Make();
  ASSERT_TRUE(tracker->Begin(resumed));
  EXPECT_NE(Read(Place() / "meta.yaml").find("start_time: 1700000000123\n"), std::string::npos);
  TrackedRun other = Run();
  other.run_id = "baseline-2";
  ASSERT_TRUE(Make()->Begin(other));
  std::size_t experiments = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(directory_ / "mlruns"))
    ++experiments;
  EXPECT_EQ(experiments, 1u) << "of one name there is one";
}

TEST_F(MlflowFiles, ARunThatNothingGoesOnWithIsEnded) {
  const Time at = Time{} + Duration{1'700'000'005'000};
  ASSERT_TRUE(Make()->EndEarlier(Outcome::kKilled, at)) << "there is none";
  {
    auto tracker = Make();
    ASSERT_TRUE(tracker->Begin(Run()));
    ASSERT_TRUE(tracker->End(Outcome::kPaused, at - Duration{1000}));
  }
  const std::string before = Read(Place() / "meta.yaml");
  for (int time = 0; time < 2; ++time) ASSERT_TRUE(Make()->EndEarlier(Outcome::kKilled, at));
  std::string expected = before;
  expected.replace(expected.find("end_time: 1700000004000"), 23, "end_time: 1700000005000");
  expected.replace(expected.find("status: 2"), 9, "status: 5");
  EXPECT_EQ(Read(Place() / "meta.yaml"), expected);
  // A note for another target is not used.
  ASSERT_TRUE(MakeMlflowFiles(directory_ / "elsewhere", directory_ / "mlflow.txt")
                  ->EndEarlier(Outcome::kFailed, at));
  EXPECT_EQ(Read(Place() / "meta.yaml"), expected);
  fs::remove_all(directory_ / "mlruns");
  EXPECT_TRUE(Make()->EndEarlier(Outcome::kFailed, at)) << "somebody has removed it";
}

TEST_F(MlflowFiles, AnExperimentThatMlflowMadeIsTaken) {
  fs::create_directories(directory_ / "mlruns/77");
  std::ofstream(directory_ / "mlruns/77/meta.yaml")
      << "artifact_location: file:///x\nexperiment_id: '77'\nlifecycle_stage: active\n"
         "name: it's one\n";
  ASSERT_TRUE(Make()->Begin(Run()));
  EXPECT_EQ(Place().parent_path().filename(), "77");
}

TEST_F(MlflowFiles, WhatCannotBeWrittenIsAnError) {
  std::ofstream(directory_ / "mlruns") << "a file";
  EXPECT_FALSE(Make()->Begin(Run()));
}

TEST(MlflowRest, AServerThatIsNotThereIsAnError) {
  MlflowServer server;
  server.url = "http://127.0.0.1:1/";
  server.timeout = Duration{2000};
  const auto tracker = MakeMlflowRest(server, "/nonexistent/note");
  EXPECT_FALSE(tracker->Begin({}));
}

}  // namespace
}  // namespace ebb::trackers
