#include "train/options/options.h"

#include <filesystem>

#include <algorithm>
#include <utility>
#include <vector>

#include "train/options/flags.h"

namespace ebb::train {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb-train --data digits                                three epochs on digits drawn by the program
  ebb-train --data mnist --data-dir data/mnist           MNIST, downloaded there when missing
  ebb-train --data digits --batch-size 16 --accumulation 4 --precision bf16
                                                         effective batch 64 in micro-batches of 16
  ebb-train --data digits --run-dir runs/a --resume      continue from the checkpoint in runs/a
  ebb-train --model small-cnn --teacher runs/a/model.safetensors
                                                         learn from a larger model, too
  ebb-train evaluate --help                              how good a trained model is
  ebb-train compress --help                              makes its file smaller
  ebb-train lora --help                                  fine-tunes a language model instead
  ebb-train generate --help                              completes a prompt with one

Exit codes: 0 done, 2 usage, 3 configuration or data, 4 unavailable, 75 paused with a checkpoint (SIGTERM, SIGINT).
)";

const Names<ScheduleKind> kSchedules = {{"constant", ScheduleKind::kConstant},
                                        {"cosine", ScheduleKind::kCosine},
                                        {"step", ScheduleKind::kStep}};

// The text of the choices, before their names are looked up.
struct Choices : RunChoices {
  std::string data = "mnist";
  std::string place = "auto";
  std::string graph = "auto";
};

const Names<GraphChoice> kGraphs = {
    {"auto", GraphChoice::kAuto}, {"on", GraphChoice::kOn}, {"off", GraphChoice::kOff}};

const Names<DataPlace> kDataPlaces = {
    {"auto", DataPlace::kAuto}, {"host", DataPlace::kHost}, {"device", DataPlace::kDevice}};

void AddModelFlags(CLI::App& app, Options& options, Choices& choices) {
  const char* group = "Model and data";
  app.add_option("--model", options.model, "model to train; --list-models names them")
      ->capture_default_str()
      ->group(group);
  AddDataFlags(app, options, choices.data, group);
  app.add_option("--train-samples", options.train_samples,
                 "use the first N; 0: all of MNIST, 8000 digits")
      ->check(Between(kLimit))
      ->capture_default_str()
      ->group(group);
  app.add_option("--data-on", choices.place,
                 "auto | host | device: where the images lie (auto: on a GPU if they fit)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--export-data", options.export_data,
                 "write the chosen data to this directory as IDX files, and exit")
      ->group(group);
}

void AddTrainingFlags(CLI::App& app, Options& options, Choices& choices) {
  const char* group = "Training";
  app.add_option("--batch-size", options.batch_size,
                 "samples per micro-batch: what memory must hold")
      ->check(Between({1, 1e6}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--accumulation", options.accumulation,
                 "micro-batches per update; effective batch = batch size x accumulation")
      ->check(Between({1, 65536}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--epochs", options.epochs, "passes over the training data")
      ->check(Between({1, 1e6}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--learning-rate", options.learning_rate.initial, "of Adam")
      ->check(Between({1e-12, 1e3}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lr-schedule", choices.schedule, "constant | cosine (to 0 at the end) | step")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lr-decay", options.learning_rate.decay, "step: factor per --lr-step-epochs")
      ->check(Between({0, 1}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--lr-step-epochs", options.learning_rate.decay_epochs,
                 "step: epochs between decays")
      ->check(Between(kCount))
      ->capture_default_str()
      ->group(group);
  app.add_option("--precision", choices.precision,
                 "fp32 | bf16 | fp16 (autocast; fp16 adds dynamic loss scaling)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--device", choices.device, "auto | cpu | cuda")
      ->capture_default_str()
      ->group(group);
  app.add_option("--threads", options.threads, "CPU threads; 0: one per available core")
      ->check(Between({0, 4096}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--graph", choices.graph,
                 "auto | on | off: record an update once and start it as a whole, which is faster "
                 "for small models (auto: if the data lie on a GPU)")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--speed", options.measure_speed,
               "measure for some seconds how many samples/s each precision trains here, and exit")
      ->group(group);
  app.add_option("--seed", options.seed, "of initial weights, order and dropout")
      ->check(Between(kSeed))
      ->capture_default_str()
      ->group(group);
}

void AddModelPathFlag(CLI::App& app, Options& options) {
  app.add_option("--model-save-path", options.model_save_path,
                 "the trained model, safetensors; a relative path is in the run directory (default "
                 "model.safetensors)")
      ->group("Run");
}

void FillDefaultPaths(Options& options) {
  if (options.checkpoint_dir.empty()) options.checkpoint_dir = options.run_dir + "/checkpoints";
  // A relative path lies in the run directory, so that runs of a series do not overwrite each
  // other's model.
  if (options.model_save_path.empty()) options.model_save_path = "model.safetensors";
  options.model_save_path =
      (std::filesystem::path(options.run_dir) / options.model_save_path).string();
}

}  // namespace

Result<Request> ParseOptions(std::span<const std::string> arguments,
                             const Environment& environment) {
  Options options;
  Choices choices;
  bool list_models = false;
  ApplyEnvironment(options, environment);
  CLI::App app("ebb-train: trains an image classifier, pauses on SIGTERM, resumes bit-exactly.",
               "ebb-train");
  SetRules(app);
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("ebb-train ") + EBB_VERSION);
  AddModelFlags(app, options, choices);
  app.add_flag("--list-models", list_models, "name the models and exit")->group("Model and data");
  AddTrainingFlags(app, options, choices);
  AddTeacherFlags(app, options.distillation,
                  {"model file of another run, whose probabilities are learned, too", "labels"});
  AddRunFlags(app, options, choices, "progress.jsonl and train_result.json", "model and data");
  AddModelPathFlag(app, options);
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  if (list_models) return ListModels{};
  EBB_RETURN_IF_ERROR(LookUp("--data", kDataSources, choices.data, options.data));
  EBB_RETURN_IF_ERROR(LookUp("--data-on", kDataPlaces, choices.place, options.place));
  EBB_RETURN_IF_ERROR(LookUp("--graph", kGraphs, choices.graph, options.graph));
  EBB_RETURN_IF_ERROR(LookUpChoices(choices, kSchedules, options));
  FillDefaultPaths(options);
  return options;
}

std::string Name(Precision precision) { return NameOf(kPrecisions, precision); }
std::string Name(DataSource data) { return NameOf(kDataSources, data); }
std::string Name(ScheduleKind kind) { return NameOf(kSchedules, kind); }

}  // namespace ebb::train
