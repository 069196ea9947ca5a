#include "train/language/model/flops.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "train/language/model/decoder.h"
#include "train/language/products/linear_product.h"

namespace ebb::train {

namespace {

double ElementsOf(const ModelConfig& config, Projection projection) {
  const auto shape = ShapeOf(config, projection);
  return static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
}

// Operations for scores and their use. A token looks at half of its sequence on average.
double AttentionFlops(const ModelConfig& config, const TokenCounts& counts) {
  return 2 * 2 * 0.5 * static_cast<double>(config.heads * config.head_size * config.layers) *
         counts.squared_lengths;
}

// Operations of a product of two square matrices.
double OperationsOf(std::int64_t size) { return 2 * std::pow(static_cast<double>(size), 3); }

// Operations per second of the fastest of some products of that size.
double FlopsOfProducts(std::int64_t size, const torch::TensorOptions& options) {
  constexpr int kTrials = 4;
  const torch::NoGradGuard no_grad;
  // With equal numbers a GPU needs less power and is faster than with those of a model.
  const torch::Tensor a = torch::rand({size, size}, options).sub_(0.5),
                      b = torch::rand({size, size}, options).sub_(0.5);
  torch::Tensor product = LinearProduct(a, b);  // the first one sets the library up
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto begin = std::chrono::steady_clock::now();
    product = LinearProduct(a, b);
    (void)product[0][0].item<float>();  // waits for the device
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, OperationsOf(size) / seconds);
  }
  return best;
}

}  // namespace

double ForwardFlops(const ModelConfig& config, const TokenCounts& counts) {
  double weights = 0;
  for (std::size_t i = 0; i < kProjectionCount; ++i)
    weights += ElementsOf(config, static_cast<Projection>(i));
  const auto layers = static_cast<double>(config.layers);
  const double head = static_cast<double>(config.vocabulary * config.hidden);
  return 2 * weights * layers * counts.tokens + 2 * head * counts.predicted +
         AttentionFlops(config, counts);
}

// The backward pass repeats each frozen product once, and those of attention twice.
double TrainingFlops(const ModelConfig& config, double trained, const TokenCounts& counts) {
  return 2 * ForwardFlops(config, counts) + AttentionFlops(config, counts) +
         6 * trained * counts.tokens;
}

double MeasuredPeakFlops(torch::Device device, torch::ScalarType type) {
  constexpr std::int64_t kSmallest = 1024;
  const std::int64_t largest = device.is_cuda() ? 16384 : 4096;
  constexpr double kFaster = 1.02, kLongestSeconds = 0.3;
  double best = 0;
  for (std::int64_t size = kSmallest; size <= largest; size *= 2) {
    const double found = FlopsOfProducts(size, torch::dtype(type).device(device));
    const bool is_full = found < kFaster * best;
    best = std::max(best, found);
    const double next_seconds = OperationsOf(2 * size) / found;
    if (is_full || next_seconds > kLongestSeconds) break;
  }
  return best;
}

}  // namespace ebb::train
