#include "train/language/weights/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/scratch_directory.h"

namespace ebb::train {
namespace {

using testing::HasSubstr;

class WeightFilesTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(platform::WriteFileAtomically(folder_ / name, text));
  }
  void WriteShard(const std::string& name, const std::string& tensor) {
    Write(name, EncodeSafetensors({{tensor, "F32", {1}, "abcd"}}, {}));
  }
  std::string Refusal() {
    const auto files = WeightFiles::Open(folder_);
    return files ? "accepted" : files.error().Message();
  }
  const platform::Path folder_ = ScratchDirectory("weights");
};

TEST_F(WeightFilesTest, ReadsShardsByTheirIndex) {
  WriteShard("one.safetensors", "a");
  WriteShard("two.safetensors", "b");
  Write("model.safetensors.index.json",
        R"({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})");
  const auto files = WeightFiles::Open(folder_);
  ASSERT_TRUE(files) << files.error().Message();
  EXPECT_EQ(files->weights().at("b").tensor.data, "abcd");
}

TEST_F(WeightFilesTest, NamesWhatTheIndexClaimsWrongly) {
  WriteShard("one.safetensors", "a");
  Write("model.safetensors.index.json",
        R"({"weight_map": {"a": "one.safetensors", "b": "one.safetensors"}})");
  EXPECT_THAT(Refusal(), HasSubstr("lacks the tensor b"));
  Write("model.safetensors.index.json", R"({"weight_map": {"a": "missing.safetensors"}})");
  EXPECT_THAT(Refusal(), HasSubstr("missing.safetensors"));
  Write("model.safetensors.index.json", R"({"weight_map": {"a": "../one.safetensors"}})");
  EXPECT_THAT(Refusal(), HasSubstr("in no file of this folder"));
  Write("model.safetensors.index.json", R"({"weight_map": {"a": 7}})");
  EXPECT_THAT(Refusal(), HasSubstr("in no file of this folder"));
  WriteShard("two.safetensors", "a");
  Write("model.safetensors.index.json",
        R"({"weight_map": {"a": "one.safetensors", "x": "two.safetensors"}})");
  EXPECT_THAT(Refusal(), HasSubstr("another file of this folder too"));
}

TEST_F(WeightFilesTest, AFolderWithoutWeightsSaysHowToGetThem) {
  EXPECT_THAT(Refusal(), HasSubstr("safe_serialization=True"));
}

TEST_F(WeightFilesTest, ADamagedFileIsNamed) {
  Write("model.safetensors", "short");
  EXPECT_THAT(Refusal(), HasSubstr("model.safetensors"));
}

}  // namespace
}  // namespace ebb::train
