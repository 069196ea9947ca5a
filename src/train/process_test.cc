// Tests of the real ebb-train as another program sees it: killed, paused, resumed, without disk
// space, misused.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "platform/file.h"
#include "testing/scratch_directory.h"
#include "train/language/model/tiny_model_for_test.h"

namespace ebb::train {
namespace {

using platform::Path;

struct Ended {
  int exit_code = -1;  ///< 128 + n after signal n
  std::string errors;  ///< text written to stderr
};

class Process : public testing::Test {
 protected:
  // A run of 12 updates (3 epochs of 4, the last with an uneven tail) with dropout, in well under a
  // second.
  std::vector<std::string> SmallRun(const std::string& name) const {
    return {"--data",         "digits", "--train-samples", "58",
            "--test-samples", "20",     "--batch-size",    "8",
            "--accumulation", "2",      "--epochs",        "3",
            "--lr-schedule",  "cosine", "--threads",       "1",
            "--progress",     "none",   "--run-dir",       (directory_ / name).string()};
  }

  // A run of 9 updates (3 epochs of 3) of an adapter with dropout on a tiny language model.
  std::vector<std::string> SmallLora(const std::string& name) const {
    const Path base = directory_ / "model", tokens = directory_ / "tokens.jsonl";
    if (!std::filesystem::exists(base)) {
      WriteModel(base, TinyConfig("qwen2"));
      EXPECT_TRUE(platform::WriteFileAtomically(tokens, TinySequences(14)));
    }
    return {"lora",
            "--base",
            base.string(),
            "--tokens",
            tokens.string(),
            "--rank",
            "4",
            "--dropout",
            "0.2",
            "--precision",
            "fp32",
            "--batch-size",
            "2",
            "--accumulation",
            "2",
            "--epochs",
            "3",
            "--threads",
            "1",
            "--progress",
            "none",
            "--run-dir",
            (directory_ / name).string()};
  }

  // Kills the run at random checkpoints, resumes it, and expects the results of a run without
  // kills.
  void ExpectTheSameBitsAfterKills(
      const std::function<std::vector<std::string>(const std::string&)>& run);

  pid_t Start(const std::vector<std::string>& arguments,
              rlim_t file_limit_bytes = RLIM_INFINITY) const {
    std::vector<std::string> words = {EBB_TRAIN_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string errors = ErrorPath().string();
    const pid_t child = ::fork();
    if (child != 0) return child;
    const rlimit limit{file_limit_bytes, RLIM_INFINITY};
    if (file_limit_bytes != RLIM_INFINITY) ::setrlimit(RLIMIT_FSIZE, &limit);
    const int file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDERR_FILENO);
    for (const char* name : {"EBB_RUN_DIR", "EBB_CHECKPOINT_DIR", "EBB_RESUME"}) ::unsetenv(name);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  Ended Wait(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            platform::ReadFile(ErrorPath()).value_or("")};
  }

  Ended RunToEnd(const std::vector<std::string>& arguments) const { return Wait(Start(arguments)); }

  nlohmann::json ResultOf(const std::string& name) const {
    return nlohmann::json::parse(
        platform::ReadFile(directory_ / name / "train_result.json").value_or("{}"));
  }

  std::vector<std::string> Events(const std::string& name) const {
    std::ifstream file(directory_ / name / "progress.jsonl");
    std::vector<std::string> events;
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object()) events.push_back(json.at("event"));
    }
    return events;
  }

