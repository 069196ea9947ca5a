// Tests generation against a whole forward pass for each token, and the choice of a token.

#include <gtest/gtest.h>

#include "train/language/generation/generate.h"
#include "train/language/model/language_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

class FamiliesThatGenerate : public Language, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Language, FamiliesThatGenerate, testing::Values("qwen3", "gemma3_text"));

TEST_P(FamiliesThatGenerate, GreedyGenerationIsThatOfWholePasses) {
  const std::string family = GetParam();
  const Decoder decoder = Load(family == "gemma3_text" ? TinyGemma() : TinyConfig(family));
  const Adapter adapter = Busy(decoder, SmallLora());
  const std::vector<std::int64_t> prompt = {5, 9, 31};
  const auto generated =
      Generate(decoder, &adapter, prompt, {.max_new_tokens = 12, .end_tokens = {}},
               [](std::int64_t) { return true; });
  std::vector<std::int64_t> tokens = prompt;
  const torch::NoGradGuard no_grad;
  for (int i = 0; i < 12; ++i) {
    const Tensor ids = torch::tensor(tokens, torch::dtype(torch::kInt64)).unsqueeze(0);
    const Tensor hidden = HiddenStates(decoder, &adapter, {ids, {}, {}}, {});
    tokens.push_back(Logits(decoder, hidden)[0][-1].argmax().item<std::int64_t>());
  }
  EXPECT_EQ(generated, std::vector<std::int64_t>(tokens.begin() + 3, tokens.end()));
}

TEST_F(Language, SamplingKeepsToTheNucleus) {
  const Tensor logits = torch::tensor({0.5, 0.3, 0.2}, torch::dtype(torch::kFloat64)).log();
  const auto choose = [&](double top_p, std::int64_t top_k, double draw) {
    return ChooseToken(logits, {.temperature = 1, .top_k = top_k, .top_p = top_p, .end_tokens = {}},
                       draw);
  };
  EXPECT_EQ(choose(1, 0, 0.49), 0);
  EXPECT_EQ(choose(1, 0, 0.51), 1);
  EXPECT_EQ(choose(1, 0, 0.99), 2);
  EXPECT_EQ(choose(0.6, 0, 0.99), 1);  // two tokens reach 0.6
  EXPECT_EQ(choose(0.4, 0, 0.99), 0);
  EXPECT_EQ(choose(1, 2, 0.99), 1);
  EXPECT_EQ(ChooseToken(logits, {}, 0.99), 0);
}

}  // namespace
}  // namespace ebb::train
