#include "train/language/model/model_config.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "base/json_node.h"
#include "base/text.h"
#include "train/language/model/known_keys.h"

namespace ebb::train {
namespace {

constexpr double kLargestSize = 1 << 24;  // largest vocabulary, width, number of layers
constexpr double kLargestCount = 9e15;    // token ids, positions

constexpr const char* kFullAttention = "full_attention";
constexpr const char* kSlidingAttention = "sliding_attention";

// Keys of config.json. The first lines are read here or in ReadFamily and ReadSizes; the rest
// changes no number of a forward or backward pass of these families in transformers 4.57 and 5.
constexpr std::string_view kKnownKeys[] = {
    "model_type", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
    "num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings",
    "rms_norm_eps", "tie_word_embeddings", "attention_bias", "mlp_bias", "eos_token_id",
    "rope_theta", "rope_scaling", "rope_parameters", "original_max_position_embeddings",
    "partial_rotary_factor", "hidden_act", "use_sliding_window", "layer_types", "is_causal",
    "attention_dropout", "quantization_config", "sliding_window", "max_window_layers",
    "hidden_activation", "query_pre_attn_scalar", "rope_local_base_freq", "sliding_window_pattern",
    // how the model is run or was made
    "architectures", "auto_map", "torch_dtype", "dtype", "transformers_version", "use_cache",
    "initializer_range", "pretraining_tp", "_name_or_path", "name_or_path", "_commit_hash",
    "cache_implementation", "_sliding_window_pattern", "attn_implementation",
    "_attn_implementation", "_attn_implementation_autoset", "_flash_attn_2_enabled",
    "gradient_checkpointing", "torchscript", "use_bfloat16", "tokenizer_class", "model_max_length",
    "max_sequence_length", "unsloth_fixed", "unsloth_version", "transformers.js_config",
    "is_decoder", "return_dict", "output_hidden_states", "output_attentions", "id2label",
    "label2id", "num_labels", "problem_type", "finetuning_task", "task_specific_params",
    // tokens, and the start of generation
    "bos_token_id", "pad_token_id", "sep_token_id", "decoder_start_token_id", "prefix",
    "temperature", "top_p", "top_k", "typical_p", "do_sample", "num_beams", "num_beam_groups",
    "num_return_sequences", "max_length", "min_length", "max_new_tokens", "repetition_penalty",
    "length_penalty", "diversity_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size",
    "early_stopping"};

// Keys of rope_scaling and rope_parameters.
constexpr std::string_view kRotaryKeys[] = {"rope_type",       "type",
                                            "rope_theta",      "partial_rotary_factor",
                                            "factor",          "original_max_position_embeddings",
                                            "low_freq_factor", "high_freq_factor",
                                            "beta_fast",       "beta_slow",
                                            "truncate",        "attention_factor",
                                            "mscale",          "mscale_all_dim"};

// Reads members of one object and keeps the first error.
class Reader {
 public:
  Reader(const JsonNode& object, std::string name) : object_(object), name_(std::move(name)) {}

  const JsonNode* Find(const char* key) const {
    const JsonNode* found = object_.Find(key);
    return found != nullptr && found->is_null() ? nullptr : found;
  }

  bool Has(const char* key) const { return object_.Find(key) != nullptr; }

  double Number(const char* key, std::optional<double> otherwise = std::nullopt) {
    const JsonNode* found = Find(key);
    if (found == nullptr && otherwise) return *otherwise;
    const auto value = found == nullptr ? std::nullopt : found->AsNumber();
    if (!value || !std::isfinite(*value)) Mistake(std::string(key) + " is missing or not a number");
    return value.value_or(1);
  }

  double Positive(const char* key, std::optional<double> otherwise = std::nullopt) {
    const double value = Number(key, otherwise);
    if (!(value > 0)) Mistake(std::string(key) + " is not above 0");
    return value;
  }

  std::int64_t Size(const char* key, std::optional<double> otherwise = std::nullopt) {
    const double value = Number(key, otherwise);
    if (!(value >= 1) || value > kLargestSize || value != std::floor(value)) {
      Mistake(std::string(key) + " is not a whole number from 1 to " + FormatExact(kLargestSize));
      return 1;
    }
    return static_cast<std::int64_t>(value);
  }

  bool Flag(const char* key, bool otherwise) {
    const JsonNode* found = Find(key);
    if (found == nullptr) return otherwise;
    if (found->type != JsonNode::Type::kBool) Mistake(std::string(key) + " is not true or false");
    return found->boolean;
  }