  // Waits until the run has written `count` events of that name, or has ended.
  void AwaitEvents(const std::string& name, const std::string& event, std::ptrdiff_t count,
                   pid_t child) const {
    for (;;) {
      const auto events = Events(name);
      if (std::count(events.begin(), events.end(), event) >= count) return;
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == child)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Path ErrorPath() const { return directory_ / "stderr"; }

  const Path directory_ = ScratchDirectory("train");
};

std::vector<std::string> With(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// In this setting the library believes that it has kernels for bf16, and finds none.
TEST_F(Process, APrecisionWithoutKernelsIsAnErrorOrSlow) {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  const Ended trained = RunToEnd(With(SmallRun("bf16"), {"--precision", "bf16"}));
  const Ended measured = RunToEnd({"--speed", "--model", "mlp", "--threads", "1"});
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_THAT(trained.exit_code, ::testing::AnyOf(0, static_cast<int>(ExitCode::kUnavailable)))
      << trained.errors;
  EXPECT_EQ(measured.exit_code, 0) << measured.errors;
}

void Process::ExpectTheSameBitsAfterKills(
    const std::function<std::vector<std::string>(const std::string&)>& run) {
  const Ended whole = RunToEnd(run("straight"));
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const auto straight = ResultOf("straight");
  Random random(20231);
  for (int trial = 0; trial < 3; ++trial) {
    const std::string name = "killed" + std::to_string(trial);
    const auto arguments = With(run(name), {"--checkpoint-every", "1", "--resume"});
    // Each trial kills the run twice, each time some checkpoints after the start of the attempt.
    std::ptrdiff_t checkpoints = 0;
    for (int kill = 0; kill < 2; ++kill) {
      const pid_t child = Start(arguments);
      checkpoints += 1 + static_cast<std::ptrdiff_t>(random.Below(5));
      AwaitEvents(name, "checkpoint", checkpoints, child);
      ::kill(child, SIGKILL);
      Wait(child);
      const auto events = Events(name);
      checkpoints = std::count(events.begin(), events.end(), "checkpoint");
    }
    const Ended ended = RunToEnd(arguments);
    ASSERT_EQ(ended.exit_code, 0) << ended.errors;
    const auto result = ResultOf(name);
    EXPECT_EQ(result.at("parameters_sha256"), straight.at("parameters_sha256"))
        << "trial " << trial;
    EXPECT_EQ(result.at("steps"), straight.at("steps"));
    EXPECT_EQ(result.at("test_loss"), straight.at("test_loss"));
    EXPECT_NEAR(result.at("final_loss").get<double>(), straight.at("final_loss").get<double>(),
                1e-9);
    EXPECT_EQ(result.at("epoch_seconds").size(), 3U);
  }
}

TEST_F(Process, KilledAtRandomStepsItResumesToTheSameBits) {
  ExpectTheSameBitsAfterKills([&](const std::string& name) { return SmallRun(name); });
}

TEST_F(Process, ALanguageModelKilledAtRandomStepsResumesToTheSameAdapter) {
  ExpectTheSameBitsAfterKills([&](const std::string& name) { return SmallLora(name); });
  const std::string straight =
      *platform::ReadFile(directory_ / "straight/adapter/adapter_model.safetensors");
  for (int trial = 0; trial < 3; ++trial)
    EXPECT_EQ(*platform::ReadFile(directory_ / ("killed" + std::to_string(trial)) /
                                  "adapter/adapter_model.safetensors"),
              straight);
}

TEST_F(Process, WithFrozenWeightsInFourBitsItResumesToTheSameAdapterAndSaysSo) {
  const auto run = [&](const std::string& name) {
    return With(SmallLora(name), {"--base-weights", "nf4"});
  };
  ExpectTheSameBitsAfterKills(run);
  ASSERT_EQ(RunToEnd(SmallLora("plain")).exit_code, 0);
  const auto plain = ResultOf("plain"), nf4 = ResultOf("straight");
  EXPECT_EQ(nf4.at("base_weights"), "nf4");
  EXPECT_EQ(plain.at("base_weights"), "fp32");
  EXPECT_LT(nf4.at("base_weight_bytes"), plain.at("base_weight_bytes"));
  EXPECT_NE(nf4.at("parameters_sha256"), plain.at("parameters_sha256"));
  for (const auto& [arguments, written] :
       {std::pair{With(SmallLora("straight"), {"--resume"}), "nf4"},
        {With(run("plain"), {"--resume"}), "its default"}}) {
    const Ended other = RunToEnd(arguments);
    EXPECT_EQ(other.exit_code, 3);
    EXPECT_THAT(other.errors, testing::HasSubstr(std::string("with --base-weights ") + written));
  }
}

TEST_F(Process, WithATeacherItResumesToTheSameAdapterAndRefusesOneOfOtherTokens) {
  nlohmann::json config = TinyConfig("llama");
  config["hidden_size"] = 32;
  WriteModel(directory_ / "teacher", config);
  const auto run = [&](const std::string& name) {
    return With(SmallLora(name), {"--teacher", (directory_ / "teacher").string(), "--temperature",
                                  "3", "--distillation-mix", "0.4"});
  };
  ExpectTheSameBitsAfterKills(run);
  EXPECT_EQ(ResultOf("straight").at("teacher"), "teacher");
  EXPECT_EQ(ResultOf("straight").at("temperature"), 3);
  const Ended other = RunToEnd(With(run("straight"), {"--temperature", "4", "--resume"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, testing::HasSubstr("--temperature 3.0, not 4.0"));
  config["vocab_size"] = 50;
  WriteModel(directory_ / "teacher", config);
  const Ended refused = RunToEnd(run("refused"));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.errors, testing::HasSubstr("the teacher has 50 tokens, and the model 48"));
  EXPECT_EQ(RunToEnd(With(SmallLora("x"), {"--temperature", "3"})).exit_code, 2);
}

TEST_F(Process, AClassifierWithATeacherResumesToTheSameBitsAndRefusesAnother) {
  ASSERT_EQ(RunToEnd(SmallRun("teacher")).exit_code, 0);
  const Path teacher = directory_ / "teacher/model.safetensors";
  const auto run = [&](const std::string& name) {
    return With(SmallRun(name), {"--model", "small-cnn", "--teacher", teacher.string(),
                                 "--temperature", "3", "--distillation-mix", "0.4"});
  };
  ExpectTheSameBitsAfterKills(run);
  const auto taught = ResultOf("straight");
  EXPECT_EQ(taught.at("parameters"), 5258);
  EXPECT_EQ(taught.at("teacher"), teacher.string());
  EXPECT_EQ(taught.at("distillation_mix"), 0.4);
  ASSERT_EQ(RunToEnd(With(SmallRun("alone"), {"--model", "small-cnn"})).exit_code, 0);
  EXPECT_NE(ResultOf("alone").at("parameters_sha256"), taught.at("parameters_sha256"));
  const Ended warmer = RunToEnd(With(run("straight"), {"--temperature", "4", "--resume"}));
  EXPECT_EQ(warmer.exit_code, 3);
  EXPECT_THAT(warmer.errors, testing::HasSubstr("--temperature 3.0, not 4.0"));
  // A teacher at the same path with other weights is another teacher.
  ASSERT_EQ(RunToEnd(With(SmallRun("teacher"), {"--seed", "2"})).exit_code, 0);
  const Ended other = RunToEnd(With(run("straight"), {"--resume"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, testing::HasSubstr("with --teacher of SHA-256"));
  const Ended checkpoint = RunToEnd(
      With(run("x"),
           {"--teacher", (directory_ / "teacher/checkpoints/checkpoint.safetensors"), "--check"}));
  EXPECT_EQ(checkpoint.exit_code, 3);
  EXPECT_THAT(checkpoint.errors, testing::HasSubstr("does not say which model it is"));
  EXPECT_EQ(RunToEnd(With(SmallRun("x"), {"--temperature", "3"})).exit_code, 2);
}

TEST_F(Process, ALanguageModelPausesResumesAndReports) {
  ASSERT_EQ(RunToEnd(SmallLora("straight")).exit_code, 0);
  const pid_t child = Start(With(SmallLora("run"), {"--gradient-checkpointing"}));
  AwaitEvents("run", "step", 1, child);
  ::kill(child, SIGTERM);
  ASSERT_EQ(Wait(child).exit_code, 75);
  const Ended ended = RunToEnd(With(SmallLora("run"), {"--resume"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  const auto result = ResultOf("run");
  EXPECT_EQ(result.at("parameters_sha256"), ResultOf("straight").at("parameters_sha256"));
  EXPECT_EQ(result.at("steps"), 9);
  EXPECT_GT(result.at("tokens_per_second"), 0);
  EXPECT_GT(result.at("flop_utilisation_percent"), 0);
  EXPECT_LT(result.at("test_perplexity"), result.at("epoch_test_perplexity").at(0));
  const auto metrics = nlohmann::json::parse(*platform::ReadFile(directory_ / "run/metrics.json"));
  EXPECT_EQ(metrics.at("final_validation_loss"), result.at("test_loss"));
  EXPECT_EQ(metrics.at("hyperparameters").at("r"), 4);
}

// Dropout draws by micro-batch, so equal bits show that continuations kept the size. Which size is
// found depends on times.
TEST_F(Process, AMicroBatchThatWasFoundStaysWhateverKillsTheRun) {
  const auto run = [&](const std::string& name) {
    return With(SmallLora(name), {"--micro-batch", "auto", "--epochs", "8"});
  };
  const pid_t child = Start(run("straight"));
  AwaitEvents("straight", "micro_batch", 1, child);
  const auto events = Events("straight");
  const auto before = std::count(
      events.begin(), std::find(events.begin(), events.end(), "micro_batch"), "checkpoint");
  AwaitEvents("straight", "checkpoint", before + 1, child);
  ::kill(child, SIGSTOP);
  std::filesystem::create_directories(directory_ / "copy/checkpoints");
  std::filesystem::copy_file(directory_ / "straight/checkpoints/checkpoint.safetensors",
                             directory_ / "copy/checkpoints/checkpoint.safetensors");
  ::kill(child, SIGCONT);
  ASSERT_EQ(Wait(child).exit_code, 0);
  const pid_t again = Start(With(run("copy"), {"--checkpoint-every", "1", "--resume"}));
  AwaitEvents("copy", "checkpoint", 2, again);
  ::kill(again, SIGKILL);
  Wait(again);
  // The flag may be left out: the checkpoint says the size.
  ASSERT_EQ(RunToEnd(With(SmallLora("copy"), {"--epochs", "8", "--resume"})).exit_code, 0);
  const auto straight = ResultOf("straight"), copy = ResultOf("copy");
  EXPECT_EQ(copy.at("parameters_sha256"), straight.at("parameters_sha256"));
  EXPECT_EQ(copy.at("micro_batch"), straight.at("micro_batch"));
  EXPECT_EQ(copy.at("micro_batch_tried"), straight.at("micro_batch_tried"));
  EXPECT_THAT(Events("copy"), testing::Not(testing::Contains("micro_batch")));
  EXPECT_EQ(straight.at("effective_batch_size"), 4);
  ASSERT_GE(straight.at("micro_batch_tried").size(), 2U);
  EXPECT_EQ(straight.at("micro_batch_tried")[0].at("size"), 2);
  EXPECT_GT(straight.at("micro_batch_tried")[0].at("tokens_per_second"), 0);
}

TEST_F(Process, AMicroBatchCanBeFixed) {
  ASSERT_EQ(RunToEnd(With(SmallLora("run"), {"--micro-batch", "3"})).exit_code, 0);
  ASSERT_EQ(RunToEnd(SmallLora("plain")).exit_code, 0);
  EXPECT_EQ(ResultOf("run").at("micro_batch"), 3);
  EXPECT_EQ(ResultOf("plain").at("micro_batch"), 2);
  EXPECT_EQ(ResultOf("plain").at("micro_batch_tried").size(), 0U);
  EXPECT_EQ(ResultOf("run").at("steps"), ResultOf("plain").at("steps"));
  EXPECT_NE(ResultOf("run").at("parameters_sha256"), ResultOf("plain").at("parameters_sha256"))
      << "dropout draws by micro-batch";
  const Ended other = RunToEnd(With(SmallLora("run"), {"--micro-batch", "4", "--resume"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.errors, testing::HasSubstr("--micro-batch 3, not 4"));
}

TEST_F(Process, ARunThatIsKilledWhileItTriesMicroBatchesGoesOn) {
  const auto run = With(SmallLora("run"), {"--micro-batch", "auto", "--checkpoint-every", "1",
                                           "--epochs", "8", "--resume"});
  for (std::ptrdiff_t checkpoints = 1; checkpoints <= 3; ++checkpoints) {
    const pid_t child = Start(run);
    AwaitEvents("run", "checkpoint", checkpoints, child);
    ::kill(child, SIGKILL);
    Wait(child);
  }
  ASSERT_EQ(RunToEnd(run).exit_code, 0);
  EXPECT_THAT(Events("run"), testing::Contains("micro_batch"));
  EXPECT_GE(ResultOf("run").at("micro_batch_tried").size(), 2U);
  EXPECT_EQ(ResultOf("run").at("steps"), 24);
}

TEST_F(Process, ALanguageModelOfOtherFlagsIsNotContinued) {
  ASSERT_EQ(RunToEnd(SmallLora("run")).exit_code, 0);
  const Ended ended = RunToEnd(With(SmallLora("run"), {"--rank", "8", "--resume"}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.errors, testing::HasSubstr("--rank"));
  EXPECT_EQ(RunToEnd(With(SmallLora("run"), {"--check"})).exit_code, 0);
  const Ended missing =
      RunToEnd(With(SmallLora("run"), {"--base", (directory_ / "none").string()}));
  EXPECT_EQ(missing.exit_code, 3) << missing.errors;
  EXPECT_THAT(missing.errors, testing::HasSubstr("config.json"));
}

// With hardly any learning the loss stays the same, so the reported loss must stay the same too.
TEST_F(Process, TheLossOfALineIsTheMeanSinceTheLastOneOverCheckpoints) {
  const std::vector<std::string> arguments{"--data",
                                           "digits",
                                           "--train-samples",
                                           "4000",
                                           "--test-samples",
                                           "20",
                                           "--batch-size",
                                           "16",
                                           "--epochs",
                                           "1",
                                           "--learning-rate",
                                           "1e-9",
                                           "--threads",
                                           "1",
                                           "--progress",
                                           "none",
                                           "--checkpoint-every",
                                           "2",
                                           "--run-dir",
                                           (directory_ / "loss").string()};
  ASSERT_EQ(RunToEnd(arguments).exit_code, 0);
  std::ifstream file(directory_ / "loss" / "progress.jsonl");
  std::vector<double> losses;
  double of_epoch = 0;
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json.at("event") == "step") losses.push_back(json.at("loss"));
    if (json.at("event") == "epoch_end") of_epoch = json.at("train_loss");
  }
  ASSERT_GE(losses.size(), 2u) << "it was over before a second line was due";
  for (const double loss : losses) EXPECT_NEAR(loss, of_epoch, 0.25 * of_epoch);
}

TEST_F(Process, SigtermPausesWithACheckpointAndResumeFinishes) {
  ASSERT_EQ(RunToEnd(SmallRun("straight")).exit_code, 0);
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string name = "paused" + std::to_string(signal);
    const pid_t child = Start(SmallRun(name));
    AwaitEvents(name, "step", 1, child);
    ::kill(child, signal);
    ASSERT_EQ(Wait(child).exit_code, 75);
    EXPECT_THAT(Events(name), testing::IsSupersetOf({"begin", "checkpoint", "paused"}));
    EXPECT_FALSE(std::filesystem::exists(directory_ / name / "train_result.json"));
    ASSERT_EQ(RunToEnd(With(SmallRun(name), {"--resume"})).exit_code, 0);
    EXPECT_THAT(Events(name), testing::IsSupersetOf({"resume", "end"}));
    EXPECT_EQ(ResultOf(name).at("parameters_sha256"), ResultOf("straight").at("parameters_sha256"));
    EXPECT_EQ(ResultOf(name).at("peak_tensor_bytes"), ResultOf("straight").at("peak_tensor_bytes"));
  }
}

TEST_F(Process, AContinuationNoticesThatDataOrModelHaveChanged) {
  const pid_t child = Start(SmallLora("run"));
  AwaitEvents("run", "checkpoint", 1, child);
  ::kill(child, SIGTERM);
  ASSERT_EQ(Wait(child).exit_code, 75);
  const Path checkpoint = directory_ / "run/checkpoints/checkpoint.safetensors";
  const std::string kept = *platform::ReadFile(checkpoint);
  const Path tokens = directory_ / "tokens.jsonl", config = directory_ / "model/config.json";
  for (const Path& file : {tokens, config}) {
    const std::string before = *platform::ReadFile(file);
    ASSERT_TRUE(platform::WriteFileAtomically(file, before + "\n"));
    const Ended refused = RunToEnd(With(SmallLora("run"), {"--resume"}));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.errors, testing::HasSubstr(file.string() + " has changed"));
    EXPECT_EQ(*platform::ReadFile(checkpoint), kept);
    ASSERT_TRUE(platform::WriteFileAtomically(file, before));
  }
  ASSERT_TRUE(platform::WriteFileAtomically(config, *platform::ReadFile(config) + "\n"));
  const Ended allowed = RunToEnd(With(SmallLora("run"), {"--resume", "--allow-changed"}));
  EXPECT_EQ(allowed.exit_code, 0) << allowed.errors;
  EXPECT_THAT(ResultOf("run").at("notices").dump(), testing::HasSubstr("config.json changed"));
}

TEST_F(Process, ATrainingThatDivergesWritesNoModel) {
  const auto run =
      With(SmallLora("lora"), {"--learning-rate", "1000", "--alpha", "1e9", "--clip-norm", "0"});
  const Ended ended = RunToEnd(run);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.errors, testing::HasSubstr("has diverged at step"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "lora/adapter/adapter_model.safetensors"));
  EXPECT_THAT(Events("lora"), testing::Contains("diverged"));
  const Ended regardless = RunToEnd(With(run, {"--on-divergence", "go-on"}));
  EXPECT_EQ(regardless.exit_code, 0) << regardless.errors;
  EXPECT_GE(ResultOf("lora").value("diverged_at_step", 0), 1);
  const Ended used = RunToEnd(
      With(SmallLora("next"), {"--start-adapter", (directory_ / "lora/adapter").string()}));
  EXPECT_EQ(used.exit_code, 3);
  EXPECT_THAT(used.errors, testing::HasSubstr("not finite"));
}

TEST_F(Process, AFullDiskWhilePausingIsAnErrorAndThePreviousCheckpointStaysValid) {
  const auto arguments = With(SmallRun("full"), {"--resume"});
  pid_t child = Start(SmallRun("full"));
  AwaitEvents("full", "checkpoint", 1, child);
  ::kill(child, SIGTERM);
  ASSERT_EQ(Wait(child).exit_code, 75);
  const Path checkpoint = directory_ / "full/checkpoints/checkpoint.safetensors";
  const std::string before = *platform::ReadFile(checkpoint);
  child = Start(arguments, /*file_limit_bytes=*/1 << 20);
  AwaitEvents("full", "resume", 1, child);
  ::kill(child, SIGTERM);
  const Ended ended = Wait(child);
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_THAT(ended.errors, testing::HasSubstr("checkpoint.safetensors"));
  EXPECT_TRUE(*platform::ReadFile(checkpoint) == before);
  EXPECT_EQ(RunToEnd(arguments).exit_code, 0);
}

TEST_F(Process, AFinishedRunResumedFinishesAgainWithTheSameResult) {
  ASSERT_EQ(RunToEnd(SmallRun("run")).exit_code, 0);
  const auto first = ResultOf("run");
  ASSERT_EQ(RunToEnd(With(SmallRun("run"), {"--resume"})).exit_code, 0);
  EXPECT_EQ(ResultOf("run"), first);
}

TEST_F(Process, ADamagedCheckpointIsRefusedWithItsName) {
  ASSERT_EQ(RunToEnd(SmallRun("run")).exit_code, 0);
  const Path path = directory_ / "run/checkpoints/checkpoint.safetensors";
  std::string file = *platform::ReadFile(path);
  file[file.size() / 2] = static_cast<char>(file[file.size() / 2] ^ 1);
  ASSERT_TRUE(platform::WriteFileAtomically(path, file));
  const Ended ended = RunToEnd(With(SmallRun("run"), {"--resume"}));
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.errors,
              testing::AllOf(testing::HasSubstr(path.string()), testing::HasSubstr("damaged")));
}

TEST_F(Process, AFolderOfTheModelThatCannotBeWrittenIsSaidBeforeTheEpochs) {
  const Ended ended = RunToEnd(With(SmallRun("run"), {"--model-save-path", "/proc/none/m"}));
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_TRUE(Events("run").empty());
}

TEST_F(Process, ACheckTellsWhetherTheTrainingCouldStartAndWritesNothing) {
  const auto check = [&](const std::vector<std::string>& more) {
    return RunToEnd(With(With(SmallRun("run"), {"--check"}), more));
  };
  const Ended ready = check({});
  EXPECT_EQ(ready.exit_code, 0) << ready.errors;
  EXPECT_EQ(
      check({"--data", "mnist", "--data-dir", directory_ / "none", "--no-download"}).exit_code, 3);
  EXPECT_EQ(check({"--model-save-path", "/proc/none/model"}).exit_code, 4);
  EXPECT_NE(check({"--model", "nosuch"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
}

TEST_F(Process, AnEvaluationEndsWhenItIsAskedTo) {
  ASSERT_EQ(RunToEnd(SmallRun("run")).exit_code, 0);
  const std::string model = (directory_ / "run/model.safetensors").string();
  const std::vector<std::string> once = {"evaluate",       model, "--data", "digits",
                                         "--test-samples", "20"};
  EXPECT_EQ(RunToEnd(once).exit_code, 0);
  const pid_t child = Start(With(once, {"--repeat", "1000000000"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  // The child is still loading, or evaluates by now.
  ::kill(child, SIGTERM);
  EXPECT_THAT(Wait(child).exit_code, testing::AnyOf(75, 128 + SIGTERM));
}

TEST_F(Process, MisuseHasItsExitCodeAndAHint) {
  const Ended usage = RunToEnd({"--batchsize", "3"});
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_THAT(usage.errors, testing::HasSubstr("--batch-size"));
  const Ended data = RunToEnd({"--data-dir", (directory_ / "none").string(), "--no-download"});
  EXPECT_EQ(data.exit_code, 3);
  const Ended unwritable = RunToEnd(With(SmallRun("x"), {"--run-dir", "/proc/none"}));
  EXPECT_EQ(unwritable.exit_code, 4) << unwritable.errors;
}

}  // namespace
}  // namespace ebb::train
