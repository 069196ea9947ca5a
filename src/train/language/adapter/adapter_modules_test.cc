#include "train/language/adapter/adapter_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "train/language/adapter/adapter_config.h"

namespace ebb::train {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The modules that a configuration of three layers adapts: "0.q_proj:8*2 ...", rank and scaling.
std::string Adapted(const json& keys) {
  json config = json::parse(AdapterConfigJson({.rank = 8, .alpha = 16}, "base"));
  config.update(keys);
  const auto settings = ParseAdapterConfig(config.dump(), "adapter_config.json");
  if (!settings) return settings.error().Message();
  // A configuration that is read can be written and read again.
  const auto again = ParseAdapterConfig(AdapterConfigJson(*settings, "base"), "again");
  if (!again) return again.error().Message();
  const auto modules = ModulesOf(*again, 3, "adapter_config.json");
  if (!modules) return modules.error().Message();
  std::string text;
  const auto add = [&](const std::string& name, const std::optional<ModuleLora>& module) {
    if (module)
      text += (text.empty() ? "" : " ") + name + ":" + std::to_string(module->rank) + "*" +
              json(module->scaling).dump();
  };
  for (std::size_t layer = 0; layer < modules->layers.size(); ++layer)
    for (std::size_t i = 0; i < kProjectionCount; ++i)
      add(std::to_string(layer) + "." + kProjectionNames[i].name, modules->layers[layer][i]);
  add("embed_tokens", modules->embedding);
  add("lm_head", modules->output);
  return text;
}

TEST(AdapterModules, AreChosenByNamesAndEndsOfNames) {
  EXPECT_EQ(Adapted({{"target_modules", {"q_proj"}}}),
            "0.q_proj:8*2.0 1.q_proj:8*2.0 2.q_proj:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", {"layers.1.self_attn.q_proj", "0.mlp.up_proj"}}}),
            "0.up_proj:8*2.0 1.q_proj:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", {"model.layers.2.mlp.up_proj"}}}), "2.up_proj:8*2.0");
  // "proj" ends the name, but no dot stands before it.
  EXPECT_THAT(Adapted({{"target_modules", {"proj"}}}), HasSubstr("no module of this model"));
}

TEST(AdapterModules, AreChosenByOneExpressionThatMatchesTheWholeName) {
  EXPECT_EQ(Adapted({{"target_modules", R"(.*\.(0|2)\.self_attn\.[qk]_proj)"}}),
            "0.q_proj:8*2.0 0.k_proj:8*2.0 2.q_proj:8*2.0 2.k_proj:8*2.0");
  EXPECT_THAT(Adapted({{"target_modules", "q_proj"}}), HasSubstr("no module of this model"));
  EXPECT_EQ(Adapted({{"target_modules", "model.*(?<!k_proj|up_proj)(?<=_proj)"},
                     {"exclude_modules", {"mlp.down_proj", "gate_proj", "v_proj", "o_proj"}}}),
            "0.q_proj:8*2.0 1.q_proj:8*2.0 2.q_proj:8*2.0");
}

TEST(AdapterModules, WhatIsExcludedOrInAnotherLayerIsNot) {
  EXPECT_EQ(
      Adapted({{"target_modules", {"q_proj", "v_proj"}}, {"exclude_modules", R"(.*\.1\..*)"}}),
      "0.q_proj:8*2.0 0.v_proj:8*2.0 2.q_proj:8*2.0 2.v_proj:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", {"q_proj"}}, {"layers_to_transform", {0, 2, 9}}}),
            "0.q_proj:8*2.0 2.q_proj:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", {"q_proj"}},
                     {"layers_to_transform", 1},
                     {"layers_pattern", {"h", "layers"}}}),
            "1.q_proj:8*2.0");
  EXPECT_THAT(
      Adapted(
          {{"target_modules", {"q_proj"}}, {"layers_to_transform", 1}, {"layers_pattern", "h"}}),
      HasSubstr("no module of this model"));
  // Empty lists mean all layers.
  EXPECT_EQ(
      Adapted({{"target_modules", {"0.self_attn.q_proj"}}, {"layers_to_transform", json::array()}}),
      "0.q_proj:8*2.0");
  EXPECT_THAT(Adapted({{"target_modules", ".*q_proj"}, {"layers_to_transform", 1}}),
              HasSubstr("layers_to_transform needs a list"));
}

