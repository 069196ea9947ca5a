// A small convolutional network: two 3x3 convolutions of few channels, each pooled, and one linear
// layer; 5,258 parameters and a sixtieth of SimpleCNN's multiplications. It is a student for a
// larger model (docs/train.md, "A teacher").

#include "train/model.h"

namespace ebb::train {
namespace {

class SmallCnn : public Classifier {
 public:
  SmallCnn() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("fc", fc_);
  }

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = torch::max_pool2d(conv1_(std::move(images)), 2).relu_();
    x = torch::max_pool2d(conv2_(x), 2).relu_();
    return torch::log_softmax(fc_(x.flatten(1)), 1);
  }

 private:
  torch::nn::Conv2d conv1_{torch::nn::Conv2dOptions(1, 8, 3)};
  torch::nn::Conv2d conv2_{torch::nn::Conv2dOptions(8, 16, 3)};
  torch::nn::Linear fc_{400, kClasses};
};

const ModelRegistration kRegistration({
    .name = "small-cnn",
    .description = "two convolutions of 8 and 16 channels, one linear layer, 5,258 parameters",
    .input = {28, 28},
    .make = [] { return std::make_shared<SmallCnn>(); },
});

}  // namespace
}  // namespace ebb::train
