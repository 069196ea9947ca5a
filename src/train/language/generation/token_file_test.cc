#include "train/language/generation/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "testing/scratch_directory.h"

namespace ebb::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<TextData> Loaded(const std::string& text, double validation_share = 0) {
  const platform::Path file = ScratchDirectory("tokens") / "tokens.jsonl";
  EXPECT_TRUE(platform::WriteFileAtomically(file, text));
  return LoadTokenFile(
      {.path = file, .vocabulary = 10, .max_tokens = 4, .validation_share = validation_share});
}

std::string Refusal(const std::string& text) {
  const auto data = Loaded(text);
  return data ? "accepted" : data.error().Message();
}

TEST(TokenFile, ReadsIdsAndMasksAndCuts) {
  const auto data =
      Loaded("{\"input_ids\": [4, 5, 6, 7, 8], \"loss_mask\": [0, 0, 1, true, 1]}\n\n");
  ASSERT_TRUE(data) << data.error().Message();
  const std::vector<std::uint32_t> rows = {0};
  const TextBatch batch = data->training.Batch(rows);
  EXPECT_THAT(batch.ids, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(batch.loss_mask, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Loaded("{\"input_ids\": [1, 2, 3]}")->training.Batch(rows).loss_mask,
              ElementsAre(0, 1, 1));
}

TEST(TokenFile, WhatHasNothingToPredictIsLeftOut) {
  const auto data = Loaded(
      "{\"input_ids\": [1]}\n{\"input_ids\": [1, 2], \"loss_mask\": [1, 0]}\n{\"input_ids\": [1, "
      "2]}");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->training.rows(), 1U);
  EXPECT_EQ(data->counts.without_loss, 2U);
  EXPECT_THAT(Refusal("{\"input_ids\": [1]}"), HasSubstr("left to train on"));
}

TEST(TokenFile, NamesFileAndLineOfAMistake) {
  EXPECT_THAT(Refusal("{\"input_ids\": [1, 2]}\nnot json"), HasSubstr("tokens.jsonl:2"));
  EXPECT_THAT(Refusal("{\"ids\": [1]}"), HasSubstr("no list input_ids"));
  EXPECT_THAT(Refusal("{\"input_ids\": [1, 10]}"), HasSubstr("does not have: 10"));
  EXPECT_THAT(Refusal("{\"input_ids\": [1, -1]}"), HasSubstr("does not have: -1"));
  EXPECT_THAT(Refusal("{\"input_ids\": [1, 2], \"loss_mask\": [1]}"), HasSubstr("another length"));
}

TEST(TokenFile, AShareIsForValidation) {
  const auto data = Loaded(
      "{\"input_ids\": [1, 1]}\n{\"input_ids\": [2, 2]}\n{\"input_ids\": [3, 3]}\n"
      "{\"input_ids\": [4, 4]}\n{\"input_ids\": [5, 5]}\n",
      0.2);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->validation.rows(), 1U);
  EXPECT_EQ(data->training.rows(), 4U);
}

}  // namespace
}  // namespace ebb::train
