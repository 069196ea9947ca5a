#include "train/language/training/lora_trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "base/time.h"
#include "platform/path_facts.h"
#include "train/devices/autocast.h"
#include "train/devices/device.h"
#include "train/language/generation/token_file.h"
#include "train/language/generation/tokenizer_flag.h"
#include "train/language/model/forward.h"
#include "train/language/model/library_attention.h"
#include "train/language/training/lora_task.h"
#include "train/language/weights/weight_files.h"
#include "train/library_errors.h"
#include "train/loop/run_result.h"
#include "train/loop/speed.h"
#include "train/options/options.h"
#include "train/ranks/nccl_sum.h"

namespace ebb::train {
namespace {

using nlohmann::ordered_json;

// The seed is fixed, so that all runs of a sweep fine-tune the same model, whatever their own
// seeds.
constexpr std::uint64_t kRandomWeightsSeed = 0;

constexpr const char* kModelFiles[] = {"config.json", "tokenizer.json", "tokenizer_config.json",
                                       "chat_template.jinja", "special_tokens_map.json"};
constexpr const char* kAdapterFiles[] = {"adapter_config.json", "adapter_model.safetensors"};

torch::ScalarType TypeOf(Precision precision) {
  return precision == Precision::kBf16 ? torch::kBFloat16 : torch::kFloat32;
}

struct Setup {
  torch::Device device = torch::kCPU;
  std::int64_t threads = 1;
  RankPlace place;
  std::string precision_notice;
  Decoder decoder;
  std::optional<TextData> data;
  std::optional<Teacher> teacher;
  std::unique_ptr<DeviceSum> devices;
};

Status RequireFolders(const LoraOptions& options) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.run_dir));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.checkpoint_dir));
  return platform::EnsureWritableDirectory(options.adapter_dir);
}

Result<TextData> LoadData(const LoraOptions& options, const ModelConfig& config) {
  if (!options.tokens.empty())
    return LoadTokenFile({.path = options.tokens,
                          .vocabulary = config.vocabulary,
                          .max_tokens = options.data.max_tokens,
                          .validation_share = options.data.validation_share,
                          .split_seed = options.data.split_seed,
                          .packed = options.data.packed});
  EBB_ASSIGN_OR_RETURN(const Tokenizer tokenizer,
                       Tokenizer::Load(options.base, options.tokenizer_rules));
  if (tokenizer.id_limit() > config.vocabulary)
    return Fail({ExitCode::kConfiguration,
                 "the tokenizer has the token " + std::to_string(tokenizer.id_limit() - 1) +
                     ", but the model's vocabulary is " + std::to_string(config.vocabulary),
                 options.base, ""});
  return LoadTextData(options.data, tokenizer);
}

// A token must mean the same to the model and its teacher.
Status RequireSameTokens(const LoraOptions& options, const ModelConfig& model,
                         const ModelConfig& teacher) {
  const auto fail = [&](std::string what) {
    return Fail({ExitCode::kConfiguration, std::move(what), options.distillation.teacher,
                 "a teacher has the tokenizer of the model that learns from it"});
  };
  if (!options.tokens.empty()) {
    if (model.vocabulary == teacher.vocabulary) return {};
    return fail("the teacher has " + std::to_string(teacher.vocabulary) +
                " tokens, and the model " + std::to_string(model.vocabulary));
  }
  EBB_ASSIGN_OR_RETURN(const Tokenizer mine,
                       Tokenizer::Load(options.base, options.tokenizer_rules));
  EBB_ASSIGN_OR_RETURN(const Tokenizer its,
                       Tokenizer::Load(options.distillation.teacher, options.tokenizer_rules));
  if (its.id_limit() != mine.id_limit() || its.id_limit() > teacher.vocabulary)
    return fail("the teacher has another number of tokens than the model");
  for (TokenId id = 0; id < mine.id_limit(); ++id)
    if (mine.TokenText(id) != its.TokenText(id))
      return fail("the token " + std::to_string(id) + " is another one to the teacher");
  return {};
}

Result<Teacher> LoadTeacher(const LoraOptions& options, const DecoderOptions& wanted,
                            const ModelConfig& model) {
  Teacher teacher;
  EBB_ASSIGN_OR_RETURN(teacher.decoder, LoadDecoder(options.distillation.teacher, wanted));
  EBB_RETURN_IF_ERROR(RequireSameTokens(options, model, teacher.decoder.config));
  if (!options.teacher_adapter.empty()) {
    OuterWeights outer;
    EBB_ASSIGN_OR_RETURN(teacher.adapter,
                         LoadAdapter(options.teacher_adapter, teacher.decoder, &outer));
    Use(outer, teacher.decoder);
  }
  teacher.temperature = options.distillation.temperature;
  teacher.mix = options.distillation.mix;
  return teacher;
}

