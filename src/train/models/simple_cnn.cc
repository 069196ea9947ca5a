// The small convolutional network of PyTorch's MNIST example and of the article that Ebb's
// comparison follows: two 3x3 convolutions, 2x2 max-pooling, two dropouts, two linear layers;
// 1,199,882 parameters.

#include "train/model.h"

namespace ebb::train {
namespace {

class SimpleCnn : public Classifier {
 public:
  SimpleCnn() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
  }

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = conv1_(std::move(images)).relu_();
    x = torch::max_pool2d(conv2_(x), 2).relu_();
    x = torch::feature_dropout(x, 0.25, is_training()).flatten(1);
    x = torch::dropout(fc1_(x).relu_(), 0.5, is_training());
    return torch::log_softmax(fc2_(x), 1);
  }

 private:
  torch::nn::Conv2d conv1_{torch::nn::Conv2dOptions(1, 32, 3)};
  torch::nn::Conv2d conv2_{torch::nn::Conv2dOptions(32, 64, 3)};
  torch::nn::Linear fc1_{9216, 128};
  torch::nn::Linear fc2_{128, kClasses};
};

const ModelRegistration kRegistration({
    .name = "simple-cnn",
    .description =
        "two convolutions, two linear layers, 1.2 M parameters (the article's SimpleCNN)",
    .input = {28, 28},
    .make = [] { return std::make_shared<SimpleCnn>(); },
});

}  // namespace
}  // namespace ebb::train
