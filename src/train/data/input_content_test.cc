#include "train/data/input_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/scratch_directory.h"

namespace ebb::train {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InputContentTest : public ::testing::Test {
 protected:
  InputContent Of(const std::string& bytes, DigestOf digest = DigestOf::kWhole) const {
    EXPECT_TRUE(platform::WriteFileAtomically(file_, bytes));
    InputContent content;
    EXPECT_TRUE(AddInput(content, file_, digest));
    return content;
  }
  const platform::Path file_ = ScratchDirectory("input-content") / "data.jsonl";
};

TEST_F(InputContentTest, OneChangedByteIsFound) {
  const InputContent before = Of("abc");
  EXPECT_THAT(ChangedInputs(before, Of("abc")), IsEmpty());
  EXPECT_THAT(ChangedInputs(before, Of("abd")), ElementsAre(file_.string()));
}

TEST_F(InputContentTest, WhatWasAddedOrIsGoneIsFound) {
  const InputContent one = Of("abc");
  InputContent two = one;
  AddInput(two, "the training images", "xyz");
  EXPECT_THAT(ChangedInputs(one, two), ElementsAre("the training images"));
  EXPECT_THAT(ChangedInputs(two, one), ElementsAre("the training images"));
  EXPECT_THAT(ChangedInputs(nullptr, two), IsEmpty()) << "a checkpoint of an older version";
}

TEST_F(InputContentTest, ALargeFileIsSampledUnlessTheWholeIsAskedFor) {
  std::string bytes((64U << 20) + 12345, 'a');
  const InputContent sampled = Of(bytes, DigestOf::kSamples);
  const InputContent both = Of(bytes, DigestOf::kBoth);
  EXPECT_FALSE(sampled[file_.string()].contains("sha256"));
  EXPECT_THAT(ChangedInputs(sampled, both), IsEmpty()) << "what both know is equal";
  bytes.back() = 'b';
  EXPECT_THAT(ChangedInputs(sampled, Of(bytes, DigestOf::kSamples)), ElementsAre(file_.string()));
  bytes.back() = 'a';
  bytes[8U << 20] = 'b';  // a byte between two samples
  EXPECT_THAT(ChangedInputs(sampled, Of(bytes, DigestOf::kSamples)), IsEmpty());
  EXPECT_THAT(ChangedInputs(both, Of(bytes, DigestOf::kBoth)), ElementsAre(file_.string()));
}

TEST_F(InputContentTest, AMissingFileIsNamed) {
  InputContent content;
  const Status added = AddInput(content, file_.parent_path() / "none", DigestOf::kWhole);
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().Message(), ::testing::HasSubstr("none"));
}

}  // namespace
}  // namespace ebb::train