std::string DataPath(const LoraOptions& options) {
  return options.tokens.empty() ? options.data.files.front().string() : options.tokens;
}

Result<Setup> Prepare(const LoraOptions& options) {
  Setup setup;
  EBB_ASSIGN_OR_RETURN(setup.place, RankPlaceFrom(std::getenv));
  EBB_ASSIGN_OR_RETURN(setup.device, SelectDevice(options.device, setup.place.local_rank));
  EBB_ASSIGN_OR_RETURN(setup.devices, OpenExchange(options.exchange, setup.device));
  setup.threads = UseThreads(options.threads, setup.place.on_this_machine);
  const DecoderOptions wanted(torch::dtype(TypeOf(options.precision)).device(setup.device),
                              options.base_weights);
  EBB_ASSIGN_OR_RETURN(setup.decoder, options.random_weights
                                          ? RandomDecoder(options.base, wanted, kRandomWeightsSeed)
                                          : LoadDecoder(options.base, wanted));
  EBB_ASSIGN_OR_RETURN(setup.data, LoadData(options, setup.decoder.config));
  if (!options.distillation.teacher.empty()) {
    EBB_ASSIGN_OR_RETURN(setup.teacher, LoadTeacher(options, wanted, setup.decoder.config));
  }
  return setup;
}

// Reports how the records were used. Only one rank does so.
void TellData(const LoraOptions& options, const Setup& setup) {
  if (setup.place.rank != 0) return;
  const TextCounts& counts = setup.data->counts;
  if (options.progress != ProgressStyle::kNone) std::puts(counts.Sentence().c_str());
  for (const std::string& warning : counts.Warnings())
    std::fprintf(stderr, "ebb-train: warning: %s\n", warning.c_str());
}

// The name of "models/qwen/" is qwen, too.
std::string NameOf(const platform::Path& folder) {
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

std::string Now() {
  return FormatTime(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
}

// Uses the keys of the reference's metrics.json.
ordered_json MetricsOf(const LoraOptions& options, const LoraTask& task,
                       const TrainingState& state) {
  const LoraSettings& lora = task.adapter().settings;
  const TextData& data = task.data();
  const EpochRecord& last = state.history.back();
  return {{"final_train_loss", last.train_loss},
          {"final_validation_loss",
           data.validation.rows() == 0 ? ordered_json() : ordered_json(last.test_loss)},
          {"hyperparameters",
           {{"r", lora.rank},
            {"alpha", lora.alpha},
            {"lr", options.learning_rate.initial},
            {"dropout", lora.dropout},
            {"epochs", options.epochs},
            {"batch_size", options.batch_size},
            {"gradient_accumulation_steps", options.accumulation}}},
          {"dataset",
           {{"path", DataPath(options)},
            {"train_size", data.training.examples()},
            {"validation_size", data.validation.examples()}}},
          {"timestamp", Now()}};
}

double SecondsOf(const TrainingState& state) {
  return std::accumulate(state.history.begin(), state.history.end(), 0.0,
                         [](double sum, const EpochRecord& epoch) { return sum + epoch.seconds; });
}

double TokensOf(const TrainingState& state) {
  return std::accumulate(
      state.history.begin(), state.history.end(), 0.0,
      [](double sum, const EpochRecord& epoch) { return sum + static_cast<double>(epoch.tokens); });
}

// The fields of train_result.json that only a language model has.
ordered_json LanguageFields(const LoraOptions& options, const Setup& setup, const LoraTask& task,
                            const TrainingState& state) {
  const Decoder& decoder = task.decoder();
  const LoraSettings& lora = task.adapter().settings;
  const double seconds = SecondsOf(state);
  const TokenCounts counts = task.EpochCounts();
  const TextCounts& records = task.data().counts;
  std::int64_t trained = 0, in_products = 0;
  for (const auto& [name, tensor] : task.adapter().Tensors()) {
    trained += tensor.numel();
    if (tensor.dim() == 2) in_products += tensor.numel();
  }
  const double flops = static_cast<double>(state.history.size()) *
                       (TrainingFlops(decoder.config, static_cast<double>(in_products), counts) +
                        (setup.teacher ? ForwardFlops(setup.teacher->decoder.config, counts) : 0));
  const double peak = MeasuredPeakFlops(decoder.device(), decoder.type());
  ordered_json perplexities = ordered_json::array();
  for (const EpochRecord& epoch : state.history) perplexities.push_back(std::exp(epoch.test_loss));
  ordered_json fields = {
      {"records", ordered_json{{"read", records.records},
                               {"filtered", records.filtered},
                               {"cut_off", records.cut_off},
                               {"without_learned_token", records.without_loss}}},
      {"model_type", decoder.config.model_type},
      {"parameters", ParameterCount(decoder.config)},
      {"base_weights", Name(options.base_weights, options.precision)},
      {"base_weight_bytes", WeightBytes(decoder)},
      {"trained_parameters", trained},
      {"rank", lora.rank},
      {"alpha", lora.alpha},
      {"dropout", lora.dropout},
      {"micro_batch", state.micro_batch.size},
      {"micro_batch_tried", TriedJson(state.micro_batch)},
      {"tokens", TokensOf(state)},
      {"tokens_per_second", seconds > 0 ? TokensOf(state) / seconds : 0},
      {"test_perplexity", std::exp(state.history.back().test_loss)},
      {"epoch_test_perplexity", std::move(perplexities)},
      {"training_flops", flops},
      {"measured_peak_flops_per_s", peak},
      {"flop_utilisation_percent", seconds > 0 ? 100 * flops / seconds / peak : 0}};
  if (options.tokens.empty())
    fields["tokenizer_rules"] = NameOf(kTokenizerRules, options.tokenizer_rules);
  if (setup.teacher)
    fields.update(ordered_json{{"teacher", NameOf(options.distillation.teacher)},
                               {"temperature", options.distillation.temperature},
                               {"distillation_mix", options.distillation.mix}});
  return fields;
}

Result<std::string> Finish(const LoraOptions& options, const Setup& setup, const LoraTask& task,
                           const TrainingState& state) {
  EBB_RETURN_IF_ERROR(SaveAdapter(options.adapter_dir, task.adapter(), options.base));
  const platform::Path run_dir = options.run_dir;
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
      run_dir / "metrics.json", MetricsOf(options, task, state).dump(2) + "\n"));
  RunDescription run = DescriptionOf(options);
  run.model = NameOf(options.base);
  run.dataset = platform::Path(DataPath(options)).filename().string();
  run.model_path = options.adapter_dir;
  const RunFacts facts{.train_samples = static_cast<std::int64_t>(setup.data->training.examples()),
                       .test_samples = static_cast<std::int64_t>(setup.data->validation.examples()),
                       .device = setup.device.is_cuda() ? "cuda" : "cpu",
                       .device_name = DeviceName(setup.device),
                       .threads = setup.threads,
                       .parameters_sha256 = AdapterSha256(task.adapter()),
                       .torch_version = TORCH_VERSION,
                       .precision_notice = setup.precision_notice,
                       .notices = setup.data->counts.Warnings(),
                       .more = LanguageFields(options, setup, task, state)};
  const platform::Path result = run_dir / "train_result.json";
  EBB_RETURN_IF_ERROR(WriteRunResult(result, run, state, facts));
  return "result in " + result.string() + ", adapter in " + options.adapter_dir;
}

