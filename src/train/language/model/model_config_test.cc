#include "train/language/model/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "train/language/model/rotary.h"
#include "train/language/model/tiny_model_for_test.h"

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

// The published Qwen2.5-7B has 7,615,616,512 parameters.
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
  EXPECT_THAT(Refusal(With("layer_types", {"full_attention", "chunked_attention"})),
              HasSubstr("layer_types"));
  EXPECT_THAT(Refusal(With("hidden_act", "gelu")), HasSubstr("\"gelu\""));
  EXPECT_THAT(Refusal(With("quantization_config", {{"bits", 4}})),
              HasSubstr("quantization_config"));
  EXPECT_THAT(Refusal(With("rope_scaling", {{"rope_type", "longrope"}})),
              HasSubstr("\"longrope\""));
  EXPECT_THAT(Refusal(With("rope_scaling", {{"rope_type", "linear"}})), HasSubstr("factor"));
}

TEST(ModelConfig, AKeyThatNobodyKnowsMustSayNothing) {
  for (const char* key : {"final_logit_softcapping", "logits_scaling", "residual_multiplier",
                          "num_experts", "attention_multiplier"})
    EXPECT_THAT(Refusal(With(key, 2)), HasSubstr("the key \"" + std::string(key) + "\""));
  EXPECT_THAT(Refusal(With("no_rope_layers", {1, 0})), HasSubstr("no_rope_layers"));
  EXPECT_THAT(Refusal(With("key_of_tomorrow", "on")), HasSubstr("key_of_tomorrow"));
  EXPECT_EQ(Refusal(With("key_of_tomorrow", nullptr)), "accepted");
  EXPECT_EQ(Refusal(With("use_mrope", false)), "accepted");
  EXPECT_EQ(Refusal(With("torch_dtype", "bfloat16")), "accepted");
  EXPECT_THAT(Refusal(With("is_causal", false)), HasSubstr("is_causal"));
  EXPECT_EQ(Refusal(With("is_causal", true)), "accepted");
  EXPECT_THAT(Refusal(With("attention_dropout", 0.1)), HasSubstr("attention_dropout"));
  EXPECT_EQ(Refusal(With("attention_dropout", 0.0)), "accepted");
  EXPECT_THAT(Refusal(With("partial_rotary_factor", 0.5)), HasSubstr("partial_rotary_factor"));
  EXPECT_THAT(Refusal(With("rope_parameters", {{"partial_rotary_factor", 0.5}})),
              HasSubstr("partial_rotary_factor"));
  EXPECT_THAT(Refusal(With("rope_parameters", {{"rope_type", "default"}, {"ntk_alpha", 4}})),
              HasSubstr("the rotary parameter \"ntk_alpha\""));
  EXPECT_THAT(Refusal(With("layer_types", {"full_attention", "sliding_attention"})),
              HasSubstr("layer_types"));
  EXPECT_EQ(Refusal(With("layer_types", {"full_attention", "full_attention"})), "accepted");
}

// Expected values are those of Qwen2Config and LlamaConfig of transformers 4.57 and 5.
TEST(ModelConfig, WhatIsNotMentionedIsTheFamilysOwn) {
  nlohmann::json qwen = TinyConfig("qwen2");
  qwen["num_attention_heads"] = 64;
  qwen["hidden_size"] = 256;
  qwen["num_key_value_heads"] = nullptr;
  EXPECT_EQ(ParseModelConfig(qwen.dump(), "")->key_value_heads, 64);
  qwen.erase("num_key_value_heads");
  qwen.erase("max_position_embeddings");
  EXPECT_EQ(ParseModelConfig(qwen.dump(), "")->key_value_heads, 32);
  EXPECT_EQ(ParseModelConfig(qwen.dump(), "")->positions, 32768);
  qwen["model_type"] = "llama";
  EXPECT_EQ(ParseModelConfig(qwen.dump(), "")->key_value_heads, 64);
  EXPECT_EQ(ParseModelConfig(qwen.dump(), "")->positions, 2048);
}

