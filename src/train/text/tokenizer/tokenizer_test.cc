// Tests against the results of the `tokenizers` package 0.23.3 for the same files
// (tests/peers/trained_tokenizers.py writes tests/golden/tokenizers); tests/peers compares a
// million more texts.

#include "train/text/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "testing/scratch_directory.h"
#include "testing/source_tree.h"
#include "train/text/tokenizer/unicode.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string Golden(const std::string& file) {
  return SourceTree() + "/tests/golden/tokenizers/" + file;
}

Tokenizer Loaded(const std::string& family) {
  return Tokenizer::Load(Golden(family + ".json")).value();
}

class Families : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tokenizers, Families, testing::Values("qwen", "llama3", "llama2", "gemma"),
                         [](const auto& family) { return std::string(family.param); });

TEST_P(Families, EncodeAndDecodeAsThePackageDoes) {
  const Tokenizer tokenizer = Loaded(GetParam());
  std::ifstream cases(Golden(std::string(GetParam()) + ".cases.jsonl"));
  std::size_t count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const json expected = json::parse(line);
    const auto ids = tokenizer.Encode(expected["text"].get<std::string>());
    ASSERT_TRUE(ids) << ids.error().Message();
    EXPECT_EQ(*ids, expected["ids"].get<std::vector<TokenId>>()) << line;
    EXPECT_EQ(*tokenizer.Decode(*ids, SpecialTokens::kIncluded),
              expected["decoded"].get<std::string>())
        << line;
    EXPECT_EQ(*tokenizer.Decode(*ids), expected["bare"].get<std::string>()) << line;
  }
  EXPECT_GT(count, 20U);
}

char32_t AnyCharacter(Random& random) {
  constexpr char32_t kBlocks[][2] = {{0x20, 0x7e},       {0x9, 0xd},         {0xa0, 0x24f},
                                     {0x300, 0x36f},     {0x600, 0x9ff},     {0x1100, 0x11ff},
                                     {0x2000, 0x2fff},   {0x3040, 0xd7ff},   {0xe000, 0xffff},
                                     {0x10000, 0x1ffff}, {0x20000, 0x10ffff}};
  const auto& block = kBlocks[random.Below(std::size(kBlocks))];
  return block[0] + static_cast<char32_t>(random.Below(block[1] - block[0] + 1));
}

std::string AnyText(Random& random) {
  std::string text;
  for (std::uint64_t i = random.Below(80); i > 0; --i) AppendCodePoint(text, AnyCharacter(random));
  return text;
}

TEST(Tokenizer, GivesBackEveryTextInItsNormalForm) {
  const Tokenizer qwen = Loaded("qwen"), llama = Loaded("llama3");
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = AnyText(random);
    EXPECT_EQ(*qwen.Decode(*qwen.Encode(text)), Normalized(text, NormalForm::kNfc));
    EXPECT_EQ(*llama.Decode(*llama.Encode(text)), text);
  }
}

TEST(Tokenizer, TakesBytesThatAreNotUtf8AsReplacementCharacters) {
  const Tokenizer tokenizer = Loaded("llama3");
  EXPECT_EQ(*tokenizer.Decode(*tokenizer.Encode("a\xff\xe2\x82z\xed\xa0\x80")),
            "a\ufffd\ufffdz\ufffd\ufffd\ufffd");
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes;
    for (std::uint64_t n = random.Below(40); n > 0; --n) bytes += static_cast<char>(random.Next());
    EXPECT_EQ(*tokenizer.Decode(*tokenizer.Encode(bytes)), AsUtf8(bytes));
  }
}

TEST(Tokenizer, MergesALongWordAsItDoesAShortOne) {
  // Two searches, one over pairs and one with a queue, must agree. A word repeated beyond the limit
  // between them has no border at which it could be split.
  const Tokenizer tokenizer = Loaded("llama2");
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (std::uint64_t n = 20 + random.Below(60); n > 0; --n) word += "etaoinsrh"[random.Below(9)];
    const auto ids = tokenizer.Encode(word);
    EXPECT_EQ(*tokenizer.Decode(*ids), word);
    const auto whole = tokenizer.Encode(word + " " + word, SpecialTokens::kLeftOut);
    const auto alone = tokenizer.Encode(word, SpecialTokens::kLeftOut);
    if (word.size() > 48) continue;
    // 2 x 48 characters use the queue, 48 use the pairs. No merge crosses the space except at its
    // own side.
    ASSERT_GE(whole->size(), alone->size());
    EXPECT_TRUE(std::equal(alone->begin(), alone->end(), whole->begin())) << word;
  }
}

