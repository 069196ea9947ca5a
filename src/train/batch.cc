#include "train/batch.h"

namespace ebb::train {
namespace {

// Mean and standard deviation of MNIST's training pixels on the scale 0..1, as PyTorch's example
// uses them.
constexpr float kMean = 0.1307F;
constexpr float kStandardDeviation = 0.3081F;

void Normalise(std::span<const std::uint8_t> pixels, float* out) {
  constexpr float kScale = 1.0F / (255.0F * kStandardDeviation);
  constexpr float kOffset = kMean / kStandardDeviation;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    out[i] = static_cast<float>(pixels[i]) * kScale - kOffset;
}

}  // namespace

Batch BatchSource::Gather(std::span<const std::uint32_t> samples) const {
  const bool pinned = device_.is_cuda();
  const auto count = static_cast<std::int64_t>(samples.size());
  const auto rows = static_cast<std::int64_t>(dataset_.shape.rows);
  const auto columns = static_cast<std::int64_t>(dataset_.shape.columns);
  Batch batch{
      torch::empty({count, 1, rows, columns}, torch::dtype(torch::kFloat32).pinned_memory(pinned)),
      torch::empty({count}, torch::dtype(torch::kInt64).pinned_memory(pinned))};
  float* image = batch.images.data_ptr<float>();
  std::int64_t* label = batch.labels.data_ptr<std::int64_t>();
  for (const std::uint32_t sample : samples) {
    Normalise(dataset_.image(sample), image);
    image += dataset_.shape.pixels();
    *label++ = dataset_.labels[sample];
  }
  if (!pinned) return batch;
  return {batch.images.to(device_, /*non_blocking=*/true),
          batch.labels.to(device_, /*non_blocking=*/true)};
}

}  // namespace ebb::train
