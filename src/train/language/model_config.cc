#include "train/language/model_config.h"

#include <cmath>
#include <utility>

#include "base/json_node.h"
#include "base/text.h"

namespace ebb::train {
namespace {

constexpr double kLargestSize = 1 << 24;  // of a vocabulary, a width, a number of layers
constexpr double kLargestCount = 9e15;    // token ids, positions

// Reads members of one object and keeps the first mistake.
class Reader {
 public:
  Reader(const JsonNode& object, std::string name) : object_(object), name_(std::move(name)) {}

  const JsonNode* Find(const char* key) const {
    const JsonNode* found = object_.Find(key);
    return found != nullptr && found->is_null() ? nullptr : found;
  }

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

void ReadFamily(Reader& reader, ModelConfig& config) {
  if (config.model_type == "qwen2") {
    config.query_key_value_bias = true;
  } else if (config.model_type == "qwen3" || config.model_type == "llama") {
    config.query_key_value_bias = config.output_bias = reader.Flag("attention_bias", false);
    config.query_key_norm = config.model_type == "qwen3";
    if (config.model_type == "llama") config.mlp_bias = reader.Flag("mlp_bias", false);
  } else {
    reader.Mistake("the model type \"" + config.model_type + "\" is not supported",
                   "supported are qwen2 (Qwen2, Qwen2.5), qwen3 and llama");
  }
}

void ReadSizes(Reader& reader, ModelConfig& config) {
  config.vocabulary = reader.Size("vocab_size");
  config.hidden = reader.Size("hidden_size");
  config.intermediate = reader.Size("intermediate_size");
  config.layers = reader.Size("num_hidden_layers");
  config.heads = reader.Size("num_attention_heads");
  config.key_value_heads = reader.Size("num_key_value_heads", static_cast<double>(config.heads));
  // Qwen3's own default does not depend on the width.
  const double usual =
      config.model_type == "qwen3"
          ? 128.0
          : std::floor(static_cast<double>(config.hidden) / static_cast<double>(config.heads));
  config.head_size = reader.Size("head_dim", usual);
  config.positions = reader.Size("max_position_embeddings", 2048.0);
  config.norm_epsilon = reader.Positive("rms_norm_eps", 1e-6);
  config.tied_embeddings = reader.Flag("tie_word_embeddings", false);
  if (config.heads % config.key_value_heads != 0)
    reader.Mistake("num_key_value_heads does not divide num_attention_heads");
  if (config.head_size % 2 != 0) reader.Mistake("head_dim is odd, but rotary positions need pairs");
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

// transformers 5 writes rope_parameters, earlier ones rope_theta and rope_scaling.
Status ReadRotary(Reader& reader, const std::string& name, ModelConfig& config) {
  const JsonNode* parameters = reader.Find("rope_parameters");
  const JsonNode* scaling = parameters != nullptr ? parameters : reader.Find("rope_scaling");
  config.rotary_base = reader.Positive("rope_theta", 10000);
  if (scaling == nullptr) return {};
  Reader inner(*scaling, name);
  if (parameters != nullptr) config.rotary_base = inner.Positive("rope_theta", config.rotary_base);
  const std::string type = scaling->TextOf("rope_type");
  config.rotary_scaling = ReadScaling(inner, type.empty() ? scaling->TextOf("type") : type,
                                      static_cast<double>(config.positions));
  if (inner.mistake()) return Fail(*inner.mistake());
  return {};
}

void ReadEndTokens(Reader& reader, ModelConfig& config) {
  const JsonNode* ends = reader.Find("eos_token_id");
  if (ends == nullptr) return;
  const std::vector<JsonNode> one = {*ends};
  for (const JsonNode& end : ends->is_list() ? ends->items : one) {
    const auto id = end.AsNumber();
    if (!id || *id < 0 || *id > kLargestCount || *id != std::floor(*id))
      return reader.Mistake("eos_token_id is not a token's number");
    config.end_tokens.push_back(static_cast<std::int64_t>(*id));
  }
}

void RefuseWhatChangesNumbers(Reader& reader, const JsonNode& root) {
  const std::string activation = root.TextOf("hidden_act");
  if (!activation.empty() && activation != "silu")
    reader.Mistake("hidden_act \"" + activation + "\" is not supported", "supported is silu");
  if (reader.Number("partial_rotary_factor", 1) != 1)
    reader.Mistake(
        "rotary positions on a part of each head (partial_rotary_factor) are not supported");
  if (root.IsTrue("use_sliding_window"))
    reader.Mistake("sliding-window attention (use_sliding_window) is not supported",
                   "supported is full causal attention");
  if (reader.Find("quantization_config") != nullptr)
    reader.Mistake("quantised weights (quantization_config) are not supported",
                   "use the model's bf16, fp16 or fp32 weights");
}

}  // namespace

Result<ModelConfig> ParseModelConfig(std::string_view text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, name));
  if (!root.is_object()) return Fail({ExitCode::kConfiguration, "is not a JSON object", name, ""});
  Reader reader(root, name);
  ModelConfig config;
  config.model_type = root.TextOf("model_type");
  ReadFamily(reader, config);
  ReadSizes(reader, config);
  ReadEndTokens(reader, config);
  RefuseWhatChangesNumbers(reader, root);
  if (reader.mistake()) return Fail(*reader.mistake());
  EBB_RETURN_IF_ERROR(ReadRotary(reader, name, config));
  if (reader.mistake()) return Fail(*reader.mistake());
  return config;
}

}  // namespace ebb::train
