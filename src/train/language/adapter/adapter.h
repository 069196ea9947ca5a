#pragma once
// A low-rank adapter as tensors: for each layer and each chosen projection W, the pair A {rank, in}
// and B {out, rank} that adds scaling * B A to W, and with DoRA the magnitude of each output. Its
// files are PEFT's, so that PEFT, transformers and vLLM load them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/devices/named_tensors.h"
#include "train/language/adapter/adapter_config.h"
#include "train/language/model/decoder.h"
#include "train/libtorch.h"

namespace ebb::train {

struct LoraPair {
  torch::Tensor a;
  torch::Tensor b;
  torch::Tensor magnitude;  ///< {out}; undefined without DoRA
  double scaling = 1;       ///< factor of B A
};

struct Adapter {
  LoraSettings settings;
  std::vector<std::array<std::optional<LoraPair>, kProjectionCount>> layers;
  BaseWeights trained_on = BaseWeights::kPlain;  ///< form of the model's weights in training

  /// The tensors in order of layers and projections, under PEFT's names.
  NamedTensors Tensors() const;
};

/// A new adapter that changes nothing yet: A uniform within 1 / sqrt(in) (PEFT's Kaiming
/// initialisation), B zero. The tensors have `type`, at least fp32, and require gradients. The
/// settings' rules must fit the decoder (ModulesOf).
Adapter MakeAdapter(const Decoder& decoder, const LoraSettings& settings, std::uint64_t seed);

/// Writes adapter_config.json and adapter_model.safetensors into the folder, which it creates. The
/// metadata of the latter contain trained_on; PEFT ignores it.
Status SaveAdapter(const platform::Path& folder, const Adapter& adapter,
                   const std::string& base_model);

/// Embedding and output as an adapter changes them, in the decoder's type; undefined: unchanged.
struct OuterWeights {
  torch::Tensor embedding;
  torch::Tensor output;
};

/// Errors name the tensor that does not fit the decoder. If the caller does not ask for the outer
/// weights, an adapter that changes the embedding or the output (lm_head) is refused: Ebb does not
/// train them.
Result<Adapter> LoadAdapter(const platform::Path& folder, const Decoder& decoder,
                            OuterWeights* outer = nullptr);

/// Replaces the decoder's embedding and output by those that are defined.
void Use(const OuterWeights& outer, Decoder& decoder);

/// A projection's weight with its pair added, in the weight's own type.
torch::Tensor MergedWeight(const torch::Tensor& weight, const LoraPair& pair);

/// Digest over names and bytes: equal exactly when two adapters are.
std::string AdapterSha256(const Adapter& adapter);

}  // namespace ebb::train
