#pragma once
// The options of `ebb-train lora`, which fine-tunes a language model with a low-rank adapter.
// Parsing is pure.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/language/adapter/adapter_config.h"
#include "train/language/model/compute_paths.h"
#include "train/language/weights/base_weights.h"
#include "train/options/run_options.h"
#include "train/text/records/text_data.h"

namespace ebb::train {

inline constexpr std::int64_t kFindMicroBatch = 0;

struct LoraOptions : RunOptions {
  LoraOptions() {
    batch_size = 1;
    accumulation = 8;
    learning_rate = {.kind = ScheduleKind::kCosine, .initial = 1e-4};
    precision = Precision::kBf16;
    run_dir = "runs/lora";
  }

  std::string base;             ///< folder of the model
  bool random_weights = false;  ///< draw the weights instead of reading them
  BaseWeights base_weights = BaseWeights::kPlain;
  TextDataOptions data;  ///< texts; without files: tokens
  TokenizerRules tokenizer_rules = TokenizerRules::kTransformers5;
  std::string tokens;  ///< file of sequences of tokens (token_file.h); empty: data

  std::string teacher_adapter;  ///< adapter for the teacher, which is a folder; empty: none

  LoraSettings lora;
  /// Folder of an adapter to continue; its configuration counts, except the dropout.
  std::string start_adapter;
  double warm_up = 0.03;  ///< share of all updates, rounded up
  double weight_decay = 0.01;
  double clip_norm = 1;  ///< 0: none
  Recompute recompute = Recompute::kNothing;
  /// Sequences per micro-batch; kFindMicroBatch: found by trial. nullopt: found by trial on a GPU,
  /// batch_size on a CPU. An update has batch_size x accumulation sequences in any case.
  std::optional<std::int64_t> micro_batch;
  KernelsChoice kernels = KernelsChoice::kAuto;
  AttentionChoice attention = AttentionChoice::kAuto;
  std::string adapter_dir;  ///< empty: adapter; a relative path is in run_dir
};

using LoraRequest = std::variant<LoraOptions, TextToPrint>;

/// `arguments` are those after "lora".
Result<LoraRequest> ParseLoraOptions(std::span<const std::string> arguments,
                                     const Environment& environment);

/// The options that must be the same for a continuation to be the same run, by flag name.
nlohmann::ordered_json Fingerprint(const LoraOptions& options);

}  // namespace ebb::train
