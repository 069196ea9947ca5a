#include "train/files/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "testing/scratch_directory.h"
#include "train/files/checkpoint.h"
#include "train/files/safetensors.h"

namespace ebb::train {
namespace {

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() {
    torch::manual_seed(3);
    model_ = FindModel("small-cnn")->make();
  }

  LoadedModel Saved(WeightForm form) {
    EXPECT_TRUE(SaveModel(path_, *model_, "small-cnn", form));
    auto loaded = LoadModel(path_);
    EXPECT_TRUE(loaded) << loaded.error().Message();
    return loaded ? *loaded : LoadedModel{};
  }

  // Returns the message about the file after `change` altered its tensors and metadata.
  template <typename Change>
  std::string Refusal(const Change& change) {
    EXPECT_TRUE(SaveModel(path_, *model_, "small-cnn", WeightForm::kInt8));
    const std::string file = *platform::ReadFile(path_);
    SafetensorsView view = *DecodeSafetensors(file, "");
    change(view);
    EXPECT_TRUE(
        platform::WriteFileAtomically(path_, EncodeSafetensors(view.tensors, view.metadata)));
    const auto loaded = LoadModel(path_);
    if (loaded) return "accepted";
    EXPECT_EQ(loaded.error().code, ExitCode::kConfiguration);
    return loaded.error().Message();
  }

  static TensorBytes& Named(SafetensorsView& view, const std::string& name) {
    return *std::find_if(view.tensors.begin(), view.tensors.end(),
                         [&](const TensorBytes& tensor) { return tensor.name == name; });
  }

  const platform::Path directory_ = ScratchDirectory("model-file");
  const platform::Path path_ = directory_ / "model.safetensors";
  std::shared_ptr<Classifier> model_;
};

TEST_F(ModelFile, APlainModelComesBackWithItsNameAndBits) {
  const LoadedModel loaded = Saved(WeightForm::kPlain);
  EXPECT_EQ(loaded.info.name, "small-cnn");
  EXPECT_EQ(loaded.form, WeightForm::kPlain);
  EXPECT_EQ(ParametersSha256(*loaded.model), ParametersSha256(*model_));
  EXPECT_FALSE(loaded.model->is_training());
  EXPECT_EQ(loaded.file_bytes, std::filesystem::file_size(path_));
}

// The bound is half a step of 254 between the least and the largest weight of an output.
TEST_F(ModelFile, InEightBitsEachWeightIsOffByAtMostHalfAScale) {
  const std::uint64_t plain_bytes = Saved(WeightForm::kPlain).file_bytes;
  const LoadedModel loaded = Saved(WeightForm::kInt8);
  EXPECT_EQ(loaded.form, WeightForm::kInt8);
  EXPECT_LT(static_cast<double>(loaded.file_bytes), 0.4 * static_cast<double>(plain_bytes));
  const auto ours = loaded.model->named_parameters();
  for (const auto& item : model_->named_parameters()) {
    const torch::Tensor difference = (ours[item.key()] - item.value()).abs();
    if (!IsWeight(item.value())) {
      EXPECT_EQ(difference.max().item<float>(), 0) << item.key();
      continue;
    }
    const torch::Tensor rows = item.value().flatten(1);
    const torch::Tensor half_scale = rows.abs().amax({1}, /*keepdim=*/true) / 254;
    EXPECT_TRUE((difference.flatten(1) <= half_scale * 1.0001).all().item<bool>()) << item.key();
    EXPECT_GT(difference.max().item<float>(), 0) << item.key();
  }
}

TEST_F(ModelFile, AWeightThatIsNotFiniteIsRefusedByName) {
  const torch::NoGradGuard no_grad;
  model_->parameters()[2].view(-1)[5].fill_(std::numeric_limits<float>::infinity());
  const Status saved = SaveModel(path_, *model_, "small-cnn", WeightForm::kInt8);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().Message(), ::testing::HasSubstr("a weight of conv2.weight"));
}

TEST_F(ModelFile, FilesThatAreNoModelOfOursSayWhy) {
  using ::testing::HasSubstr;
  const auto missing = LoadModel(directory_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ExitCode::kConfiguration);
  EXPECT_THAT(Refusal([](SafetensorsView& view) { view.metadata.erase("ebb.model"); }),
              HasSubstr("does not say which model it is"));
  EXPECT_THAT(Refusal([](SafetensorsView& view) { view.metadata["ebb.model"] = "small-cn"; }),
              HasSubstr("did you mean \"small-cnn\"?"));
  EXPECT_THAT(Refusal([](SafetensorsView& view) { view.metadata["ebb.model"] = "mlp"; }),
              HasSubstr("lacks the tensor"));
  EXPECT_THAT(Refusal([](SafetensorsView& view) { Named(view, "fc.weight.scale").name = "x"; }),
              HasSubstr("lacks the tensor fc.weight "));
  EXPECT_THAT(Refusal([](SafetensorsView& view) {
                std::vector<std::int64_t>& shape = Named(view, "conv2.weight.scale").shape;
                shape = {4, 4};
              }),
              HasSubstr("lacks the tensor conv2.weight "));
  EXPECT_THAT(Refusal([](SafetensorsView& view) {
                TensorBytes more = Named(view, "fc.bias");
                more.name = "more";
                view.tensors.push_back(more);
              }),
              HasSubstr("tensors that the model small-cnn has not"));
}

}  // namespace
}  // namespace ebb::train
