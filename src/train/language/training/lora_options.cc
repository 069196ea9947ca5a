#include "train/language/training/lora_options.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "platform/file.h"
#include "train/language/generation/tokenizer_flag.h"
#include "train/language/model/projection.h"
#include "train/learning/training_state.h"
#include "train/options/flags.h"
#include "train/options/options.h"

namespace ebb::train {
namespace {

constexpr std::int64_t kLargestMicroBatch = 65536;

constexpr const char* kExamples = R"(
Examples:
  ebb-train lora --base models/qwen --data helpsteer2/train.jsonl.gz --preset helpsteer2
  ebb-train lora --base models/qwen --data chat.csv --pattern "Q: {question}\nA: {answer}" --loss-on answer --pack
  ebb-train lora --base models/qwen --tokens tokens.jsonl --rank 32 --alpha 128 --dropout 0.05
  ebb-train lora --base models/qwen --tokens tokens.jsonl --run-dir runs/a --resume
  ebb-train lora --base models/qwen-0.5b --data chat.csv --teacher models/qwen-7b --teacher-adapter runs/a/adapter

Exit codes: 0 done, 2 usage, 3 configuration or data, 4 unavailable, 75 paused with a checkpoint (SIGTERM, SIGINT).
)";

// The text of the choices, before their names are looked up.
struct Choices : RunChoices {
  Choices() {
    precision = "bf16";
    schedule = "cosine";
  }
  std::vector<std::string> files;
  std::string preset = "prompt-response";
  std::string pattern;
  std::vector<std::string> filters;
  std::optional<std::size_t> first_records;
  std::string loss_on;
  std::optional<bool> pad_to_max;
  std::optional<AppendEnd> append_end;
  std::string tokenizer_rules = "transformers-5";
  std::string targets = "all";
  std::string base_weights;
  std::string micro_batch;
  std::string recompute = "nothing";
  bool recomputes_layers = false;
  std::string kernels = "auto";
  std::string attention = "auto";
};

const Names<ScheduleKind> kSchedules = {{"constant", ScheduleKind::kConstant},
                                        {"cosine", ScheduleKind::kCosine}};

void AddDataFlags(CLI::App& app, LoraOptions& options, Choices& choices) {
  const char* group = "Model and data";
  app.add_option("--base", options.base,
                 "folder of the model: config.json and *.safetensors of Qwen2, Qwen3, Llama, "
                 "Mistral or Gemma 3")
      ->required()
      ->group(group);
  app.add_flag(
         "--random-weights", options.random_weights,
         "draw the model's weights instead of reading them: a trial that needs config.json only")
      ->group(group);
  app.add_option("--data", choices.files, "files of texts: JSON lines or CSV, plain or gzip")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  app.add_option("--preset", choices.preset,
                 "helpsteer2 (the published recipe) | prompt-response | text | chat | "
                 "chat-prompt-response; "
                 "the flags below change it")
      ->capture_default_str()
      ->group(group);
  app.add_option("--pattern", choices.pattern, "the text, with names of fields in braces")
      ->group(group);
  app.add_option("--filter", choices.filters, "take a record only if, e.g., \"helpfulness>=3\"")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  app.add_option("--first-records", choices.first_records, "read only so many, before the filters")
      ->check(Between(kCount))
      ->group(group);
  app.add_option("--loss-on", choices.loss_on,
                 "text | answer (the last field of the pattern) | everything (padding too)")
      ->group(group);
  app.add_flag_function(
         "--pad-to-max,!--no-pad-to-max",
         [&choices](std::int64_t said) { choices.pad_to_max = said > 0; },
         "every row has --max-length tokens, not those of the longest in its micro-batch")
      ->group(group);
  app.add_flag_function(
         "--append-end,!--no-append-end",
         [&choices](std::int64_t said) {
           choices.append_end = said > 0 ? AppendEnd::kYes : AppendEnd::kNo;
         },
         "the end-of-text token behind each text, so that the model learns to stop (default: on "
         "with "
         "prompt-response)")
      ->group(group);
  app.add_option(
         "--ignore-fields", options.data.ignored_fields,
         "of a chat's record: fields that do not change what is learned; * for all that are "
         "not known")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  app.add_flag("--skip-bad-records", options.data.skip_bad_records,
               "leave out records that cannot be read, and count them")
      ->group(group);
  app.add_flag("--pack", options.data.packed, "several texts in a row of --max-length tokens")
      ->group(group);
  app.add_option(kTokenizerRulesFlag, choices.tokenizer_rules, kTokenizerRulesHelp)
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--tokens", options.tokens,
         "instead of texts: JSON lines with input_ids, and loss_mask if some are not learned")
      ->group(group);
  app.add_option("--max-length", options.data.max_tokens, "longer texts are cut to so many tokens")
      ->check(Between({2, 1e7}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--validation-share", options.data.validation_share,
                 "share of the texts that is kept for validation")
      ->check(Between({0, 0.9}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--data-seed", options.data.split_seed, "which texts are for validation")
      ->check(Between(kSeed))
      ->capture_default_str()
      ->group(group);
}

void AddAdapterFlags(CLI::App& app, LoraOptions& options, Choices& choices) {
  const char* group = "Adapter";
  app.add_option("--rank", options.lora.rank, "of the two matrices that learn")
      ->check(Between({1, 65536}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--alpha", options.lora.alpha, "the adapter counts alpha / rank times")
      ->check(Between({1e-9, 1e9}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--dropout", options.lora.dropout, "of the adapter's input")
      ->check(Between({0, 0.95}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--targets", choices.targets,
                 "all, or some of q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj")
      ->capture_default_str()
      ->group(group);
  app.add_option("--start-adapter", options.start_adapter,
                 "go on from this adapter in PEFT's format: rank, alpha and targets are its own")
      ->group(group);
  app.add_flag("--rslora", options.lora.rank_stabilised, "alpha / sqrt(rank) instead")
      ->group(group);
  app.add_flag("--dora", options.lora.decomposed, "magnitude and direction apart (DoRA)")
      ->group(group);
}

void AddTeacherAndAdapterFlags(CLI::App& app, LoraOptions& options) {
  CLI::Option* teacher = AddTeacherFlags(
      app, options.distillation,
      {"folder of a model with the same tokens, whose probabilities are learned, too", "texts"});
  app.add_option("--teacher-adapter", options.teacher_adapter, "folder of an adapter for it")
      ->needs(teacher)
      ->group(teacher->get_group());
}

void AddTrainingFlags(CLI::App& app, LoraOptions& options, Choices& choices) {
  const char* group = "Training";
  const auto number = [&](const char* name, auto& value, Range range, const char* help) {
    app.add_option(name, value, help)->check(Between(range))->capture_default_str()->group(group);
  };
  number("--batch-size", options.batch_size, {1, 65536},
         "sequences per micro-batch, unless --micro-batch says otherwise");
  number("--accumulation", options.accumulation, {1, 65536},
         "effective batch = batch size x accumulation: the sequences of an update");
  number("--epochs", options.epochs, {1, 1e6}, "passes over the training data");
  number("--learning-rate", options.learning_rate.initial, {1e-12, 1e3}, "of AdamW, its highest");
  number("--warm-up", options.warm_up, {0, 1}, "share of the updates in which it rises from 0");
  number("--lr-floor", options.learning_rate.floor, {0, 1}, "cosine: share that it falls to");
  number("--weight-decay", options.weight_decay, {0, 100}, "decoupled, as AdamW has it");
  number("--clip-norm", options.clip_norm, {0, 1e9},
         "largest norm of an update's gradient; 0: any");
  number("--threads", options.threads, {0, 4096}, "CPU threads; 0: one per available core");
  number("--seed", options.seed, kSeed, "of the adapter's beginning, order and dropout");
  app.add_option("--lr-schedule", choices.schedule, "cosine | constant")
      ->capture_default_str()
      ->group(group);
  app.add_option("--precision", choices.precision, "bf16 | fp32: of the arithmetic")
      ->capture_default_str()
      ->group(group);
  app.add_option("--base-weights", choices.base_weights, kBaseWeightsHelp)->group(group);
  app.add_option("--device", choices.device, "auto | cpu | cuda")
      ->capture_default_str()
      ->group(group);
  app.add_option("--micro-batch", choices.micro_batch,
                 "sequences that pass through the model at once, which memory must hold: a number, "
                 "or auto: the first updates try sizes, and the one with the most tokens per joule "
                 "(per second, if joules are unknown) stays. Default: auto on a GPU, --batch-size "
                 "on a CPU")
      ->group(group);
  app.add_option("--kernels", choices.kernels,
                 "auto | plain | fused: LibTorch's elementary operations, or fewer kernels that do "
                 "more (auto: on a GPU)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--attention", choices.attention,
                 "auto | blocks | library: in blocks of rows, or LibTorch's own (auto: on a GPU)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--recompute", choices.recompute,
                 "nothing | mlp | layers: what the backward pass computes again instead of keeping "
                 "it: less memory, more time")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--gradient-checkpointing", choices.recomputes_layers, "--recompute layers")
      ->group(group);
}

void AddAdapterPathFlag(CLI::App& app, LoraOptions& options) {
  app.add_option("--adapter-dir", options.adapter_dir,
                 "the adapter in PEFT's format; a relative path is in the run directory (default "
                 "adapter)")
      ->group("Run");
}

Status LookUpTargets(const std::string& text, std::set<Projection>& targets) {
  if (text == "all") return {};
  Names<Projection> names;
  for (std::size_t i = 0; i < kProjectionCount; ++i)
    names.emplace_back(kProjectionNames[i].name, static_cast<Projection>(i));
  targets.clear();
  for (const std::string_view part : Split(text, ',')) {
    Projection target = Projection::kQuery;
    EBB_RETURN_IF_ERROR(LookUp("--targets", names, std::string(Trim(part)), target));
    targets.insert(target);
  }
  return {};
}

const Names<LossOn> kLossOn = {
    {"text", LossOn::kText}, {"answer", LossOn::kAnswer}, {"everything", LossOn::kEverything}};

const Names<KernelsChoice> kKernels = {{"auto", KernelsChoice::kAuto},
                                       {"plain", KernelsChoice::kPlain},
                                       {"fused", KernelsChoice::kFused}};
const Names<Recompute> kRecompute = {
    {"nothing", Recompute::kNothing}, {"mlp", Recompute::kMlp}, {"layers", Recompute::kLayers}};
const Names<AttentionChoice> kAttention = {{"auto", AttentionChoice::kAuto},
                                           {"blocks", AttentionChoice::kBlocks},
                                           {"library", AttentionChoice::kLibrary}};

// The flags override the preset.
Status LookUpData(const Choices& choices, LoraOptions& options) {
  if (choices.files.empty() == options.tokens.empty())
    return UsageError("give --data or --tokens, and not both");
  auto preset = TextDataPreset(choices.preset);
  if (!preset) return UsageError(preset.error().Message());
  TextDataOptions& data = options.data;
  data.files.assign(choices.files.begin(), choices.files.end());
  data.pattern = choices.pattern.empty() ? preset->pattern : choices.pattern;
  if (choices.pattern.empty()) data.chat = preset->chat;
  data.first_records = choices.first_records ? choices.first_records : preset->first_records;
  data.pad_to_max = choices.pad_to_max.value_or(preset->pad_to_max);
  data.append_end = choices.append_end.value_or(preset->append_end);
  EBB_RETURN_IF_ERROR(LookUp(kTokenizerRulesFlag, kTokenizerRules, choices.tokenizer_rules,
                             options.tokenizer_rules));
  data.loss_on = preset->loss_on;
  if (!choices.loss_on.empty())
    EBB_RETURN_IF_ERROR(LookUp("--loss-on", kLossOn, choices.loss_on, data.loss_on));
  for (const std::string& text : choices.filters) {
    auto filter = RecordFilter::Parse(text);
    if (!filter) return UsageError("--filter: " + filter.error().Message());
    data.filters.push_back(*std::move(filter));
  }
  return {};
}

Status LookUpMicroBatch(const std::string& text, std::optional<std::int64_t>& micro_batch) {
  if (text.empty()) return {};
  if (text == "auto") {
    micro_batch = kFindMicroBatch;
    return {};
  }
  const auto number = ParseInteger(text);
  if (!number || *number < 1 || *number > kLargestMicroBatch)
    return UsageError("--micro-batch is auto or a number from 1 to " +
                      std::to_string(kLargestMicroBatch) + ", not \"" + text + "\"");
  micro_batch = *number;
  return {};
}

std::string FilesText(const std::vector<platform::Path>& files) {
  std::vector<std::string> names(files.begin(), files.end());
  return Join(names, " ");
}

std::string FiltersText(const std::vector<RecordFilter>& filters) {
  std::string text;
  for (const RecordFilter& filter : filters)
    text += filter.field + " " + std::to_string(static_cast<int>(filter.comparison)) + " " +
            FormatExact(filter.value) + ";";
  return text;
}

std::string ChatText(const ChatFields& chat) {
  return chat.messages.empty() ? "chat of " + chat.prompt + " and " + chat.response
                               : "chat of " + chat.messages;
}

std::string TargetsText(const std::set<Projection>& targets) {
  std::vector<std::string> names;
  for (const Projection target : targets) names.push_back(kProjectionNames[Index(target)].name);
  return Join(names, ",");
}

}  // namespace

Result<LoraRequest> ParseLoraOptions(std::span<const std::string> arguments,
                                     const Environment& environment) {
  LoraOptions options;
  Choices choices;
  ApplyEnvironment(options, environment);
  CLI::App app("ebb-train lora: fine-tunes a language model with a low-rank adapter (LoRA).",
               "ebb-train lora");
  SetRules(app);
  app.footer(kExamples);
  AddDataFlags(app, options, choices);
  AddAdapterFlags(app, options, choices);
  AddTeacherAndAdapterFlags(app, options);
  AddTrainingFlags(app, options, choices);
  AddRunFlags(app, options, choices, "progress.jsonl, train_result.json and metrics.json",
              "model and data");
  AddAdapterPathFlag(app, options);
  app.add_flag("--verify", options.verify,
               "know the whole content of large weights, not samples of it, so that --resume finds "
               "every change")
      ->group("Run");
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  EBB_RETURN_IF_ERROR(LookUpData(choices, options));
  EBB_RETURN_IF_ERROR(LookUpTargets(choices.targets, options.lora.targets));
  EBB_RETURN_IF_ERROR(LookUpChoices(choices, kSchedules, options));
  if (options.precision == Precision::kFp16)
    return UsageError("--precision of a language model is bf16 or fp32, not \"fp16\"");
  EBB_ASSIGN_OR_RETURN(options.base_weights,
                       ParseBaseWeights(choices.base_weights, options.precision));
  EBB_RETURN_IF_ERROR(LookUpMicroBatch(choices.micro_batch, options.micro_batch));
  EBB_RETURN_IF_ERROR(LookUp("--recompute", kRecompute, choices.recompute, options.recompute));
  if (choices.recomputes_layers) options.recompute = Recompute::kLayers;
  EBB_RETURN_IF_ERROR(LookUp("--kernels", kKernels, choices.kernels, options.kernels));
  EBB_RETURN_IF_ERROR(LookUp("--attention", kAttention, choices.attention, options.attention));
  const platform::Path run_dir = options.run_dir;
  if (options.checkpoint_dir.empty()) options.checkpoint_dir = run_dir / "checkpoints";
  options.adapter_dir = run_dir / (options.adapter_dir.empty() ? "adapter" : options.adapter_dir);
  return options;
}

nlohmann::ordered_json Fingerprint(const LoraOptions& options) {
  nlohmann::ordered_json fingerprint = {
      {"--base", options.base},
      {"--random-weights", options.random_weights},
      {"--data", FilesText(options.data.files)},
      {"--tokens", options.tokens},
      {"--pattern", options.data.chat ? ChatText(*options.data.chat) : options.data.pattern},
      {"--filter", FiltersText(options.data.filters)},
      {"--first-records", options.data.first_records.value_or(0)},
      {"--loss-on", NameOf(kLossOn, options.data.loss_on)},
      {"--pad-to-max", options.data.pad_to_max},
      {"--append-end", options.data.append_end != AppendEnd::kNo},
      {"--pack", options.data.packed},
      {"--max-length", options.data.max_tokens},
      {"--validation-share", options.data.validation_share},
      {"--data-seed", options.data.split_seed},
      {"--rank", options.lora.rank},
      {"--alpha", options.lora.alpha},
      {"--dropout", options.lora.dropout},
      {"--targets", TargetsText(options.lora.targets)},
      {"--start-adapter", options.start_adapter},
      {"--rslora", options.lora.rank_stabilised},
      {"--dora", options.lora.decomposed},
      {"--batch-size", options.batch_size},
      {"--accumulation", options.accumulation},
      {"--epochs", options.epochs},
      {"--learning-rate", options.learning_rate.initial},
      {"--lr-schedule", Name(options.learning_rate.kind)},
      {"--warm-up", options.warm_up},
      {"--lr-floor", options.learning_rate.floor},
      {"--weight-decay", options.weight_decay},
      {"--clip-norm", options.clip_norm},
      {"--precision", Name(options.precision)},
      {"--seed", options.seed}};
  if (!options.data.ignored_fields.empty())
    fingerprint["--ignore-fields"] = Join(options.data.ignored_fields, ",");
  if (options.data.skip_bad_records) fingerprint["--skip-bad-records"] = true;
  // Older checkpoints lack these flags, so defaults are left out.
  if (options.tokenizer_rules != TokenizerRules::kTransformers5)
    fingerprint[kTokenizerRulesFlag] = NameOf(kTokenizerRules, options.tokenizer_rules);
  if (options.base_weights != BaseWeights::kPlain)
    fingerprint["--base-weights"] = Name(options.base_weights);
  // A size that no flag says is in the state of the checkpoint.
  if (options.micro_batch.value_or(kFindMicroBatch) != kFindMicroBatch)
    fingerprint["--micro-batch"] = *options.micro_batch;
  if (options.kernels != KernelsChoice::kAuto)
    fingerprint["--kernels"] = NameOf(kKernels, options.kernels);
  if (options.attention != AttentionChoice::kAuto)
    fingerprint["--attention"] = NameOf(kAttention, options.attention);
  if (!options.distillation.teacher.empty()) {
    AddTo(fingerprint, options.distillation);
    fingerprint["--teacher-adapter"] = options.teacher_adapter;
  }
  return fingerprint;
}

}  // namespace ebb::train
