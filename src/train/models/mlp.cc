// A perceptron with wide hidden layers. Nearly all of its time is matrix multiplication, so it
// shows what a number format or a BLAS is worth.

#include "train/model.h"

namespace ebb::train {
namespace {

constexpr int kHidden = 2048;

class Mlp : public Classifier {
 public:
  Mlp() {
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
    register_module("fc3", fc3_);
    register_module("out", out_);
  }

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = fc1_(images.flatten(1)).relu_();
    x = fc2_(x).relu_();
    x = fc3_(x).relu_();
    return torch::log_softmax(out_(x), 1);
  }

 private:
  torch::nn::Linear fc1_{784, kHidden};
  torch::nn::Linear fc2_{kHidden, kHidden};
  torch::nn::Linear fc3_{kHidden, kHidden};
  torch::nn::Linear out_{kHidden, kClasses};
};

const ModelRegistration kRegistration({
    .name = "mlp",
    .description = "three hidden layers of 2048, 10 M parameters: nearly all matrix multiplication",
    .input = {28, 28},
    .make = [] { return std::make_shared<Mlp>(); },
});

}  // namespace
}  // namespace ebb::train
