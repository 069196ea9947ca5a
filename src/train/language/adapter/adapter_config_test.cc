#include "train/language/adapter/adapter_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::train {
namespace {

using testing::HasSubstr;

nlohmann::json Valid() { return nlohmann::json::parse(AdapterConfigJson({}, "models/base")); }

std::string Refusal(const nlohmann::json& json) {
  const auto settings = ParseAdapterConfig(json.dump(), "adapter_config.json");
  return settings ? "accepted" : settings.error().Message();
}

TEST(AdapterConfig, ReadsBackWhatItWrites) {
  LoraSettings settings{.rank = 32, .alpha = 64, .dropout = 0.05};
  settings.targets = {Projection::kQuery, Projection::kDown};
  settings.rank_stabilised = true;
  const auto back = ParseAdapterConfig(AdapterConfigJson(settings, "base"), "");
  ASSERT_TRUE(back) << back.error().Message();
  EXPECT_EQ(back->rank, 32);
  EXPECT_EQ(back->alpha, 64);
  EXPECT_EQ(back->dropout, 0.05);
  EXPECT_EQ(back->targets, settings.targets);
  const auto modules = ModulesOf(*back, 1, "");
  ASSERT_TRUE(modules);
  EXPECT_DOUBLE_EQ(modules->layers[0][Index(Projection::kQuery)]->scaling, 64 / std::sqrt(32.0));
  EXPECT_FALSE(modules->layers[0][Index(Projection::kKey)]);
  EXPECT_FALSE(back->decomposed);
}

TEST(AdapterConfig, NamesWhatIsNotSupported) {
  const auto with = [](const char* key, nlohmann::json value) {
    nlohmann::json json = Valid();
    json[key] = std::move(value);
    return json;
  };
  EXPECT_EQ(Refusal(Valid()), "accepted");
  EXPECT_EQ(Refusal(with("target_modules", "all-linear")), "accepted");
  EXPECT_THAT(Refusal(with("peft_type", "IA3")), HasSubstr("IA3"));
  EXPECT_THAT(Refusal(with("bias", "all")), HasSubstr("bias \"all\""));
  EXPECT_THAT(Refusal(with("rank_pattern", {{"q_proj", 0}})), HasSubstr("rank_pattern"));
  EXPECT_THAT(Refusal(with("alpha_pattern", {{"q_proj", "8"}})), HasSubstr("alpha_pattern"));
  EXPECT_THAT(Refusal(with("modules_to_save", {"norm"})), HasSubstr("modules_to_save"));
  EXPECT_THAT(Refusal(with("target_modules", nlohmann::json::array())), HasSubstr("nothing"));
  EXPECT_THAT(Refusal(with("layers_pattern", "h")), HasSubstr("layers_to_transform"));
  EXPECT_THAT(Refusal(with("r", 0)), HasSubstr("r is not a rank"));
  EXPECT_THAT(Refusal(with("lora_alpha", "x")), HasSubstr("lora_alpha"));
  EXPECT_THAT(Refusal(with("task_type", "SEQ_CLS")), HasSubstr("SEQ_CLS"));
}

// An unknown key might change what an adapter computes, so it is accepted only if its value is
// empty.
TEST(AdapterConfig, AKeyOfTomorrowMustSayNothing) {
  const auto with = [](const char* key, nlohmann::json value) {
    nlohmann::json json = Valid();
    json[key] = std::move(value);
    return Refusal(json);
  };
  const nlohmann::json object = {{"nblocks", 2}};
  for (const char* key : {"use_bdlora", "arrow_config", "kasa_config", "monteclora_config",
                          "velora_config", "megatron_config", "key_of_tomorrow"}) {
    EXPECT_THAT(with(key, object), HasSubstr(std::string(key) + " is not supported"));
    EXPECT_EQ(with(key, nullptr), "accepted") << key;
  }
  EXPECT_THAT(with("layer_replication", {{0, 2}, {1, 3}}), HasSubstr("layer_replication"));
  EXPECT_THAT(with("alora_invocation_tokens", {7, 8}), HasSubstr("alora_invocation_tokens"));
  EXPECT_THAT(with("lora_bias", true), HasSubstr("lora_bias"));
  EXPECT_EQ(with("peft_version", "0.21.0"), "accepted");
  EXPECT_EQ(with("runtime_config", {{"ephemeral_gpu_offload", false}}), "accepted");
}

TEST(AdapterConfig, AnAdapterToOtherBaseWeightsIsRefused) {
  const auto begun = [](nlohmann::json value) {
    nlohmann::json json = Valid();
    json["init_lora_weights"] = std::move(value);
    return Refusal(json);
  };
  for (const char* name : {"pissa", "pissa_niter_16", "olora", "corda", "loftq", "lora_ga", "mica"})
    EXPECT_THAT(begun(name), HasSubstr("other weights than those of its base model"));
  for (const nlohmann::json& plain :
       {nlohmann::json(true), nlohmann::json(false), nlohmann::json("gaussian"),
        nlohmann::json("eva"), nlohmann::json("orthogonal"), nlohmann::json()})
    EXPECT_EQ(begun(plain), "accepted");
}

}  // namespace
}  // namespace ebb::train
