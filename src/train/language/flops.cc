#include "train/language/flops.h"

#include <algorithm>
#include <chrono>

#include "train/language/decoder.h"
#include "train/language/linear_product.h"

namespace ebb::train {

namespace {

double ElementsOf(const ModelConfig& config, Projection projection) {
  const auto shape = ShapeOf(config, projection);
  return static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
}

// Scores and their use: a token looks at half of its sequence on average.
double AttentionFlops(const ModelConfig& config, const TokenCounts& counts) {
  return 2 * 2 * 0.5 * static_cast<double>(config.heads * config.head_size * config.layers) *
         counts.squared_lengths;
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

// The backward pass has each frozen product once more, and those of attention twice.
double TrainingFlops(const ModelConfig& config, const LoraSettings& lora,
                     const TokenCounts& counts) {
  double trained = 0;
  for (const Projection target : lora.targets) {
    const auto shape = ShapeOf(config, target);
    trained += static_cast<double>(lora.rank) * static_cast<double>(shape[0] + shape[1]);
  }
  const auto layers = static_cast<double>(config.layers);
  return 2 * ForwardFlops(config, counts) + AttentionFlops(config, counts) +
         6 * trained * layers * counts.tokens;
}

double MeasuredPeakFlops(torch::Device device, torch::ScalarType type) {
  constexpr std::int64_t kSize = 1024;
  constexpr int kTrials = 4;
  const torch::NoGradGuard no_grad;
  const auto options = torch::dtype(type).device(device);
  const torch::Tensor a = torch::ones({kSize, kSize}, options),
                      b = torch::ones({kSize, kSize}, options);
  torch::Tensor product = LinearProduct(a, b);  // the first one sets the library up
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto begin = std::chrono::steady_clock::now();
    product = LinearProduct(a, b);
    (void)product[0][0].item<float>();  // waits for the device
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds);
  }
  return best;
}

}  // namespace ebb::train