TEST(Tokenizer, KnowsTheRolesOfTokens) {
  std::ifstream file(Golden("qwen.json"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto tokenizer = Tokenizer::Parse(
      text,
      R"({"eos_token": "<|im_end|>", "pad_token": {"content": "<|endoftext|>"}, "bos_token": null,
          "unk_token": "never heard of", "chat_template": "{{ messages }}"})",
      "qwen.json");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->special().begin, std::nullopt);
  EXPECT_EQ(tokenizer->special().end, tokenizer->Find("<|im_end|>"));
  EXPECT_EQ(tokenizer->special().padding, tokenizer->Find("<|endoftext|>"));
  EXPECT_EQ(tokenizer->special().unknown, std::nullopt);
  EXPECT_EQ(tokenizer->chat_template(), "{{ messages }}");
  EXPECT_EQ(tokenizer->TokenText(*tokenizer->Find("<think>")), "<think>");
  EXPECT_EQ(tokenizer->TokenText(tokenizer->id_limit()), std::nullopt);
}

struct Refusal {
  const char* change;  ///< JSON merge patch (RFC 7396) of a tokenizer that can be read
  const char* message;
};

TEST(Tokenizer, KnowsTokensThatStandInItsConfigurationOnly) {
  const std::string file =
      *platform::ReadFile(SourceTree() + "/tests/golden/tokenizers/llama3.json");
  const TokenId next = Tokenizer::Parse(file, "", "t.json")->id_limit();
  const std::string decoder = R"({"added_tokens_decoder": {")" + std::to_string(next) +
                              R"(": {"content": "<tool>", "special": true}},
                              "extra_special_tokens": {"image_token": "<image>"},
                              "additional_special_tokens": [{"content": "<role>"}, "<tool>"]})";
  const auto tokenizer = Tokenizer::Parse(file, decoder, "t.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().Message();
  EXPECT_EQ(tokenizer->Find("<tool>"), next);
  EXPECT_EQ(tokenizer->Find("<role>"), next + 1);
  EXPECT_EQ(tokenizer->Find("<image>"), next + 2);
  EXPECT_EQ(tokenizer->id_limit(), next + 3);
  EXPECT_THAT(*tokenizer->Encode("<tool><role>", SpecialTokens::kLeftOut),
              testing::ElementsAre(next, next + 1));
  EXPECT_EQ(*tokenizer->Decode(std::vector<TokenId>{next}), "") << "special";
  const auto contradiction = Tokenizer::Parse(
      file, R"({"added_tokens_decoder": {"7000000": {"content": "<tool>"}}})", "t.json");
  ASSERT_FALSE(contradiction);
  EXPECT_THAT(contradiction.error().Message(), HasSubstr("7000000, but tokenizer.json leads to"));
}

// Writes files beside tokenizer.json and checks the tokens around every text.
class TokensAround : public testing::Test {
 protected:
  void Write(const char* name, const json& content) {
    EXPECT_TRUE(platform::WriteFileAtomically(folder_ / name, content.dump()));
  }

  // Returns the names of the tokens, such as "<s> text </s>", or the error.
  std::string Text(TokenizerRules rules) {
    const auto tokenizer = Tokenizer::Load(folder_, rules);
    if (!tokenizer) return tokenizer.error().Message();
    std::string text;
    const std::vector<TokenId> ids = tokenizer->Encode("a").value();
    for (const TokenId id : ids) text += tokenizer->TokenText(id).value();
    return text;
  }
  std::string ByTransformers4() { return Text(TokenizerRules::kTransformers4); }
  std::string ByTransformers5() { return Text(TokenizerRules::kTransformers5); }

  const platform::Path folder_ = ScratchDirectory("tokenizer");
};

TEST_F(TokensAround, AreThoseOfTheVersionOfTransformersThatIsChosen) {
  Write("tokenizer.json", json::parse(R"({
      "model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "<bos>": 3}, "merges": []},
      "post_processor": {"type": "TemplateProcessing",
                         "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
                         "special_tokens": {"</s>": {"ids": [2]}}}})"));
  Write("config.json", {{"model_type", "llama"}});
  EXPECT_EQ(ByTransformers5(), "a</s>");
  EXPECT_EQ(ByTransformers4(), "<s>a") << "of the class that the model has";
  json config = {{"tokenizer_class", "LlamaTokenizerFast"}, {"add_bos_token", false}};
  Write("tokenizer_config.json", config);
  EXPECT_EQ(ByTransformers4(), "a");
  config["add_bos_token"] = config["add_eos_token"] = true;
  config["bos_token"] = "a";
  Write("tokenizer_config.json", config);
  EXPECT_EQ(ByTransformers4(), "aa</s>");
  EXPECT_EQ(ByTransformers5(), "a</s>");
  Write("special_tokens_map.json", {{"bos_token", {{"content", "<bos>"}}}});
  EXPECT_EQ(ByTransformers4(), "<bos>a</s>") << "it counts before tokenizer_config.json";
  config["added_tokens_decoder"] = json::object();
  Write("tokenizer_config.json", config);
  EXPECT_EQ(ByTransformers4(), "aa</s>") << "then it is not read";
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  Write("tokenizer_config.json", config);
  EXPECT_EQ(ByTransformers4(), "a</s>");
}