BatchPlan PlanOf(const LoraOptions& options, std::size_t samples) {
  return {samples, static_cast<std::size_t>(options.batch_size),
          static_cast<std::size_t>(options.accumulation)};
}

std::int64_t UpdatesOf(const LoraOptions& options, std::size_t samples) {
  return static_cast<std::int64_t>(PlanOf(options, samples).updates_per_epoch()) * options.epochs;
}

// Adds the files of a model that shape a training.
Status AddModel(InputContent& inputs, const LoraOptions& options, const std::string& folder,
                bool with_weights) {
  for (const char* name : kModelFiles) {
    const platform::Path file = platform::Path(folder) / name;
    if (platform::Exists(file)) EBB_RETURN_IF_ERROR(AddInput(inputs, file, DigestOf::kWhole));
  }
  if (!with_weights) return {};
  EBB_ASSIGN_OR_RETURN(const auto shards, WeightFiles::NamesIn(folder));
  for (const platform::Path& file : shards)
    EBB_RETURN_IF_ERROR(
        AddInput(inputs, file, options.verify ? DigestOf::kBoth : DigestOf::kSamples));
  return {};
}

Status AddAdapter(InputContent& inputs, const std::string& folder) {
  if (folder.empty()) return {};
  for (const char* name : kAdapterFiles)
    EBB_RETURN_IF_ERROR(AddInput(inputs, platform::Path(folder) / name, DigestOf::kWhole));
  return {};
}

