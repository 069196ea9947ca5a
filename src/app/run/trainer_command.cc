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

using Words = std::vector<std::string>;

// The last part of a path; "models/qwen/" also gives "qwen".
std::string NameOf(const std::filesystem::path& path) {
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// The settings with the names that train_result.json uses for model and data.
core::TrainingSettings SettingsOf(const config::TrainingConfig& training, std::int64_t seed) {
  core::TrainingSettings settings;
  settings.batch_size = static_cast<int>(training.batch_size);
  settings.accumulation_steps = static_cast<int>(training.accumulation_steps);
  settings.epochs = static_cast<int>(training.epochs);
  settings.learning_rate = training.learning_rate;
  settings.precision = training.precision;
  settings.seed = seed;
  if (const auto& lora = training.lora) {
    settings.model = NameOf(lora->base);
    settings.dataset = NameOf(lora->data.empty() ? lora->tokens : lora->data.front());
    settings.model_path = lora->adapter_dir;
  } else {
    settings.model = training.model;
    settings.dataset = training.data;
    settings.model_path = training.model_save_path;
  }
  return settings;
}

void Append(Words& command, const Words& words) {
  command.insert(command.end(), words.begin(), words.end());
}

void AppendIfSet(Words& command, const std::string& flag, std::int64_t value) {
  if (value > 0) Append(command, {flag, std::to_string(value)});
}

void AppendIfSet(Words& command, const std::string& flag, const std::string& value) {
  if (!value.empty()) Append(command, {flag, value});
}

void AppendIfSet(Words& command, const std::string& flag, std::optional<double> value) {
  if (value) Append(command, {flag, FormatExact(*value)});
}

Words ClassifierWords(const config::TrainConfig& config) {
  const config::TrainingConfig& training = config.training;
  Words words{"--model", training.model, "--data", training.data, "--data-dir", config.data_dir};
  AppendIfSet(words, "--train-samples", training.train_samples);
  AppendIfSet(words, "--test-samples", training.test_samples);
  AppendIfSet(words, "--model-save-path", training.model_save_path);
  AppendIfSet(words, "--teacher", training.teacher);
  AppendIfSet(words, "--temperature", training.temperature);
  AppendIfSet(words, "--distillation-mix", training.distillation_mix);
  return words;
}

Words LoraWords(const config::LoraConfig& lora) {
  Words words{"lora", "--base", lora.base};
  for (const std::string& file : lora.data) Append(words, {"--data", file});
  AppendIfSet(words, "--tokens", lora.tokens);
  AppendIfSet(words, "--adapter-dir", lora.adapter_dir);
  Append(words, lora.flags);
  return words;
}

// The flags that every training takes.
Words TrainingWords(const config::TrainingConfig& training, std::int64_t seed) {
  Words words{"--batch-size",    std::to_string(training.batch_size),
              "--accumulation",  std::to_string(training.accumulation_steps),
              "--epochs",        std::to_string(training.epochs),
              "--learning-rate", FormatExact(training.learning_rate),
              "--lr-schedule",   training.lr_schedule,
              "--precision",     training.precision,
              "--device",        training.device,
              "--seed",          std::to_string(seed),
              "--progress",      "none"};
  AppendIfSet(words, "--threads", training.threads);
  AppendIfSet(words, "--checkpoint-every", training.checkpoint_every);
  return words;
}

constexpr Duration kBetweenLooks{1000};

// The command that asks the trainer if it can start; the seed does not matter for this.
Words QuestionOf(const RunRequest& run) {
  Words question = run.command;
  const auto seed = std::find(question.begin(), question.end(), "--seed");
  if (seed != question.end()) question.erase(seed, seed + 2);
  question.push_back("--check");
  return question;
}

Status Ask(const Words& question, platform::ProcessSignals& signals) {
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
  request.command = {TrainerProgram()};
  Append(request.command, training.lora ? LoraWords(*training.lora) : ClassifierWords(config));
  Append(request.command, TrainingWords(training, seed));
  return request;
}

Status CheckTrainings(std::span<const RunRequest> runs, platform::ProcessSignals& signals) {
  std::set<Words> asked;
  for (const RunRequest& run : runs) {
    const Words question = QuestionOf(run);
    if (asked.insert(question).second) EBB_RETURN_IF_ERROR(Ask(question, signals));
  }
  return {};
}

}  // namespace ebb::app