TEST_F(TokensAround, WhatTransformers4WouldDoOtherwiseIsNamed) {
  Write("tokenizer.json",
        json::parse(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})"));
  const auto refusal = [&](const json& config) {
    Write("tokenizer_config.json", config);
    EXPECT_EQ(ByTransformers5(), "a");
    return ByTransformers4();
  };
  EXPECT_THAT(refusal({{"add_bos_token", true}}), HasSubstr("tokenizer_class \"\""));
  EXPECT_THAT(refusal({{"tokenizer_class", "BloomTokenizer"}}), HasSubstr("BloomTokenizer"));
  json llama = {{"tokenizer_class", "LlamaTokenizer"}};
  EXPECT_THAT(refusal(llama), HasSubstr("bos_token \"<s>\", but the vocabulary has no such"));
  llama["bos_token"] = nullptr;
  EXPECT_THAT(refusal(llama), HasSubstr("bos_token, but it is null"));
  llama["bos_token"] = "a";
  llama["add_eos_token"] = 1;
  EXPECT_THAT(refusal(llama), HasSubstr("add_eos_token is not true or false"));
  llama["add_prefix_space"] = true;
  EXPECT_THAT(refusal(llama), HasSubstr("add_prefix_space"));
}

TEST(Tokenizer, NamesWhatItDoesNotSupport) {
  const json good = json::parse(
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})");
  ASSERT_TRUE(Tokenizer::Parse(good.dump(), "", "t.json"));
  for (
      const Refusal& refusal : std::vector<Refusal>{
          {R"({"model": {"type": "Unigram"}})", "\"Unigram\" is not supported"},
          {R"({"model": null})", "no \"model\""},
          {R"({"model": {"vocab": []}})", "no \"vocab\""},
          {R"({"model": {"vocab": {"b": 0}}})", "has the number of the token \"a\""},
          {R"({"model": {"vocab": {"b": -1}}})", "not a whole number"},
          {R"({"model": {"vocab": {"b": 4000000000}}})", "not a whole number"},
          {R"({"model": {"vocab": {"b": 1.5}}})", "not a whole number"},
          {R"({"model": {"merges": ["a c"]}})", "merge 1"},
          {R"({"model": {"merges": ["a b c"]}})", "merge 1: a merge is neither"},
          {R"({"model": {"merges": [["a"]]}})", "merge 1: a merge is neither"},
          {R"({"model": {"dropout": 0.1}})", "dropout"},
          {R"({"model": {"end_of_word_suffix": "</w>"}})", "end_of_word_suffix"},
          {R"({"model": {"unk_token": "?"}})", "unk_token \"?\""},
          {R"({"normalizer": {"type": "BertNormalizer"}})", "normalizer \"BertNormalizer\""},
          {R"({"normalizer": {"type": "Sequence"}})", "no list \"normalizers\""},
          {R"({"pre_tokenizer": {"type": "Whitespace"}})", "pre_tokenizer \"Whitespace\""},
          {R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"}})",
           "(a"},
          {R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "[a&&b]"}, "behavior": "Isolated"}})",
           "&&"},
          {R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a{1,2}+"}, "behavior": "Isolated"}})",
           "plus"},
          {R"({"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Somehow"}})",
           "Somehow"},
          {R"({"post_processor": {"type": "BertProcessing"}})",
           "post_processor \"BertProcessing\""},
          {R"({"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}]}})",
           "<s>"},
          {R"({"decoder": {"type": "WordPiece"}})", "decoder \"WordPiece\""},
          {R"({"added_tokens": [{"id": 0, "content": "<s>"}]})", "the vocabulary contradicts"},
          {R"({"added_tokens": [{"content": "<s>"}]})", "no id"}}) {
    json changed = good;
    changed.merge_patch(json::parse(refusal.change));
    const auto tokenizer = Tokenizer::Parse(changed.dump(), "", "t.json");
    ASSERT_FALSE(tokenizer) << refusal.change;
    EXPECT_THAT(tokenizer.error().Message(), HasSubstr(refusal.message)) << refusal.change;
    EXPECT_THAT(tokenizer.error().Message(), HasSubstr("t.json")) << refusal.change;
    EXPECT_EQ(tokenizer.error().code, ExitCode::kConfiguration);
  }
  EXPECT_FALSE(Tokenizer::Parse("[", "", "t.json"));
  EXPECT_FALSE(Tokenizer::Load("/no/such/folder"));
}

}  // namespace
}  // namespace ebb::train
