#include "app/run/trainer_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "platform/child_process.h"
#include "platform/system.h"

namespace ebb::app {
namespace {

core::TrainingSettings SettingsOf(const config::TrainingConfig& training, std::int64_t seed) {
  core::TrainingSettings settings;
  settings.model = training.model;
  settings.dataset = training.data;
  settings.batch_size = static_cast<int>(training.batch_size);
  settings.accumulation_steps = static_cast<int>(training.accumulation_steps);
  settings.epochs = static_cast<int>(training.epochs);
  settings.learning_rate = training.learning_rate;
  settings.precision = training.precision;
  settings.seed = seed;
  settings.model_path = training.model_save_path;
  return settings;
}

constexpr Duration kBetweenLooks{1000};

// The command that asks it. The seed decides nothing of this.
std::vector<std::string> QuestionOf(const RunRequest& run) {
  std::vector<std::string> question = run.command;
  const auto seed = std::find(question.begin(), question.end(), "--seed");
  if (seed != question.end()) question.erase(seed, seed + 2);
  question.push_back("--check");
  return question;
}

Status Ask(const std::vector<std::string>& question, platform::ProcessSignals& signals) {
  platform::ChildOptions options;
  options.argv = question;
  EBB_ASSIGN_OR_RETURN(platform::ChildProcess child, platform::ChildProcess::Start(options));
  std::optional<platform::ExitStatus> end;
  while (!end) end = child.Wait(signals, kBetweenLooks);
  if (const auto stop = child.forwarded_stop())
    return Fail(
        {static_cast<ExitCode>(128 + *stop), "stopped before anything was started", "", ""});
  if (end->code == 0) return {};
  return Fail({static_cast<ExitCode>(end->code),
               "the training cannot start: exit code " + std::to_string(end->code), question[0],
               "its message is above; nothing was started"});
}

}  // namespace

std::string TrainerProgram() {
  if (const char* named = std::getenv("EBB_TRAIN_PROGRAM")) return named;
  std::error_code code;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
  const auto sibling = self.parent_path() / "ebb-train";
  if (!code && platform::IsExecutable(sibling)) return sibling.string();
  return "ebb-train";
}

Result<RunRequest> TrainerRun(const config::TrainConfig& config, std::int64_t seed) {
  const config::TrainingConfig& training = config.training;
  RunRequest request;
  request.options.scheduler = config.scheduler;
  request.options.metering = config.metering;
  request.options.output_dir = config.output_dir;
  request.options.name = training.run_name;
  request.options.group = training.run_name;
  request.training = SettingsOf(training, seed);
  std::vector<std::string>& command = request.command;
  command = {TrainerProgram(),
             "--model",
             training.model,
             "--data",
             training.data,
             "--data-dir",
             config.data_dir,
             "--batch-size",
             std::to_string(training.batch_size),
             "--accumulation",
             std::to_string(training.accumulation_steps),
             "--epochs",
             std::to_string(training.epochs),
             "--learning-rate",
             FormatExact(training.learning_rate),
             "--lr-schedule",
             training.lr_schedule,
             "--precision",
             training.precision,
             "--device",
             training.device,
             "--seed",
             std::to_string(seed),
             "--progress",
             "none"};
  const auto add_if_set = [&](const char* flag, std::int64_t value) {
    if (value > 0) command.insert(command.end(), {flag, std::to_string(value)});
  };
  add_if_set("--train-samples", training.train_samples);
  add_if_set("--test-samples", training.test_samples);
  add_if_set("--threads", training.threads);
  add_if_set("--checkpoint-every", training.checkpoint_every);
  if (!training.model_save_path.empty())
    command.insert(command.end(), {"--model-save-path", training.model_save_path});
  return request;
}

Status CheckTrainings(std::span<const RunRequest> runs, platform::ProcessSignals& signals) {
  std::set<std::vector<std::string>> asked;
  for (const RunRequest& run : runs) {
    const std::vector<std::string> question = QuestionOf(run);
    if (asked.insert(question).second) EBB_RETURN_IF_ERROR(Ask(question, signals));
  }
  return {};
}

}  // namespace ebb::app
