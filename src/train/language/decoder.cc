#include "train/language/decoder.h"

#include <functional>
#include <set>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "train/language/input_file.h"
#include "train/language/weight_files.h"
#include "train/tensor_of_bytes.h"

namespace ebb::train {
namespace {

std::string Shown(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) sizes.push_back(std::to_string(size));
  return "{" + Join(sizes, ", ") + "}";
}

// Takes tensors by name and shape out of the files, and remembers the first that is not right.
class Loader {
 public:
  Loader(const WeightFiles& files, platform::Path folder, torch::TensorOptions wanted)
      : files_(files), folder_(std::move(folder)), wanted_(wanted) {}

  torch::Tensor Take(const std::string& name, const std::vector<std::int64_t>& shape) {
    taken_.insert(name);
    const auto found = files_.weights().find(name);
    if (found == files_.weights().end()) return Refuse("the model lacks the tensor " + name);
    const TensorBytes& bytes = found->second.tensor;
    if (bytes.shape != shape)
      return Refuse("the tensor " + name + " has the shape " + Shown(bytes.shape) +
                    ", but config.json says " + Shown(shape));
    const auto type = WeightType(bytes.dtype);
    if (!type)
      return Refuse("the tensor " + name + " has the type " + bytes.dtype,
                    "supported are F32, F16, BF16 and F64");
    return TensorOver(bytes, *type, found->second.file).to(wanted_);
  }

  bool Has(const std::string& name) const { return files_.weights().contains(name); }
  void Ignore(const std::string& name) { taken_.insert(name); }

  Status Finish(const ModelConfig& config) {
    for (const auto& [name, weight] : files_.weights()) {
      // Old files store what is computed from config.json.
      if (taken_.contains(name) || name.ends_with("rotary_emb.inv_freq")) continue;
      Refuse("the tensor " + name + " is unknown in a model of type " + config.model_type,
             "supported are the tensors of Qwen2, Qwen3 and Llama as transformers saves them");
    }
    return error_ ? Status(Fail(*error_)) : Status{};
  }

 private:
  torch::Tensor Refuse(std::string what, std::string next = "") {
    if (!error_)
      error_ = Error{ExitCode::kConfiguration, std::move(what), folder_.string(), std::move(next)};
    return {};
  }

  const WeightFiles& files_;
  platform::Path folder_;
  torch::TensorOptions wanted_;
  std::set<std::string> taken_;
  std::optional<Error> error_;
};

// Where a tensor of that name and shape comes from.
using Source = std::function<torch::Tensor(const std::string&, const std::vector<std::int64_t>&)>;

DecoderLayer TakeLayer(const Source& take, const ModelConfig& config, std::int64_t index) {
  const std::string prefix = LayerPrefix(index);
  DecoderLayer layer;
  layer.input_norm = take(prefix + "input_layernorm.weight", {config.hidden});
  layer.post_attention_norm = take(prefix + "post_attention_layernorm.weight", {config.hidden});
  if (config.query_key_norm) {
    layer.query_norm = take(prefix + "self_attn.q_norm.weight", {config.head_size});
    layer.key_norm = take(prefix + "self_attn.k_norm.weight", {config.head_size});
  }
  for (std::size_t i = 0; i < kProjectionCount; ++i) {
    const auto projection = static_cast<Projection>(i);
    const auto shape = ShapeOf(config, projection);
    const std::string name = prefix + kProjectionNames[i].path;
    layer.projections[i].weight = take(name + ".weight", {shape[0], shape[1]});
    if (HasBias(config, projection)) layer.projections[i].bias = take(name + ".bias", {shape[0]});
  }
  return layer;
}

Decoder TakeAll(const Source& take, const ModelConfig& config, std::int64_t layers) {
  Decoder decoder;
  decoder.config = config;
  decoder.embedding = take("model.embed_tokens.weight", {config.vocabulary, config.hidden});
  for (std::int64_t i = 0; i < layers; ++i) decoder.layers.push_back(TakeLayer(take, config, i));
  decoder.final_norm = take("model.norm.weight", {config.hidden});
  decoder.output = config.tied_embeddings
                       ? decoder.embedding
                       : take("lm_head.weight", {config.vocabulary, config.hidden});
  return decoder;
}

Result<ModelConfig> ReadConfig(const platform::Path& folder) {
  const platform::Path path = folder / "config.json";
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
  return ParseModelConfig(text, path.string());
}

}  // namespace

Result<Decoder> LoadDecoder(const platform::Path& folder, const torch::TensorOptions& wanted) {
  EBB_ASSIGN_OR_RETURN(const ModelConfig config, ReadConfig(folder));
  EBB_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(folder));
  Loader loader(files, folder, wanted);
  // A folder with fewer layers than it says is told so, not that its third tensor is missing.
  std::int64_t layers = 0;
  while (layers < config.layers && loader.Has(LayerPrefix(layers) + "input_layernorm.weight"))
    ++layers;
  Decoder decoder =
      TakeAll([&](const std::string& name,
                  const std::vector<std::int64_t>& shape) { return loader.Take(name, shape); },
              config, layers);
  if (config.tied_embeddings) loader.Ignore("lm_head.weight");
  EBB_RETURN_IF_ERROR(loader.Finish(config));
  if (layers != config.layers)
    return Fail({ExitCode::kConfiguration,
                 "the model has the weights of " + std::to_string(layers) +
                     " layers, but config.json says " + std::to_string(config.layers),
                 folder.string(), ""});
  return decoder;
}

Result<Decoder> RandomDecoder(const platform::Path& folder, const torch::TensorOptions& wanted,
                              std::uint64_t seed) {
  EBB_ASSIGN_OR_RETURN(const ModelConfig config, ReadConfig(folder));
  constexpr double kDeviation = 0.02;  // as transformers begins
  std::uint64_t index = 0;
  return TakeAll(
      [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        const torch::NoGradGuard no_grad;
        torch::manual_seed(SeedFor(seed, index++));
        if (name.find("norm") != std::string::npos) return torch::ones(shape, wanted);
        if (name.ends_with(".bias")) return torch::zeros(shape, wanted);
        return torch::empty(shape, wanted).normal_(0, kDeviation);
      },
      config, config.layers);
}

}  // namespace ebb::train
