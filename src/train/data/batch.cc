#include "train/data/batch.h"

#include <numeric>
#include <vector>

#include "train/devices/on_device.h"

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

// Larger data sets stay in the host's memory unless the user says otherwise.
constexpr std::size_t kMostBytesOnDevice = std::size_t{2} << 30;

bool GoesToDevice(const Dataset& dataset, torch::Device device, DataPlace place) {
  if (place != DataPlace::kAuto) return place == DataPlace::kDevice;
  return device.is_cuda() && dataset.pixels.size() <= kMostBytesOnDevice;
}

torch::Tensor BytesOf(const std::vector<std::uint8_t>& bytes) {
  return torch::from_blob(const_cast<std::uint8_t*>(bytes.data()),
                          {static_cast<std::int64_t>(bytes.size())}, torch::kUInt8);
}

torch::Tensor NormalisedBytes() {
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  torch::Tensor numbers = torch::empty({256});
  Normalise(bytes, numbers.data_ptr<float>());
  return numbers;
}

}  // namespace

BatchSource::BatchSource(const Dataset& dataset, torch::Device device, DataPlace place)
    : dataset_(dataset), device_(device) {
  if (!GoesToDevice(dataset, device, place)) return;
  pixels_ = BytesOf(dataset.pixels)
                .view({static_cast<std::int64_t>(dataset.size()),
                       static_cast<std::int64_t>(dataset.shape.pixels())})
                .to(device);
  labels_ = BytesOf(dataset.labels).to(device).to(torch::kInt64);
  normalised_ = NormalisedBytes().to(device);
}

Batch BatchSource::Gather(std::span<const std::uint32_t> samples) const {
  if (!is_on_device()) return GatherOnHost(samples);
  return Gather(OnDevice(std::vector<std::int64_t>(samples.begin(), samples.end()), device_));
}

Batch BatchSource::Gather(const torch::Tensor& samples) const {
  const torch::Tensor bytes = pixels_.index_select(0, samples).flatten().to(torch::kInt32);
  return {normalised_.index_select(0, bytes).view(
              {samples.size(0), 1, static_cast<std::int64_t>(dataset_.shape.rows),
               static_cast<std::int64_t>(dataset_.shape.columns)}),
          labels_.index_select(0, samples)};
}

Batch BatchSource::GatherOnHost(std::span<const std::uint32_t> samples) const {
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