  std::optional<double> Optional(const char* key) {
    if (Find(key) == nullptr) return std::nullopt;
    return Number(key);
  }

  // Members outside the list have an unknown meaning, so their values must be empty.
  void RefuseOthers(std::span<const std::string_view> known, const std::string& what) {
    for (const JsonMember& member : object_.members)
      if (std::ranges::find(known, member.name) == known.end() && !SaysNothing(member.value))
        Mistake("the " + what + " " + Quoted(member.name) + " is not known",
                "if it does not change the model's numbers, remove it from config.json");
  }

  void Mistake(std::string what, std::string next = "") {
    if (!mistake_)
      mistake_ = Error{ExitCode::kConfiguration, std::move(what), name_, std::move(next)};
  }
  const std::optional<Error>& mistake() const { return mistake_; }

 private:
  const JsonNode& object_;
  std::string name_;
  std::optional<Error> mistake_;
};

// The defaults of a family for keys that a file does not mention (transformers 5.24, its
// configuration classes), and the keys that it reads.
struct Family {
  std::string_view name;
  double key_value_heads = 0;  ///< 0: as many as heads
  double head_size = 0;        ///< 0: width / heads
  double positions = 0;
  bool reads_attention_bias = false, reads_mlp_bias = false;
  /// Layers that use sliding_window: none; those from max_window_layers on if use_sliding_window is
  /// true; or all layers if sliding_window is not null.
  enum class Window { kNever, kIfAsked, kByItself } window = Window::kNever;
  bool reads_layer_types = false;  ///< if false, they must agree with the other keys
  bool is_gemma = false;           ///< Gemma 3 has keys and numbers of its own
};

// Keys that only Gemma 3 reads.
constexpr const char* kGemmaKeys[] = {"hidden_activation", "query_pre_attn_scalar",
                                      "rope_local_base_freq", "sliding_window_pattern"};

constexpr Family kFamilies[] = {
    {.name = "qwen2",
     .key_value_heads = 32,
     .positions = 32768,
     .window = Family::Window::kIfAsked,
     .reads_layer_types = true},
    {.name = "qwen3",
     .key_value_heads = 32,
     .head_size = 128,
     .positions = 32768,
     .reads_attention_bias = true,
     .window = Family::Window::kIfAsked,
     .reads_layer_types = true},
    {.name = "llama", .positions = 2048, .reads_attention_bias = true, .reads_mlp_bias = true},
    {.name = "mistral",
     .key_value_heads = 8,
     .positions = 131072,
     .window = Family::Window::kByItself},
    {.name = "ministral",
     .key_value_heads = 8,
     .positions = 131072,
     .window = Family::Window::kByItself,
     .reads_layer_types = true},
    {.name = "gemma3_text",
     .key_value_heads = 4,
     .head_size = 256,
     .positions = 131072,
     .reads_attention_bias = true,
     .window = Family::Window::kByItself,
     .reads_layer_types = true,
     .is_gemma = true},
};

const Family* FamilyNamed(std::string_view name) {
  const auto* found = std::ranges::find(kFamilies, name, &Family::name);
  return found == std::end(kFamilies) ? nullptr : found;
}

void ReadFamily(Reader& reader, const Family& family, ModelConfig& config) {
  config.query_key_value_bias = config.model_type == "qwen2";
  config.query_key_norm = config.model_type == "qwen3";
  const bool attention_bias = reader.Flag("attention_bias", false),
             mlp_bias = reader.Flag("mlp_bias", false);
  if (family.reads_attention_bias)
    config.query_key_value_bias = config.output_bias = attention_bias;
  config.mlp_bias = family.reads_mlp_bias && mlp_bias;
  if (!family.is_gemma) return;
  config.query_key_norm = config.output_norms = true;
  config.norms_around_one = config.scaled_embeddings = true;
  config.query_scalar = reader.Positive("query_pre_attn_scalar", 256);
  config.activation = Activation::kGeluTanh;
}

// Refuses an activation other than the family's, under the family's key.
void RefuseOtherActivation(Reader& reader, const Family& family, const JsonNode& root) {
  const std::string only = family.is_gemma ? "gelu_pytorch_tanh" : "silu";
  for (const char* key : {"hidden_act", "hidden_activation"}) {
    const std::string activation = root.TextOf(key);
    if (!activation.empty() && activation != only)
      reader.Mistake(std::string(key) + " " + Quoted(activation) + " is not supported",
                     "supported is " + only);
  }
}

void ReadSizes(Reader& reader, const Family& family, ModelConfig& config) {
  config.vocabulary = reader.Size("vocab_size");
  config.hidden = reader.Size("hidden_size");
  config.intermediate = reader.Size("intermediate_size");
  config.layers = reader.Size("num_hidden_layers");
  config.heads = reader.Size("num_attention_heads");
  // null also means as many as heads.
  const bool as_many = family.key_value_heads == 0 || reader.Has("num_key_value_heads");
  config.key_value_heads = reader.Size(
      "num_key_value_heads", as_many ? static_cast<double>(config.heads) : family.key_value_heads);
  const double usual =
      std::floor(static_cast<double>(config.hidden) / static_cast<double>(config.heads));
  config.head_size = reader.Size("head_dim", family.head_size > 0 ? family.head_size : usual);
  config.positions = reader.Size("max_position_embeddings", family.positions);
  config.norm_epsilon = reader.Positive("rms_norm_eps", 1e-6);
  config.tied_embeddings = reader.Flag("tie_word_embeddings", family.is_gemma);
  if (config.heads % config.key_value_heads != 0)
    reader.Mistake("num_key_value_heads does not divide num_attention_heads");
  if (config.head_size % 2 != 0) reader.Mistake("head_dim is odd, but rotary positions need pairs");
}

void RefusePartialRotation(Reader& reader) {
  if (reader.Number("partial_rotary_factor", 1) != 1)
    reader.Mistake(
        "rotary positions on a part of each head (partial_rotary_factor) are not supported");
}

std::optional<RotaryScalingKind> KindFromName(const std::string& name) {
  if (name.empty() || name == "default") return RotaryScalingKind::kNone;
  if (name == "linear") return RotaryScalingKind::kLinear;
  if (name == "dynamic") return RotaryScalingKind::kDynamic;
  if (name == "llama3") return RotaryScalingKind::kLlama3;
  if (name == "yarn") return RotaryScalingKind::kYarn;
  return std::nullopt;
}

RotaryScaling ReadScaling(Reader& reader, const std::string& kind_name, double positions) {
  RotaryScaling scaling;
  const auto kind = KindFromName(kind_name);
  if (!kind)
    reader.Mistake("rotary scaling \"" + kind_name + "\" is not supported",
                   "supported are default, linear, dynamic, llama3 and yarn");
  scaling.kind = kind.value_or(RotaryScalingKind::kNone);
  if (scaling.kind == RotaryScalingKind::kNone) return scaling;
  scaling.factor = reader.Positive("factor");
  scaling.original_positions = reader.Positive("original_max_position_embeddings", positions);
  scaling.low_frequency_factor = reader.Positive("low_freq_factor", 1);
  scaling.high_frequency_factor = reader.Positive("high_freq_factor", 4);
  scaling.beta_fast = reader.Positive("beta_fast", 32);
  scaling.beta_slow = reader.Positive("beta_slow", 1);
  scaling.truncate = reader.Flag("truncate", true);
  scaling.attention_factor = reader.Optional("attention_factor");
  scaling.mscale = reader.Optional("mscale");
  scaling.mscale_all_dim = reader.Optional("mscale_all_dim");
  return scaling;
}

// Finds the object with the rotary parameters as transformers 5 does: rope_scaling, unless it is
// empty, wins over rope_parameters. Parameters by type of layer count for the one type there is.
const JsonNode* RotaryParameters(Reader& reader, bool has_windows) {
  const JsonNode* scaling = reader.Find("rope_scaling");
  const JsonNode* found =
      scaling != nullptr && !scaling->members.empty() ? scaling : reader.Find("rope_parameters");
  if (found == nullptr || has_windows || reader.Find("layer_types") == nullptr) return found;
  const JsonNode* of_type = found->Find(kFullAttention);
  return of_type != nullptr ? of_type : found;
}

// Finds the parameters of Gemma 3: rope_parameters by type of layer, or rope_scaling for the layers
// without a window.
Result<const JsonNode*> RotaryParametersOfGemma(Reader& reader, const std::string& name,
                                                ModelConfig& config) {
  config.window_rotary_base = reader.Positive("rope_local_base_freq", 10000);
  const JsonNode* scaling = reader.Find("rope_scaling");
  const JsonNode* by_type = reader.Find("rope_parameters");
  if (by_type == nullptr || by_type->members.empty()) return scaling;
  if (scaling != nullptr)
    reader.Mistake("rope_scaling and rope_parameters are both there", "keep one of them");
  Reader types(*by_type, name);
  constexpr std::string_view kTypes[] = {kFullAttention, kSlidingAttention};
  types.RefuseOthers(kTypes, "type of layer in rope_parameters");
  if (const JsonNode* sliding = types.Find(kSlidingAttention); sliding != nullptr) {
    Reader inner(*sliding, name);
    inner.RefuseOthers(kRotaryKeys, "rotary parameter");
    const std::string type = sliding->TextOf(sliding->Find("rope_type") ? "rope_type" : "type");
    if (!type.empty() && type != "default")
      inner.Mistake("the rope_type " + Quoted(type) + " of layers with a window is not supported");
    RefusePartialRotation(inner);
    config.window_rotary_base = inner.Positive("rope_theta", *config.window_rotary_base);
    if (inner.mistake()) return Fail(*inner.mistake());
  }
  if (types.mistake()) return Fail(*types.mistake());
  return types.Find(kFullAttention);
}

// transformers 5 writes rope_parameters; earlier versions write rope_theta and rope_scaling.
Status ReadRotary(Reader& reader, const Family& family, const std::string& name,
                  ModelConfig& config) {
  config.rotary_base = reader.Positive("rope_theta", family.is_gemma ? 1e6 : 10000);
  const JsonNode* parameters = nullptr;
  if (family.is_gemma) {
    EBB_ASSIGN_OR_RETURN(parameters, RotaryParametersOfGemma(reader, name, config));
  } else {
    parameters = RotaryParameters(reader, config.window > 0);
  }
  if (parameters == nullptr) return {};
  Reader inner(*parameters, name);
  inner.RefuseOthers(kRotaryKeys, "rotary parameter");
  const double inner_base = inner.Positive("rope_theta", config.rotary_base);
  if (parameters == reader.Find("rope_scaling") && inner_base != config.rotary_base)
    inner.Mistake(
        "rope_scaling has another rope_theta than the model: transformers 4 passes over it, "
        "transformers 5 uses it",
        "keep the one that the model was trained with");
  config.rotary_base = inner_base;
  RefusePartialRotation(inner);
  const std::string type = parameters->TextOf("rope_type");
  config.rotary_scaling = ReadScaling(inner, type.empty() ? parameters->TextOf("type") : type,
                                      static_cast<double>(config.positions));
  const RotaryScalingKind kind = config.rotary_scaling.kind;
  const auto beside = reader.Optional("original_max_position_embeddings");
  if (beside && *beside != config.rotary_scaling.original_positions &&
      (kind == RotaryScalingKind::kYarn || kind == RotaryScalingKind::kLlama3))
    reader.Mistake(
        "original_max_position_embeddings beside the rotary scaling is another than in it: "
        "transformers 4 passes over it, transformers 5 uses it",
        "keep the one that the model was trained with");
  if (inner.mistake()) return Fail(*inner.mistake());
  return {};
}

std::vector<std::int64_t> ReadEndTokens(Reader& reader) {
  std::vector<std::int64_t> tokens;
  const JsonNode* ends = reader.Find("eos_token_id");
  if (ends == nullptr) return tokens;
  const std::vector<JsonNode> one = {*ends};
  for (const JsonNode& end : ends->is_list() ? ends->items : one) {
    const auto id = end.AsNumber();
    if (!id || *id < 0 || *id > kLargestCount || *id != std::floor(*id)) {
      reader.Mistake("eos_token_id is not a token's number");
      return tokens;
    }
    tokens.push_back(static_cast<std::int64_t>(*id));
  }
  return tokens;
}

// The number of tokens that a layer with a window sees; nothing if no layer has a window.
std::optional<std::int64_t> WindowTokens(Reader& reader, const Family& family) {
  constexpr double kWindowOfFamilies = 4096;
  const bool used =
      family.window == Family::Window::kByItself ||
      (family.window == Family::Window::kIfAsked && reader.Flag("use_sliding_window", false));
  const bool is_null = reader.Has("sliding_window") && reader.Find("sliding_window") == nullptr;
  if (!used || is_null) return std::nullopt;
  return reader.Size("sliding_window", kWindowOfFamilies);
}

// The layers that have a window if layer_types is not given: every layer of most families, later
// ones of Qwen, all but each sixth of Gemma 3.
std::vector<bool> WindowsByNumber(Reader& reader, const Family& family, std::int64_t layers) {
  const bool every = family.window == Family::Window::kByItself;
  const double first = every ? 0 : reader.Number("max_window_layers", 28);
  const auto pattern = static_cast<std::size_t>(
      family.is_gemma ? reader.Size("sliding_window_pattern", 6) : layers + 1);
  std::vector<bool> has_window(static_cast<std::size_t>(layers));
  for (std::size_t i = 0; i < has_window.size(); ++i)
    has_window[i] = static_cast<double>(i) >= first && (i + 1) % pattern != 0;
  return has_window;
}

std::optional<std::vector<bool>> WindowsByType(const JsonNode& types, std::int64_t layers) {
  std::vector<bool> has_window;
  for (const JsonNode& type : types.items) {
    const bool slides = type.AsText() == kSlidingAttention;
    if (!slides && type.AsText() != kFullAttention) return std::nullopt;
    has_window.push_back(slides);
  }
  if (static_cast<std::int64_t>(has_window.size()) != layers) return std::nullopt;
  return has_window;
}

void ReadWindows(Reader& reader, const Family& family, ModelConfig& config) {
  const auto tokens = WindowTokens(reader, family);
  std::vector<bool> has_window(static_cast<std::size_t>(config.layers), false);
  if (tokens) has_window = WindowsByNumber(reader, family, config.layers);
  if (const JsonNode* types = reader.Find("layer_types"); types != nullptr) {
    const auto by_type = WindowsByType(*types, config.layers);
    if (!by_type || (!family.reads_layer_types && *by_type != has_window))
      return reader.Mistake("these layer_types are not supported",
                            "supported are full_attention and, with sliding_window, "
                            "sliding_attention, one for each layer");
    has_window = *by_type;
  }
  if (std::ranges::find(has_window, true) == has_window.end()) return;
  if (!tokens)
    return reader.Mistake("layer_types has sliding_attention, but sliding_window is not used");
  config.window = *tokens;
  config.has_window = std::move(has_window);
}

void RefuseWhatChangesNumbers(Reader& reader, const Family& family, const JsonNode& root) {
  reader.RefuseOthers(kKnownKeys, "key");
  for (const char* key : kGemmaKeys)
    if (!family.is_gemma && reader.Find(key) != nullptr)
      reader.Mistake("the key " + Quoted(key) + " is not known for this model type",
                     "if it does not change the model's numbers, remove it from config.json");
  RefuseOtherActivation(reader, family, root);
  RefusePartialRotation(reader);
  if (!reader.Flag("is_causal", true))
    reader.Mistake("attention that looks ahead (is_causal: false) is not supported");
  if (reader.Number("attention_dropout", 0) != 0)
    reader.Mistake("attention_dropout is not supported", "set it to 0 in config.json");
  if (reader.Find("quantization_config") != nullptr)
    reader.Mistake("quantised weights (quantization_config) are not supported",
                   "use the model's bf16, fp16 or fp32 weights");
}

}  // namespace

Result<std::vector<std::int64_t>> ParseGenerationEnds(std::string_view text,
                                                      const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, name));
  Reader reader(root, name);
  std::vector<std::int64_t> ends = ReadEndTokens(reader);
  if (reader.mistake()) return Fail(*reader.mistake());
  return ends;
}

Result<ModelConfig> ParseModelConfig(std::string_view text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, name));
  if (!root.is_object()) return Fail({ExitCode::kConfiguration, "is not a JSON object", name, ""});
  Reader reader(root, name);
  ModelConfig config;
  config.model_type = root.TextOf("model_type");
  const Family* family = FamilyNamed(config.model_type);
  if (family == nullptr)
    return Fail({ExitCode::kConfiguration,
                 "the model type \"" + config.model_type + "\" is not supported", name,
                 "supported are qwen2 (Qwen2, Qwen2.5), qwen3, llama, mistral, ministral and "
                 "gemma3_text"});
  ReadFamily(reader, *family, config);
  ReadSizes(reader, *family, config);
  config.end_tokens = ReadEndTokens(reader);
  ReadWindows(reader, *family, config);
  RefuseWhatChangesNumbers(reader, *family, root);
  if (reader.mistake()) return Fail(*reader.mistake());
  EBB_RETURN_IF_ERROR(ReadRotary(reader, *family, name, config));
  if (reader.mistake()) return Fail(*reader.mistake());
  return config;
}

}  // namespace ebb::train
