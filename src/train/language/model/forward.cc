#include "train/language/model/forward.h"

#include <cmath>
#include <utility>

#include "base/random.h"
#include "train/devices/on_device.h"
#include "train/language/adapter/lora_linear.h"
#include "train/language/model/attention.h"
#include "train/language/model/checkpointed.h"
#include "train/language/model/library_attention.h"
#include "train/language/model/ops.h"
#include "train/language/model/rotary.h"
#include "train/language/products/linear_product.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// Positions {T} or {B, T} -> cosines and sines of the angles, in fp32, the precision in which
// models are trained.
RotaryTable TableFor(const RotaryFrequencies& frequencies, const Tensor& positions,
                     torch::ScalarType type) {
  const Tensor speeds =
      OnDevice(torch::tensor(frequencies.radians_per_position, torch::dtype(torch::kFloat32)),
               positions.device());
  const Tensor angles = positions.to(torch::kFloat32).unsqueeze(-1) * speeds;
  const auto inside = torch::promote_types(type, torch::kFloat32);
  return {(angles.cos() * frequencies.amplitude).to(inside),
          (angles.sin() * frequencies.amplitude).to(inside)};
}

// `starts` (attention.h) for layers in which each token sees only a window of tokens: {B, keys}.
Tensor StartsInWindow(const Tensor& starts, std::int64_t window, std::int64_t batch,
                      std::int64_t keys, const torch::TensorOptions& ids) {
  if (window <= 0 || keys <= window) return starts;
  const Tensor first =
      (torch::arange(keys, ids) - (window - 1)).clamp_min_(0).expand({batch, keys});
  return starts.defined() ? torch::maximum(first, starts) : first;
}

// The vectors that go into the first layer.
Tensor Embedded(const Decoder& decoder, const Tensor& ids) {
  const Tensor vectors = torch::embedding(decoder.embedding, ids);
  if (!decoder.config.scaled_embeddings) return vectors;
  // The root is rounded to fp32 and then to the model's type, as in transformers.
  const auto root = static_cast<float>(std::sqrt(static_cast<double>(decoder.config.hidden)));
  return vectors * torch::tensor(root, vectors.options());
}

// One pass of one batch through the layers.
class Pass {
 public:
  Pass(const Decoder& decoder, const Adapter* adapter, const ForwardSettings& settings)
      : decoder_(decoder), adapter_(adapter), settings_(settings) {
    if (adapter != nullptr && settings.weights == nullptr)
      own_weights_ = AdapterWeights(*adapter, decoder.type());
  }

  /// `length` is larger than all positions.
  void Use(const TokenBatch& batch, std::int64_t length, KeyValueCache* cache) {
    const std::int64_t before = cache == nullptr ? 0 : cache->length();
    const ModelConfig& config = decoder_.config;
    table_ = TableFor(FrequenciesFor(config, length), batch.positions, decoder_.type());
    window_table_ = config.window_rotary_base
                        ? TableFor(WindowFrequenciesFor(config), batch.positions, decoder_.type())
                        : table_;
    const std::int64_t keys = before + batch.ids.size(1);
    bounds_ = {batch.starts, batch.starts.defined(), batch.sequence_ends, batch.longest_sequence,
               0};
    window_bounds_ = bounds_;
    window_bounds_.starts =
        StartsInWindow(batch.starts, config.window, batch.ids.size(0), keys, batch.ids.options());
    if (config.window > 0 && keys > config.window) window_bounds_.window = config.window;
    cache_ = cache;
  }

  Tensor Layer(std::size_t index, const Tensor& x) const {
    return MlpHalf(index, AttentionHalf(index, x));
  }

  Tensor AttentionHalf(std::size_t index, const Tensor& x) const {
    const DecoderLayer& layer = decoder_.layers[index];
    return x +
           Normalised(Attend(index, Normalised(x, layer.input_norm)), layer.attention_output_norm);
  }

  Tensor MlpHalf(std::size_t index, const Tensor& x) const {
    const DecoderLayer& layer = decoder_.layers[index];
    return x + Normalised(Mlp(index, Normalised(x, layer.mlp_norm)), layer.mlp_output_norm);
  }