TEST(AdapterModules, TheFirstPatternThatMatchesGivesRankAndAlpha) {
  EXPECT_EQ(Adapted({{"target_modules", {"q_proj"}},
                     {"rank_pattern", {{R"(^model\.layers\.1\..*)", 4}, {"q_proj", 2}}},
                     {"alpha_pattern", {{R"(2\.self_attn\.q_proj)", 5}}}}),
            "0.q_proj:2*8.0 1.q_proj:4*4.0 2.q_proj:2*2.5");
  // The end of a name must begin behind a dot.
  EXPECT_EQ(Adapted({{"target_modules", {"1.self_attn.q_proj"}}, {"rank_pattern", {{"_proj", 4}}}}),
            "1.q_proj:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", {"1.self_attn.q_proj"}},
                     {"rank_pattern", {{"q_proj", 4}}},
                     {"use_rslora", true}}),
            "1.q_proj:4*8.0");
}

TEST(AdapterModules, EmbeddingAndOutputAreModulesWithoutALayer) {
  EXPECT_EQ(Adapted({{"target_modules", {"lm_head"}}, {"rank_pattern", {{"lm_head", 4}}}}),
            "lm_head:4*4.0");
  EXPECT_EQ(Adapted({{"target_modules", ".*embed.*"}}), "embed_tokens:8*2.0");
  EXPECT_EQ(Adapted({{"target_modules", "all-linear"}, {"exclude_modules", ".*layers.*"}}),
            "adapter_config.json: target_modules chooses no module of this model");
  EXPECT_THAT(Adapted({{"target_modules", {"embed_tokens"}}, {"use_dora", true}}),
              HasSubstr("use_dora with model.embed_tokens"));
  const json saved = {{"target_modules", {"1.self_attn.q_proj"}}, {"modules_to_save", {"lm_head"}}};
  EXPECT_EQ(Adapted(saved), "1.q_proj:8*2.0");
  json changed = saved;
  changed["target_modules"] = {"lm_head"};
  EXPECT_THAT(Adapted(changed), HasSubstr("both choose lm_head or embed_tokens"));
  changed = saved;
  changed["modules_to_save"] = {"norm"};
  EXPECT_THAT(Adapted(changed), HasSubstr("modules_to_save with \"norm\""));
}

TEST(AdapterModules, WhatEbbDoesNotAdaptIsNamed) {
  EXPECT_THAT(Adapted({{"target_modules", R"(.*\.mlp)"}}), HasSubstr("model.layers.0.mlp"));
  EXPECT_THAT(Adapted({{"target_modules", {"q_norm"}}}), HasSubstr("self_attn.q_norm"));
  // If layers are chosen, lm_head is in none of them.
  EXPECT_EQ(Adapted({{"target_modules", {"q_proj", "lm_head"}}, {"layers_to_transform", {1}}}),
            "1.q_proj:8*2.0");
}

TEST(AdapterModules, WhatPythonReadsOtherwiseIsRefused) {
  for (const char* expression :
       {"(?i).*Q_PROJ", R"(.*\Zq_proj)", R"((.)\1_proj)", "[[:alpha:]]*", "(?P<n>q_proj)", "q{,3}",
        R"(.*\hq_proj)", "(*ACCEPT)", "q_pr\xc3\xb6j"})
    EXPECT_THAT(Adapted({{"target_modules", expression}}), HasSubstr("is not supported"))
        << expression;
  EXPECT_THAT(Adapted({{"rank_pattern", {{"(", 4}}}}), HasSubstr("rank_pattern: the regular"));
}

}  // namespace
}  // namespace ebb::train
