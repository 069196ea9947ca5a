#include "train/files/compress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/scratch_directory.h"
#include "train/data/batch.h"
#include "train/data/digits.h"
#include "train/files/checkpoint.h"
#include "train/files/model_file.h"
#include "train/learning/learning.h"
#include "train/loop/evaluate.h"

namespace ebb::train {
namespace {

using ::testing::HasSubstr;

class Compressing : public ::testing::Test {
 protected:
  Compressing() {
    torch::manual_seed(3);
    model_ = FindModel("small-cnn")->make();
    EXPECT_TRUE(SaveModel(directory_ / "model", *model_, "small-cnn"));
  }

  CompressOptions To(const std::string& name) const {
    return {.model = (directory_ / "model").string(), .output = (directory_ / name).string()};
  }

  const platform::Path directory_ = ScratchDirectory("compress");
  std::shared_ptr<Classifier> model_;
};

// Compares the result with a sort of all weights.
TEST_F(Compressing, PruningZeroesTheSmallestWeightsOfAllLayersAndKeepsTheRest) {
  std::vector<float> magnitudes;
  for (const torch::Tensor& parameter : model_->parameters()) {
    if (!IsWeight(parameter)) continue;
    const torch::Tensor flat = parameter.abs().flatten();
    magnitudes.insert(magnitudes.end(), flat.data_ptr<float>(),
                      flat.data_ptr<float>() + flat.numel());
  }
  std::sort(magnitudes.begin(), magnitudes.end());
  const auto before = FindModel("small-cnn")->make();
  for (auto& item : before->named_parameters())
    item.value().detach().copy_(model_->named_parameters()[item.key()].detach());
  const auto wanted = static_cast<std::int64_t>(0.7 * static_cast<double>(magnitudes.size()));
  EXPECT_EQ(Prune(*model_, 0.7), wanted);
  const float threshold = magnitudes[static_cast<std::size_t>(wanted)];
  for (const auto& item : before->named_parameters()) {
    const torch::Tensor was = item.value().detach();
    const torch::Tensor is = model_->named_parameters()[item.key()].detach();
    const torch::Tensor expected = IsWeight(was) ? was * was.abs().ge(threshold) : was;
    EXPECT_TRUE(torch::equal(is, expected)) << item.key();
  }
}

TEST_F(Compressing, FilesSayWhatBecameOfThem) {
  CompressOptions options = To("int8");
  options.int8 = true;
  const auto int8 = Compress(options);
  ASSERT_TRUE(int8) << int8.error().Message();
  EXPECT_LT(int8->bytes_after, int8->bytes_before / 2);
  options = To("pruned");
  options.pruned = 0.5;
  const auto pruned = Compress(options);
  ASSERT_TRUE(pruned) << pruned.error().Message();
  EXPECT_EQ(pruned->bytes_after, pruned->bytes_before) << "zeros take as much room";
  // A model in 8 bits stays in 8 bits, and pruning a second time changes nothing.
  options = {.model = (directory_ / "int8").string(), .output = (directory_ / "again").string()};
  options.int8 = true;
  ASSERT_TRUE(Compress(options));
  EXPECT_EQ(ParametersSha256(*LoadModel(directory_ / "again")->model),
            ParametersSha256(*LoadModel(directory_ / "int8")->model));
  options.output = (directory_ / "both").string();
  options.int8 = false;
  options.pruned = 0.5;
  ASSERT_TRUE(Compress(options));
  EXPECT_EQ(LoadModel(directory_ / "both")->form, WeightForm::kInt8);
}

TEST_F(Compressing, AnEvaluationCountsPassesAndWhatIsNotZero) {
  Prune(*model_, 0.5);
  ASSERT_TRUE(SaveModel(directory_ / "model", *model_, "small-cnn"));
  const Dataset test = DrawDigits({1, Split::kTest}, 30);
  EvaluateOptions options;
  options.batch_size = 7;
  options.repeat = 3;
  options.threads = 1;
  const auto found = EvaluateModel(options, *LoadModel(directory_ / "model"), test);
  ASSERT_TRUE(found) << found.error().Message();
  const nlohmann::ordered_json& json = found->value();
  EXPECT_EQ(json.at("model"), "small-cnn");
  EXPECT_EQ(json.at("parameters"), 5258);
  EXPECT_EQ(json.at("nonzero_parameters"), 5258 - (5258 - 34) / 2);
  EXPECT_EQ(json.at("inferences"), 90);
  const BatchSource source(test, torch::kCPU);
  model_->eval();
  EXPECT_NEAR(json.at("test_loss").get<double>(),
              Evaluate(*model_, source, {.micro_batch = 30}).loss, 1e-6);
}

TEST_F(Compressing, ImagesOfAnotherShapeAreRefused) {
  Dataset test = DrawDigits({1, Split::kTest}, 1);
  test.shape = {14, 56};
  const auto found = EvaluateModel({}, *LoadModel(directory_ / "model"), test);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().Message(), HasSubstr("images of 28 x 28, the data has 14 x 56"));
}

}  // namespace
}  // namespace ebb::train