TEST(ModelConfig, MistralHasAWindowUnlessItIsNull) {
  nlohmann::json json = TinyConfig("mistral");
  const auto read = [&] { return ParseModelConfig(json.dump(), "").value(); };
  EXPECT_EQ(read().window, 4096) << "not mentioned";
  EXPECT_THAT(read().has_window, testing::ElementsAre(true, true));
  json["sliding_window"] = 8;
  EXPECT_EQ(read().window, 8);
  json["layer_types"] = {"full_attention", "full_attention"};
  EXPECT_THAT(Refusal(json), HasSubstr("layer_types"))
      << "transformers uses the window all the same";
  json["model_type"] = "ministral";
  EXPECT_EQ(read().window, 0);
  json["layer_types"] = {"full_attention", "sliding_attention"};
  EXPECT_THAT(read().has_window, testing::ElementsAre(false, true));
  json["sliding_window"] = nullptr;
  EXPECT_THAT(Refusal(json), HasSubstr("sliding_window is not used"));
  json.erase("layer_types");
  EXPECT_EQ(read().window, 0);
  EXPECT_TRUE(!read().query_key_value_bias && !read().mlp_bias && !read().query_key_norm);
  json["attention_bias"] = true;
  EXPECT_FALSE(read().output_bias) << "transformers does not read it";
}

TEST(ModelConfig, LaterLayersOfQwenHaveAWindowIfAsked) {
  nlohmann::json json = TinyConfig("qwen3");
  const auto read = [&] { return ParseModelConfig(json.dump(), "").value(); };
  json["sliding_window"] = 8;
  json["max_window_layers"] = 1;
  EXPECT_EQ(read().window, 0);
  json["use_sliding_window"] = true;
  EXPECT_EQ(read().window, 8);
  EXPECT_THAT(read().has_window, testing::ElementsAre(false, true));
  json["max_window_layers"] = 2;
  EXPECT_EQ(read().window, 0);
  json["model_type"] = "llama";
  json["max_window_layers"] = 0;
  EXPECT_EQ(read().window, 0) << "Llama has none";
}

// Expected values are those of Gemma3TextConfig of transformers 4.57 and 5.
TEST(ModelConfig, GemmaHasItsOwnNumbersAndTwoKindsOfLayers) {
  nlohmann::json json = TinyGemma();
  const auto read = [&] { return ParseModelConfig(json.dump(), "").value(); };
  EXPECT_THAT(read().has_window, testing::ElementsAre(true, false));
  EXPECT_EQ(read().window_rotary_base, 100);
  EXPECT_EQ(read().rotary_scaling.factor, 2);
  for (const char* key :
       {"sliding_window_pattern", "sliding_window", "query_pre_attn_scalar", "rope_local_base_freq",
        "rope_theta", "rope_scaling", "head_dim", "tie_word_embeddings", "hidden_activation"})
    json.erase(key);
  const ModelConfig usual = read();
  EXPECT_THAT(usual.has_window, testing::ElementsAre(true, true)) << "each sixth sees all";
  EXPECT_EQ(usual.window, 4096);
  EXPECT_EQ(usual.query_scalar, 256);
  EXPECT_EQ(usual.head_size, 256);
  EXPECT_EQ(usual.rotary_base, 1e6);
  EXPECT_EQ(usual.window_rotary_base, 10000);
  EXPECT_TRUE(usual.tied_embeddings);
  json["rope_parameters"] = {
      {"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 5e5}}},
      {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 7.0}}}};
  EXPECT_EQ(read().rotary_base, 5e5);
  EXPECT_EQ(read().rotary_scaling.factor, 8);
  EXPECT_EQ(read().window_rotary_base, 7);
}

