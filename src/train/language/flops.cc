#include "train/language/flops.h"

#include <algorithm>
#include <chrono>

#include "train/language/decoder.h"

namespace ebb::train {

double TrainingFlops(const ModelConfig& config, const LoraSettings& lora,
                     const TokenCounts& counts) {
  double frozen = 0, trained = 0;
  for (std::size_t i = 0; i < kProjectionCount; ++i) {
    const auto shape = ShapeOf(config, static_cast<Projection>(i));
    const auto out = static_cast<double>(shape[0]), in = static_cast<double>(shape[1]);
    frozen += out * in;
    if (lora.targets.contains(static_cast<Projection>(i)))
      trained += static_cast<double>(lora.rank) * (out + in);
  }
  const auto layers = static_cast<double>(config.layers);
  const double head = static_cast<double>(config.vocabulary * config.hidden);
  // A token looks at half of its sequence on average: scores and their use, forward once, backward
  // twice.
  const double attention =
      3 * 2 * 2 * 0.5 * static_cast<double>(config.heads * config.head_size) * layers;
  return (4 * frozen + 6 * trained) * layers * counts.tokens + 4 * head * counts.predicted +
         attention * counts.squared_lengths;
}

double MeasuredPeakFlops(torch::Device device, torch::ScalarType type) {
  constexpr std::int64_t kSize = 1024;
  constexpr int kTrials = 4;
  const torch::NoGradGuard no_grad;
  const auto options = torch::dtype(type).device(device);
  const torch::Tensor a = torch::ones({kSize, kSize}, options),
                      b = torch::ones({kSize, kSize}, options);
  torch::Tensor product = torch::mm(a, b);  // the first one sets the library up
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto begin = std::chrono::steady_clock::now();
    product = torch::mm(a, b);
    (void)product[0][0].item<float>();  // waits for the device
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds);
  }
  return best;
}

}  // namespace ebb::train