Result<InputContent> InputsOf(const LoraOptions& options) {
  InputContent inputs;
  EBB_RETURN_IF_ERROR(AddModel(inputs, options, options.base, !options.random_weights));
  if (!options.distillation.teacher.empty())
    EBB_RETURN_IF_ERROR(AddModel(inputs, options, options.distillation.teacher, true));
  EBB_RETURN_IF_ERROR(AddAdapter(inputs, options.start_adapter));
  EBB_RETURN_IF_ERROR(AddAdapter(inputs, options.teacher_adapter));
  if (!options.tokens.empty())
    EBB_RETURN_IF_ERROR(AddInput(inputs, options.tokens, DigestOf::kWhole));
  else
    for (const platform::Path& file : options.data.files)
      EBB_RETURN_IF_ERROR(AddInput(inputs, file, DigestOf::kWhole));
  return inputs;
}

LoopSettings LoopFor(const LoraOptions& options, std::size_t samples, InputContent inputs,
                     Ranks& ranks) {
  LoopSettings loop = LoopOf(options, {Fingerprint(options), std::move(inputs)}, ranks);
  loop.learning_rate.warm_up_steps = static_cast<std::int64_t>(
      std::ceil(options.warm_up * static_cast<double>(UpdatesOf(options, samples))));
  return loop;
}

Result<Adapter> FirstAdapter(const LoraOptions& options, const Decoder& decoder) {
  if (options.start_adapter.empty()) return MakeAdapter(decoder, options.lora, options.seed);
  EBB_ASSIGN_OR_RETURN(Adapter adapter, LoadAdapter(options.start_adapter, decoder));
  adapter.settings.dropout = options.lora.dropout;
  adapter.trained_on = decoder.base_weights;
  return adapter;
}

// Fills in how the updates are cut. Several ranks all use the same size, so none of them tries
// sizes for itself.
void ChooseMicroBatch(const LoraOptions& options, const Setup& setup, bool alone,
                      LoraTaskSettings& settings) {
  const std::size_t samples = setup.data->training.rows();
  const BatchPlan plan = PlanOf(options, samples);
  const std::int64_t wanted =
      options.micro_batch.value_or(setup.device.is_cuda() ? kFindMicroBatch : options.batch_size);
  const bool search = wanted == kFindMicroBatch;
  settings.micro_batch = std::min(search ? plan.micro_batch : static_cast<std::size_t>(wanted),
                                  plan.effective_batch());
  if (search && alone) {
    settings.update_samples = std::min(samples, plan.effective_batch());
    settings.search_updates = SearchUpdates(UpdatesOf(options, samples));
  } else if (options.micro_batch == kFindMicroBatch && setup.place.rank == 0) {
    std::fprintf(stderr,
                 "ebb-train: --micro-batch auto is for a single process; several ranks use "
                 "micro-batches of %zu sequences (--batch-size)\n",
                 settings.micro_batch);
  }
}

Result<Outcome> TrainUnguarded(const LoraOptions& options) {
  EBB_ASSIGN_OR_RETURN(Setup setup, Prepare(options));
  EBB_RETURN_IF_ERROR(RequireFolders(options));
  EBB_ASSIGN_OR_RETURN(InputContent inputs, InputsOf(options));
  EBB_ASSIGN_OR_RETURN(
      Ranks ranks, Ranks::Join(setup.place, options.rank_share.weight, std::move(setup.devices)));
  TellData(options, setup);
  if (options.attention == AttentionChoice::kLibrary && !HasLibraryAttention())
    return Fail({ExitCode::kUnavailable,
                 "--attention library needs LibTorch 2.5 or newer; this is " TORCH_VERSION, "",
                 "leave the flag out, or say --attention blocks"});
  setup.precision_notice = PrecisionNotice(options.precision, setup.device);
  const TensorMemoryScope memory(setup.device.type());
  EBB_ASSIGN_OR_RETURN(Adapter adapter, FirstAdapter(options, setup.decoder));
  LoraTaskSettings settings{.memory = &memory,
                            .seed = options.seed,
                            .clip_norm = options.clip_norm,
                            .recompute = options.recompute,
                            .paths = PathsFor(options.kernels, options.attention, setup.device),
                            .teacher = setup.teacher ? &*setup.teacher : nullptr,
                            .optimizer = {.weight_decay = options.weight_decay}};
  ChooseMicroBatch(options, setup, ranks.alone(), settings);
  LoraTask task(setup.decoder, *setup.data, std::move(adapter), settings,
                [&](const LoraTask& done, const TrainingState& state) {
                  return Finish(options, setup, done, state);
                });
  return RunTraining(task, LoopFor(options, task.samples(), std::move(inputs), ranks), memory);
}

}  // namespace

Status CheckLora(const LoraOptions& options) {
  const auto ready = WithLibraryErrors([&] { return Prepare(options); });
  if (!ready) return Fail(ready.error());
  TellData(options, *ready);
  return {};
}

Result<Outcome> TrainLora(const LoraOptions& options) {
  return WithLibraryErrors([&] { return TrainUnguarded(options); });
}

}  // namespace ebb::train
