#pragma once
// The computation of a decoder: hidden states, with an adapter or without, for training (dropout,
// gradient checkpointing) or with a cache of keys and values for generation.

#include <cstdint>
#include <vector>

#include "train/language/adapter/adapter.h"
#include "train/language/adapter/adapter_weights.h"
#include "train/language/model/compute_paths.h"
#include "train/language/model/decoder.h"
#include "train/libtorch.h"

namespace ebb::train {

/// Tokens of a batch: sequences padded on the right, or several packed into a row.
struct TokenBatch {
  torch::Tensor ids;        ///< {B, T} int64
  torch::Tensor positions;  ///< {B, T} int64 within each packed sequence; undefined: 0, 1, 2, ...
                            ///< in every row
  torch::Tensor
      starts;  ///< {B, T} int64: column of the first token of a token's sequence; undefined: 0
  /// With `starts`, where the sequences begin in the flattened {B, T}, and the longest one
  /// (AttentionBounds); needed only for LibTorch's attention on a GPU.
  torch::Tensor sequence_ends = {};
  std::int64_t longest_sequence = 0;
};

struct ForwardSettings {
  bool dropout = false;
  std::uint64_t seed = 0;  ///< seed of the dropout of this micro-batch
  Recompute recompute = Recompute::kNothing;
  ComputePaths paths = {};
  /// The adapter's weights, for callers with several passes; borrowed. Null: each pass makes its
  /// own.
  const AdapterWeights* weights = nullptr;
};

/// Keys and values of the tokens so far, of one batch.
class KeyValueCache {
 public:
  KeyValueCache(const Decoder& decoder, std::int64_t batch, std::int64_t capacity);

  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  /// Stores {B, groups, T, D} behind the tensors that layer `layer` has, and returns them together.
  std::pair<torch::Tensor, torch::Tensor> Append(std::size_t layer, const torch::Tensor& key,
                                                 const torch::Tensor& value);
  /// Must be called after all layers have appended `count` tokens.
  void Advance(std::int64_t count) { length_ += count; }

 private:
  std::int64_t capacity_;
  std::int64_t length_ = 0;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> layers_;
};

/// Returns {B, T, hidden} after the last norm. `adapter` may be null.
torch::Tensor HiddenStates(const Decoder& decoder, const Adapter* adapter, const TokenBatch& batch,
                           const ForwardSettings& settings);

/// The same for tokens that follow those in the cache, to which they are added. Without gradients.
torch::Tensor NextHiddenStates(const Decoder& decoder, const Adapter* adapter,
                               const torch::Tensor& ids, KeyValueCache& cache,
                               const ForwardSettings& settings = {});

/// The paths that `auto` stands for: on a GPU fused kernels and the library's attention, if this
/// LibTorch has it.
ComputePaths PathsFor(KernelsChoice kernels, AttentionChoice attention, torch::Device device);

/// Logits {..., vocabulary} of hidden states {..., hidden}.
torch::Tensor Logits(const Decoder& decoder, const torch::Tensor& hidden);

}  // namespace ebb::train
