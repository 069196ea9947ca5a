#include "train/loop/speed.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <numeric>

#include "train/data/digits.h"
#include "train/devices/autocast.h"
#include "train/devices/device.h"
#include "train/learning/adam.h"
#include "train/learning/learning.h"
#include "train/library_errors.h"

namespace ebb::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 1;  // length of a measurement
// Seconds for kFirstSamples; if slower, whole batches would take too long.
constexpr double kSlowUpdate = 0.3;
constexpr std::size_t kFirstSamples = 8;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The convolution of a small network, large enough for the library's fast paths.
class Convolution {
 public:
  Convolution()
      : images_(torch::ones({16, 32, 14, 14}).contiguous(torch::MemoryFormat::ChannelsLast)),
        weights_(torch::ones({64, 32, 3, 3}).contiguous(torch::MemoryFormat::ChannelsLast)) {}

  /// Infinite if the library cannot compute it.
  double Seconds(Precision precision) const {
    const auto begin = Clock::now();
    const AutocastScope autocast(precision, torch::kCPU);
    try {
      torch::conv2d(images_, weights_);
    } catch (const std::exception&) {
      return std::numeric_limits<double>::infinity();
    }
    return SecondsSince(begin);
  }

 private:
  torch::Tensor images_, weights_;
};

}  // namespace

PrecisionTrial TryPrecision(Precision precision) {
  constexpr int kMost = 10;
  constexpr double kLongest = 0.5;
  const torch::NoGradGuard no_grad;
  const Convolution convolution;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  PrecisionTrial trial{kNever, kNever, CpuHasArithmetic(CpuFlags(), precision)};
  const auto begin = Clock::now();
  // The first run of each precision is slower, because the library makes its kernels then.
  for (int i = 0; i < kMost && (i < 2 || SecondsSince(begin) < kLongest); ++i) {
    trial.fp32_seconds = std::min(trial.fp32_seconds, convolution.Seconds(Precision::kFp32));
    trial.mixed_seconds = std::min(trial.mixed_seconds, convolution.Seconds(precision));
  }
  return trial;
}

namespace {

Result<double> MeasureUnguarded(const Options& options, Precision precision) {
  EBB_ASSIGN_OR_RETURN(const ModelInfo info, FindModel(options.model));
  EBB_ASSIGN_OR_RETURN(const torch::Device device, SelectDevice(options.device));
  EBB_RETURN_IF_ERROR(RequirePrecisionSupported(precision, device.type()));
  UseThreads(options.threads);
  const auto batch = static_cast<std::size_t>(options.batch_size);
  const Dataset digits = DrawDigits({options.data_seed, Split::kTrain}, batch);
  const BatchSource source(digits, device);
  const auto model = info.make();
  model->to(device);
  UseFastMemoryFormat(*model, device, precision);
  model->train();
  Adam optimizer(*model);
  const UpdateSettings settings{batch, precision, 1};
  std::vector<std::uint32_t> samples(batch);
  std::iota(samples.begin(), samples.end(), 0U);
  const auto update = [&](std::size_t count) {
    const auto begin = Clock::now();
    optimizer.ClearGradients();
    AddGradients(*model, source, std::span(samples).first(count), settings).item<float>();
    optimizer.Step(options.learning_rate.initial);
    return SecondsSince(begin);
  };
  const std::size_t first = std::min(batch, kFirstSamples);
  update(first);
  const std::size_t count = update(first) > kSlowUpdate ? first : batch;
  if (count != first) update(count);
  double seconds = 0;
  std::size_t done = 0;
  for (; seconds < kSeconds; done += count) seconds += update(count);
  return static_cast<double>(done) / seconds;
}

}  // namespace

std::string PrecisionNotice(Precision precision, torch::Device device) {
  if (precision == Precision::kFp32 || !device.is_cpu()) return "";
  const auto notice = EmulationNotice(precision, TryPrecision(precision));
  if (notice) std::fprintf(stderr, "ebb-train: warning: %s\n", notice->c_str());
  return notice.value_or("");
}

Result<double> MeasureSpeed(const Options& options, Precision precision) {
  return WithLibraryErrors([&] { return MeasureUnguarded(options, precision); });
}

}  // namespace ebb::train
