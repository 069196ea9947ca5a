#pragma once
// Small models and helpers for tests that use LibTorch.

#include <cstdint>
#include <numeric>
#include <vector>

#include "train/libtorch.h"
#include "train/model.h"

namespace ebb::train {

/// A convolution and a linear layer without dropout: fast, and its gradient is a function of the
/// batch alone.
class TinyCnn : public Classifier {
 public:
  TinyCnn() {
    register_module("conv", conv_);
    register_module("fc", fc_);
  }
  torch::Tensor forward(torch::Tensor images) override {
    const torch::Tensor x =
        torch::max_pool2d(conv_(images.to(conv_->weight.scalar_type())), 4).relu_();
    return torch::log_softmax(fc_(x.flatten(1)), 1);
  }

 private:
  torch::nn::Conv2d conv_{torch::nn::Conv2dOptions(1, 8, 3)};
  torch::nn::Linear fc_{8 * 6 * 6, kClasses};
};

inline std::vector<std::uint32_t> FirstSamples(std::size_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

/// max |a - b| / max |b| over all tensors.
inline double RelativeDifference(const std::vector<torch::Tensor>& a,
                                 const std::vector<torch::Tensor>& b) {
  double difference = 0;
  double scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, (a[i] - b[i]).abs().max().item<double>());
    scale = std::max(scale, b[i].abs().max().item<double>());
  }
  return difference / scale;
}

}  // namespace ebb::train