TEST(ModelConfig, WhatGemmaDoesNotSupportIsNamed) {
  const auto refusal = [](const char* key, const nlohmann::json& value) {
    nlohmann::json json = TinyGemma();
    json[key] = value;
    return Refusal(json);
  };
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"})
    EXPECT_THAT(refusal(key, 30.0), HasSubstr(key));
  EXPECT_THAT(refusal("use_bidirectional_attention", true), HasSubstr("use_bidirectional"));
  EXPECT_THAT(refusal("hidden_activation", "silu"), HasSubstr("hidden_activation \"silu\""));
  EXPECT_THAT(refusal("model_type", "gemma3"), HasSubstr("\"gemma3\" is not supported"));
  EXPECT_THAT(refusal("rope_parameters", {{"rope_type", "linear"}}), HasSubstr("rope_parameters"));
  nlohmann::json json = TinyGemma();
  json.erase("rope_scaling");
  json["rope_parameters"] = {{"sliding_attention", {{"rope_type", "yarn"}}}};
  EXPECT_THAT(Refusal(json), HasSubstr("\"yarn\" of layers with a window"));
  json["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 2.0}};
  EXPECT_THAT(Refusal(json), HasSubstr("rope_parameters \"factor\" is not known"));
  EXPECT_THAT(Refusal(With("query_pre_attn_scalar", 24)), HasSubstr("query_pre_attn_scalar"));
  EXPECT_THAT(Refusal(With("hidden_activation", "silu")), HasSubstr("hidden_activation"));
}

// The rules are those of convert_rope_params_to_dict and standardize_rope_params of transformers
// 5.24.
TEST(ModelConfig, OfSeveralSpellingsOfRotaryPositionsTransformersFiveChooses) {
  nlohmann::json json = TinyConfig("llama");
  json["rope_theta"] = 500.0;
  json["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 7.0}};
  EXPECT_EQ(ParseModelConfig(json.dump(), "")->rotary_base, 7);
  json["rope_scaling"] = nlohmann::json::object();
  EXPECT_EQ(ParseModelConfig(json.dump(), "")->rotary_base, 7) << "an empty object does not count";
  json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 4.0}};
  const auto both = *ParseModelConfig(json.dump(), "");
  EXPECT_EQ(both.rotary_base, 500);
  EXPECT_EQ(both.rotary_scaling.factor, 4);
  json["rope_scaling"]["rope_theta"] = 500.0;
  EXPECT_EQ(Refusal(json), "accepted");
  json["rope_scaling"]["rope_theta"] = 7.0;
  EXPECT_THAT(Refusal(json), HasSubstr("rope_scaling has another rope_theta"))
      << "transformers 4 has 500, transformers 5 has 7";
  json.erase("rope_scaling");
  json["layer_types"] = {"full_attention", "full_attention"};
  json["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 9.0}}}};
  EXPECT_EQ(ParseModelConfig(json.dump(), "")->rotary_base, 9);
  json["rope_parameters"] = {
      {"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 16}};
  EXPECT_EQ(ParseModelConfig(json.dump(), "")->rotary_scaling.original_positions, 16);
  json["original_max_position_embeddings"] = 16;
  EXPECT_EQ(Refusal(json), "accepted");
  json["original_max_position_embeddings"] = 32;
  EXPECT_THAT(Refusal(json), HasSubstr("original_max_position_embeddings beside"))
      << "transformers 4 has 16, transformers 5 has 32";
}

TEST(ModelConfig, TheEndsOfGenerationAreOneSeveralOrNone) {
  EXPECT_THAT(*ParseGenerationEnds(R"({"eos_token_id": [7, 9], "top_p": 0.8})", ""),
              testing::ElementsAre(7, 9));
  EXPECT_THAT(*ParseGenerationEnds(R"({"eos_token_id": 7})", ""), testing::ElementsAre(7));
  EXPECT_THAT(*ParseGenerationEnds("{}", ""), testing::IsEmpty());
  EXPECT_FALSE(ParseGenerationEnds(R"({"eos_token_id": "x"})", ""));
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
