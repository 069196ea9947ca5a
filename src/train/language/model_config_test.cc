#include "train/language/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "train/language/rotary.h"
#include "train/language/tiny_model_for_test.h"

namespace ebb::train {
namespace {

using testing::HasSubstr;

std::string Refusal(const nlohmann::json& json) {
  const auto config = ParseModelConfig(json.dump(), "config.json");
  if (config) return "accepted";
  EXPECT_EQ(config.error().code, ExitCode::kConfiguration);
  return config.error().Message();
}

nlohmann::json With(const char* key, nlohmann::json value) {
  nlohmann::json json = TinyConfig("qwen2");
  json[key] = std::move(value);
  return json;
}

TEST(ModelConfig, FamiliesDifferInBiasesAndNorms) {
  const auto qwen2 = *ParseModelConfig(TinyConfig("qwen2").dump(), "");
  const auto qwen3 = *ParseModelConfig(TinyConfig("qwen3").dump(), "");
  const auto llama = *ParseModelConfig(TinyConfig("llama").dump(), "");
  EXPECT_TRUE(qwen2.query_key_value_bias && !qwen2.output_bias && !qwen2.query_key_norm);
  EXPECT_TRUE(!qwen3.query_key_value_bias && qwen3.query_key_norm);
  EXPECT_TRUE(!llama.query_key_value_bias && !llama.mlp_bias && !llama.query_key_norm);
  nlohmann::json biased = TinyConfig("llama");
  biased["attention_bias"] = biased["mlp_bias"] = true;
  const auto with_biases = *ParseModelConfig(biased.dump(), "");
  EXPECT_TRUE(with_biases.output_bias && with_biases.mlp_bias);
}

// Of the published Qwen2.5-7B: 7,615,616,512 parameters.
TEST(ModelConfig, CountsTheParametersOfAPublishedModel) {
  const auto config = *ParseModelConfig(
      R"({"model_type": "qwen2", "vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944,
          "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "rope_theta": 1000000.0,
          "rms_norm_eps": 1e-06, "use_sliding_window": false, "tie_word_embeddings": false,
          "sliding_window": 131072, "max_position_embeddings": 32768, "eos_token_id": 151645})",
      "config.json");
  EXPECT_EQ(ParameterCount(config), 7'615'616'512);
  EXPECT_EQ(config.head_size, 128);
  EXPECT_THAT(config.end_tokens, testing::ElementsAre(151645));
}

TEST(ModelConfig, NamesWhatIsNotSupported) {
  EXPECT_THAT(Refusal(With("model_type", "gpt2")),
              HasSubstr("\"gpt2\" is not supported (supported are qwen2"));
  EXPECT_THAT(Refusal(With("use_sliding_window", true)), HasSubstr("use_sliding_window"));
  EXPECT_THAT(Refusal(With("hidden_act", "gelu")), HasSubstr("\"gelu\""));
  EXPECT_THAT(Refusal(With("quantization_config", {{"bits", 4}})),
              HasSubstr("quantization_config"));
  EXPECT_THAT(Refusal(With("rope_scaling", {{"rope_type", "longrope"}})),
              HasSubstr("\"longrope\""));
  EXPECT_THAT(Refusal(With("rope_scaling", {{"rope_type", "linear"}})), HasSubstr("factor"));
}

TEST(ModelConfig, NamesWhatIsMissingOrImpossible) {
  nlohmann::json json = TinyConfig("qwen2");
  json.erase("hidden_size");
  EXPECT_THAT(Refusal(json), HasSubstr("hidden_size"));
  EXPECT_THAT(Refusal(With("vocab_size", -3)), HasSubstr("vocab_size"));
  EXPECT_THAT(Refusal(With("num_hidden_layers", 1.5)), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(Refusal(With("num_key_value_heads", 3)), HasSubstr("num_key_value_heads"));
  EXPECT_THAT(Refusal(With("head_dim", 5)), HasSubstr("head_dim"));
  EXPECT_THAT(Refusal(With("rms_norm_eps", "small")), HasSubstr("rms_norm_eps"));
  EXPECT_THAT(Refusal(nlohmann::json::array()), HasSubstr("not a JSON object"));
}

TEST(ModelConfig, BothSpellingsOfRotaryPositionsAreOne) {
  const auto earlier =
      *ParseModelConfig(With("rope_scaling", {{"type", "linear"}, {"factor", 4.0}}).dump(), "");
  nlohmann::json json = TinyConfig("qwen2");
  json.erase("rope_theta");
  json["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 10000.0}};
  const auto later = *ParseModelConfig(json.dump(), "");
  EXPECT_EQ(FrequenciesFor(earlier, 8).radians_per_position,
            FrequenciesFor(later, 8).radians_per_position);
  EXPECT_FLOAT_EQ(FrequenciesFor(later, 8).radians_per_position[0], 0.25F);
}

TEST(Rotary, DynamicScalingBeginsBeyondThePositions) {
  const auto config = *ParseModelConfig(
      With("rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}).dump(), "");
  const auto within = FrequenciesFor(config, 64).radians_per_position;
  const auto beyond = FrequenciesFor(config, 128).radians_per_position;
  EXPECT_FLOAT_EQ(within[1], 0.01F);  // 10000 ^ (-2 / 4)
  // The base grows by 3 ^ (4 / 2) at twice the length.
  EXPECT_FLOAT_EQ(beyond[1], 0.01F / 3);
}

}  // namespace
}  // namespace ebb::train