 private:
  Tensor Normalised(const Tensor& x, const Tensor& norm) const {
    return norm.defined() ? RmsNorm(x, norm, decoder_.config.norm_epsilon, settings_.paths.kernels)
                          : x;
  }

  // The projections of a group, in their order. One dropout of the input serves all of them.
  std::vector<Tensor> Project(std::size_t layer, std::size_t group, const Tensor& x) const {
    static const GroupWeights kNone;
    std::vector<AdaptedProjection> projections;
    for (std::size_t i = 0; i < kGroupSizes[group]; ++i) {
      const std::size_t index = Index(kGroups[group][i]);
      const auto* slot = adapter_ == nullptr ? nullptr : &adapter_->layers[layer][index];
      projections.push_back({&decoder_.layers[layer].projections[index],
                             slot != nullptr && *slot ? &**slot : nullptr});
    }
    const double dropout =
        settings_.dropout && adapter_ != nullptr ? adapter_->settings.dropout : 0;
    const std::uint64_t seed =
        SeedFor(settings_.seed, layer * kProjectionCount + Index(kGroups[group][0])) >> 1;
    const AdapterWeights& weights =
        settings_.weights != nullptr ? *settings_.weights : own_weights_;
    return ApplyProjections(x, projections, adapter_ == nullptr ? kNone : weights.Of(layer, group),
                            {dropout, seed});
  }

  // {B, T, heads * D} -> {B, heads, T, D}, normalised if the model does so, and rotated.
  Tensor Turn(const Tensor& x, std::int64_t heads, const Tensor& norm,
              const RotaryTable& table) const {
    const Tensor by_head = x.view({x.size(0), x.size(1), heads, decoder_.config.head_size});
    return Rotate(Normalised(by_head, norm), table);
  }

  bool HasWindow(std::size_t layer) const {
    const std::vector<bool>& has_window = decoder_.config.has_window;
    return !has_window.empty() && has_window[layer];
  }

  Tensor Attend(std::size_t index, const Tensor& x) const {
    const ModelConfig& config = decoder_.config;
    const DecoderLayer& layer = decoder_.layers[index];
    const bool has_window = HasWindow(index);
    const RotaryTable& table = has_window ? window_table_ : table_;
    const std::vector<Tensor> inputs = Project(index, kQueryKeyValueGroup, x);
    const Tensor query = Turn(inputs[0], config.heads, layer.query_norm, table);
    Tensor key = Turn(inputs[1], config.key_value_heads, layer.key_norm, table);
    Tensor value = inputs[2]
                       .view({x.size(0), x.size(1), config.key_value_heads, config.head_size})
                       .transpose(1, 2);
    if (cache_ != nullptr) std::tie(key, value) = cache_->Append(index, key, value);
    return Project(index, kOutputGroup,
                   Attention(query, key, value, has_window ? window_bounds_ : bounds_).flatten(2))
        .front();
  }

  Tensor Attention(const Tensor& query, const Tensor& key, const Tensor& value,
                   const AttentionBounds& bounds) const {
    if (settings_.paths.attention == AttentionPath::kLibrary &&
        FitsLibraryAttention(query, key, bounds))
      return LibraryAttention(query, key, value, bounds, decoder_.config.query_scalar);
    return CausalAttention(query, key, value, bounds.starts, decoder_.config.query_scalar);
  }

  Tensor Mlp(std::size_t index, const Tensor& x) const {
    const std::vector<Tensor> inputs = Project(index, kGateUpGroup, x);
    return Project(index, kDownGroup,
                   Gated(inputs[0], inputs[1], decoder_.config.activation, settings_.paths.kernels))
        .front();
  }

  const Decoder& decoder_;
  const Adapter* adapter_;
  ForwardSettings settings_;
  RotaryTable table_;
  RotaryTable window_table_;  // for layers with a window
  AttentionBounds bounds_;
  AttentionBounds window_bounds_;  // for layers with a window
  AdapterWeights own_weights_;
  KeyValueCache* cache_ = nullptr;
};

