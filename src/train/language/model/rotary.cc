#include "train/language/model/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ebb::train {
namespace {

// base ^ (-2 i / head_size), in double, because the callers round once, at the end.
std::vector<double> PlainFrequencies(double base, std::int64_t head_size) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < head_size; i += 2)
    frequencies.push_back(1 /
                          std::pow(base, static_cast<double>(i) / static_cast<double>(head_size)));
  return frequencies;
}

double DynamicBase(const ModelConfig& config, std::int64_t sequence_length) {
  const double factor = config.rotary_scaling.factor;
  const auto positions = static_cast<double>(config.positions);
  const double length = std::max(static_cast<double>(sequence_length), positions);
  const auto size = static_cast<double>(config.head_size);
  if (size <= 2) return config.rotary_base;
  return config.rotary_base *
         std::pow(factor * length / positions - (factor - 1), size / (size - 2));
}

double Llama3Frequency(double frequency, const RotaryScaling& scaling) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength < scaling.original_positions / scaling.high_frequency_factor) return frequency;
  if (wavelength > scaling.original_positions / scaling.low_frequency_factor)
    return frequency / scaling.factor;
  const double smooth = (scaling.original_positions / wavelength - scaling.low_frequency_factor) /
                        (scaling.high_frequency_factor - scaling.low_frequency_factor);
  return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

// The dimension that makes `rotations` turns over the context of the pre-training.
double YarnDimension(double rotations, const ModelConfig& config) {
  return static_cast<double>(config.head_size) *
         std::log(config.rotary_scaling.original_positions / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(config.rotary_base));
}

double YarnScale(double factor, double mscale) {
  return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

double YarnAmplitude(const RotaryScaling& scaling) {
  if (scaling.attention_factor) return *scaling.attention_factor;
  if (scaling.mscale.value_or(0) != 0 && scaling.mscale_all_dim.value_or(0) != 0)
    return YarnScale(scaling.factor, *scaling.mscale) /
           YarnScale(scaling.factor, *scaling.mscale_all_dim);
  return YarnScale(scaling.factor, 1);
}

void StretchByYarn(const ModelConfig& config, std::vector<double>& frequencies) {
  const RotaryScaling& scaling = config.rotary_scaling;
  double low = YarnDimension(scaling.beta_fast, config);
  double high = YarnDimension(scaling.beta_slow, config);
  if (scaling.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(config.head_size - 1));
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] / scaling.factor * ramp + frequencies[i] * (1 - ramp);
  }
}

}  // namespace

RotaryFrequencies FrequenciesFor(const ModelConfig& config, std::int64_t sequence_length) {
  const RotaryScaling& scaling = config.rotary_scaling;
  const double base = scaling.kind == RotaryScalingKind::kDynamic
                          ? DynamicBase(config, sequence_length)
                          : config.rotary_base;
  std::vector<double> frequencies = PlainFrequencies(base, config.head_size);
  RotaryFrequencies result;
  switch (scaling.kind) {
    case RotaryScalingKind::kNone:
    case RotaryScalingKind::kDynamic:
      break;
    case RotaryScalingKind::kLinear:
      for (double& frequency : frequencies) frequency /= scaling.factor;
      break;
    case RotaryScalingKind::kLlama3:
      for (double& frequency : frequencies) frequency = Llama3Frequency(frequency, scaling);
      break;
    case RotaryScalingKind::kYarn:
      StretchByYarn(config, frequencies);
      result.amplitude = YarnAmplitude(scaling);
      break;
  }
  result.radians_per_position.assign(frequencies.begin(), frequencies.end());
  return result;
}

RotaryFrequencies WindowFrequenciesFor(const ModelConfig& config) {
  const std::vector<double> frequencies =
      PlainFrequencies(config.window_rotary_base.value_or(config.rotary_base), config.head_size);
  return {{frequencies.begin(), frequencies.end()}, 1};
}

}  // namespace ebb::train
