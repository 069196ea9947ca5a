// ebb train as a user runs it: configurations of image classifiers and language models, and the
// messages about their mistakes.

#include "cli_fixture.h"
#include "testing/source_tree.h"

namespace ebb {
namespace {

TEST_F(Cli, AMisspeltKeyInAConfigurationIsNamedWithLineAndSuggestion) {
  Write("c.yaml",
        "training:\n  run_name: x\n  batch_size: 8\n  epochs: 1\nscheduler:\n  carbon_treshold: "
        "200\n");
  const Outcome outcome = Ebb({"train", "c.yaml"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "c.yaml:6")) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "did you mean \"carbon_threshold\"")) << outcome.err;
}

#ifdef EBB_TRAIN_PROGRAM
constexpr const char* kTrainProgram = EBB_TRAIN_PROGRAM;
#else
constexpr const char* kTrainProgram = nullptr;
#endif

// A training that would wait for six hours if it could start.
class HeldBackTraining : public Cli {
 protected:
  void SetUp() override {
    if (!kTrainProgram) GTEST_SKIP() << "ebb-train is not built (EBB_TRAIN=OFF)";
  }
  Outcome Train(const std::string& keys) {
    ::setenv("EBB_TRAIN_PROGRAM", kTrainProgram, 1);
    Write("c.yaml", "training:\n  run_name: x\n  epochs: 1\n  data: digits\n" + keys);
    Outcome outcome = Ebb({"train", "c.yaml", "--signal", "constant", "--constant", "900",
                           "--policy", "threshold", "--threshold", "100", "--start-by", "6h"});
    ::unsetenv("EBB_TRAIN_PROGRAM");
    return outcome;
  }
};

TEST_F(HeldBackTraining, ThatCannotStartIsSaidBeforeItWaits) {
  const Outcome outcome = Train("  batch_size: 8\n  model_save_path: /proc/none/model\n");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "/proc/none")) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "the training cannot start")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "runs"));
}

TEST_F(HeldBackTraining, WhoseTeacherIsNotThereIsSaidBeforeItWaits) {
  const Outcome outcome = Train(
      "  train_samples: 8\n  teacher: none.safetensors\n  temperature: 4\n"
      "  distillation_mix: 0.25\n");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "none.safetensors")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "runs"));
}

TEST_F(Cli, ABriefTrainingIsALineForEachRunAndNoTables) {
  if (!kTrainProgram) GTEST_SKIP() << "ebb-train is not built (EBB_TRAIN=OFF)";
  ::setenv("EBB_TRAIN_PROGRAM", kTrainProgram, 1);
  Write("c.yaml",
        "training:\n  run_name: small\n  epochs: 1\n  data: digits\n  train_samples: 64\n"
        "  test_samples: 64\n  seeds: [1, 2]\n");
  const Outcome brief = Ebb({"train", "c.yaml", "--signal", "constant", "--constant", "300",
                             "--policy", "run-now", "--compare", "--brief"});
  ::unsetenv("EBB_TRAIN_PROGRAM");
  ASSERT_EQ(brief.code, 0) << brief.err;
  for (const char* run : {"[1/2] small, seed 1: done", "[2/2] small, seed 2: done"})
    EXPECT_TRUE(Contains(brief.err, run)) << brief.err;
  EXPECT_FALSE(Contains(brief.err, "best start")) << brief.err;
  EXPECT_TRUE(Contains(brief.out, "  ran    2 runs: small (2 seeds); data: digits\n")) << brief.out;
  EXPECT_FALSE(Contains(brief.out, "running time")) << brief.out;
  EXPECT_TRUE(Contains(brief.err, "  page   ")) << brief.err;
}

// The shipped configuration is run on the files that ship with it.
TEST_F(Cli, ALanguageModelIsFineTunedFromAConfigurationGatedAndMeasured) {
#ifndef EBB_TRAIN_PROGRAM
  GTEST_SKIP() << "ebb-train is not built (EBB_TRAIN=OFF)";
#else
  ::setenv("EBB_TRAIN_PROGRAM", EBB_TRAIN_PROGRAM, 1);
  fs::create_directory_symlink(SourceTree() + "/configs", directory_ / "configs");
  const Outcome listed = Ebb({"train", "configs/lora.yaml", "--dry-run"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_TRUE(Contains(listed.out, " lora --base configs/lora/model --tokens")) << listed.out;
  EXPECT_TRUE(Contains(listed.out, "nothing was started")) << listed.out;
  EXPECT_FALSE(fs::exists(directory_ / "output"));
  const Outcome outcome = Ebb({"train", "configs/lora.yaml", "--run-dir", "run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Ebb({"train", "configs/lora.yaml", "--data", "digits"}).code, 2);
  ::unsetenv("EBB_TRAIN_PROGRAM");
  const auto summary = Summary("run");
  EXPECT_GE(summary["schedule"]["waited_s"].get<double>(), 7200) << summary["schedule"].dump();
  EXPECT_GT(summary["energy"]["it_j"].get<double>(), 0) << summary["energy"].dump();
  EXPECT_GT(summary["training"]["test_loss"].get<double>(), 0) << summary["training"].dump();
  EXPECT_TRUE(fs::exists(directory_ / "run/adapter/adapter_model.safetensors"));
#endif
}

}  // namespace
}  // namespace ebb
