#include "train/language/adapter_config.h"

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
  EXPECT_DOUBLE_EQ(back->scaling(), 64 / std::sqrt(32.0));
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
  EXPECT_THAT(Refusal(with("rank_pattern", {{"q_proj", 4}})), HasSubstr("rank_pattern"));
  EXPECT_THAT(Refusal(with("modules_to_save", {"lm_head"})), HasSubstr("modules_to_save"));
  EXPECT_THAT(Refusal(with("target_modules", {"lm_head"})), HasSubstr("lm_head"));
  EXPECT_THAT(Refusal(with("r", 0)), HasSubstr("r is not a rank"));
  EXPECT_THAT(Refusal(with("lora_alpha", "x")), HasSubstr("lora_alpha"));
}

}  // namespace
}  // namespace ebb::train