// Any tensor of the layer's adapter: it tells LibTorch that the layer has something to learn.
Tensor AnyTrained(const Adapter* adapter, std::size_t layer) {
  if (adapter == nullptr) return {};
  for (const auto& pair : adapter->layers[layer])
    if (pair) return pair->a;
  return {};
}

// Asking the positions would wait for the device.
std::int64_t LongestOf(const TokenBatch& batch) {
  if (batch.longest_sequence > 0) return batch.longest_sequence;
  return batch.positions.defined() ? batch.positions.max().item<std::int64_t>() + 1
                                   : batch.ids.size(1);
}

}  // namespace

KeyValueCache::KeyValueCache(const Decoder& decoder, std::int64_t batch, std::int64_t capacity)
    : capacity_(capacity) {
  const ModelConfig& config = decoder.config;
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const auto empty = [&] {
      return torch::empty({batch, config.key_value_heads, capacity, config.head_size},
                          torch::dtype(decoder.type()).device(decoder.device()));
    };
    layers_.emplace_back(empty(), empty());
  }
}

std::pair<Tensor, Tensor> KeyValueCache::Append(std::size_t layer, const Tensor& key,
                                                const Tensor& value) {
  auto& [keys, values] = layers_[layer];
  keys.narrow(2, length_, key.size(2)).copy_(key);
  values.narrow(2, length_, value.size(2)).copy_(value);
  const std::int64_t length = length_ + key.size(2);
  return {keys.narrow(2, 0, length), values.narrow(2, 0, length)};
}

Tensor HiddenStates(const Decoder& decoder, const Adapter* adapter, const TokenBatch& batch,
                    const ForwardSettings& settings) {
  TokenBatch placed = batch;
  if (!placed.positions.defined())
    placed.positions = torch::arange(batch.ids.size(1), batch.ids.options());
  auto pass = std::make_shared<Pass>(decoder, adapter, settings);
  pass->Use(placed, LongestOf(batch), nullptr);
  Tensor x = Embedded(decoder, batch.ids);
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const Tensor trained = AnyTrained(adapter, i);
    const bool recomputes = torch::GradMode::is_enabled() && trained.defined();
    if (settings.recompute == Recompute::kLayers && recomputes)
      x = Checkpointed([pass, i](const Tensor& input) { return pass->Layer(i, input); }, x,
                       trained);
    else if (settings.recompute == Recompute::kMlp && recomputes)
      x = Checkpointed([pass, i](const Tensor& input) { return pass->MlpHalf(i, input); },
                       pass->AttentionHalf(i, x), trained);
    else
      x = pass->Layer(i, x);
  }
  return RmsNorm(x, decoder.final_norm, decoder.config.norm_epsilon, settings.paths.kernels);
}

Tensor NextHiddenStates(const Decoder& decoder, const Adapter* adapter, const Tensor& ids,
                        KeyValueCache& cache, const ForwardSettings& settings) {
  const torch::NoGradGuard no_grad;
  const std::int64_t length = cache.length() + ids.size(1);
  const Tensor positions = torch::arange(cache.length(), length, ids.options());
  Pass pass(decoder, adapter, settings);
  pass.Use({ids, positions, {}}, length, &cache);
  Tensor x = Embedded(decoder, ids);
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) x = pass.Layer(i, x);
  cache.Advance(ids.size(1));
  return RmsNorm(x, decoder.final_norm, decoder.config.norm_epsilon, settings.paths.kernels);
}

ComputePaths PathsFor(KernelsChoice kernels, AttentionChoice attention, torch::Device device) {
  const bool fused =
      kernels == KernelsChoice::kFused || (kernels == KernelsChoice::kAuto && device.is_cuda());
  const bool library =
      attention == AttentionChoice::kLibrary ||
      (attention == AttentionChoice::kAuto && device.is_cuda() && HasLibraryAttention());
  return {fused ? Kernels::kFused : Kernels::kPlain,
          library ? AttentionPath::kLibrary : AttentionPath::kBlocks};
}

Tensor Logits(const Decoder& decoder, const Tensor& hidden) {
  return LinearProduct(hidden, decoder.output);
}

}  // namespace ebb::train
