#include "train/language/model/decoder.h"

#include <functional>
#include <set>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "train/devices/finite.h"
#include "train/files/tensor_of_bytes.h"
#include "train/language/generation/input_file.h"
#include "train/language/weights/weight_files.h"

namespace ebb::train {
namespace {

constexpr const char* kEmbedding = "model.embed_tokens.weight";
constexpr const char* kOutput = "lm_head.weight";

std::string Shown(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) sizes.push_back(std::to_string(size));
  return "{" + Join(sizes, ", ") + "}";
}

// Takes tensors by name and shape out of the files, and remembers the first error.
class Loader {
 public:
  Loader(const WeightFiles& files, platform::Path folder)
      : files_(files), folder_(std::move(folder)) {}

  // Returns a tensor over the file, in the file's type.
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
    return TensorOver(bytes, *type, found->second.file);
  }

  void RefuseNonFinite(const std::string& name) {
    Refuse("the tensor " + name + " has values that are not finite",
           "the model is damaged, or its training had diverged: get it again");
  }

  bool Has(const std::string& name) const { return files_.weights().contains(name); }
  void Ignore(const std::string& name) { taken_.insert(name); }

  Status Finish(const ModelConfig& config) {
    for (const auto& [name, weight] : files_.weights()) {
      // Old files also store values that are computed from config.json.
      if (taken_.contains(name) || name.ends_with("rotary_emb.inv_freq")) continue;
      Refuse(
          "the tensor " + name + " is unknown in a model of type " + config.model_type,
          "supported are the tensors of Qwen2, Qwen3, Llama, Mistral and Gemma 3 as transformers "
          "saves them");
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
  std::set<std::string> taken_;
  std::optional<Error> error_;
};

// Returns the tensor of that name and shape; undefined after an error.
using Source = std::function<torch::Tensor(const std::string&, const std::vector<std::int64_t>&)>;

// Takes the weights of a decoder from a source, and keeps them as the options say.
class Builder {
 public:
  /// `non_finite` gets the names of weights that are not finite in the form in which they are kept.
  Builder(Source source, const DecoderOptions& options,
          std::function<void(const std::string&)> non_finite)
      : source_(std::move(source)), options_(options), non_finite_(std::move(non_finite)) {}

  Decoder Build(const ModelConfig& config, std::int64_t layers) const {
    Decoder decoder;
    decoder.config = config;
    decoder.base_weights = options_.base_weights;
    decoder.embedding = Take(kEmbedding, {config.vocabulary, config.hidden});
    for (std::int64_t i = 0; i < layers; ++i) decoder.layers.push_back(Layer(config, i));
    decoder.final_norm = TakeNorm(config, "model.norm.weight", config.hidden);
    decoder.output = config.tied_embeddings ? decoder.embedding
                                            : Take(kOutput, {config.vocabulary, config.hidden});
    return decoder;
  }

 private:
  torch::Tensor Take(const std::string& name, const std::vector<std::int64_t>& shape) const {
    const torch::Tensor tensor = source_(name, shape);
    if (!tensor.defined()) return tensor;
    torch::Tensor weight = tensor.to(options_.wanted);
    if (!IsFinite(weight)) non_finite_(name);
    return weight;
  }

  // Norm weights that are around one get the one added here, and are kept without rounding.
  torch::Tensor TakeNorm(const ModelConfig& config, const std::string& name,
                         std::int64_t size) const {
    const torch::Tensor weight = Take(name, {size});
    if (!config.norms_around_one || !weight.defined()) return weight;
    return weight.to(torch::promote_types(weight.scalar_type(), torch::kFloat32)) + 1;
  }

  FrozenMatrix TakeMatrix(const std::string& name, const std::array<std::int64_t, 2>& shape) const {
    const torch::Tensor tensor = source_(name, {shape[0], shape[1]});
    if (!tensor.defined()) return {};
    FrozenMatrix matrix = FrozenMatrix::Stored(tensor, options_.base_weights, options_.wanted);
    if (!matrix.is_finite()) non_finite_(name);
    return matrix;
  }

  DecoderLayer Layer(const ModelConfig& config, std::int64_t index) const {
    const std::string prefix = LayerPrefix(index);
    DecoderLayer layer;
    const auto norm = [&](const char* name, std::int64_t size) {
      return TakeNorm(config, prefix + name + ".weight", size);
    };
    layer.input_norm = norm("input_layernorm", config.hidden);
    torch::Tensor after_attention = norm("post_attention_layernorm", config.hidden);
    if (config.output_norms) {
      layer.attention_output_norm = std::move(after_attention);
      layer.mlp_norm = norm("pre_feedforward_layernorm", config.hidden);
      layer.mlp_output_norm = norm("post_feedforward_layernorm", config.hidden);
    } else {
      layer.mlp_norm = std::move(after_attention);
    }
    if (config.query_key_norm) {
      layer.query_norm = norm("self_attn.q_norm", config.head_size);
      layer.key_norm = norm("self_attn.k_norm", config.head_size);
    }
    for (std::size_t i = 0; i < kProjectionCount; ++i) {
      const auto projection = static_cast<Projection>(i);
      const auto shape = ShapeOf(config, projection);
      const std::string name = prefix + kProjectionNames[i].path;
      layer.projections[i].weight = TakeMatrix(name + ".weight", shape);
      if (HasBias(config, projection)) layer.projections[i].bias = Take(name + ".bias", {shape[0]});
    }
    return layer;
  }

  Source source_;
  DecoderOptions options_;
  std::function<void(const std::string&)> non_finite_;
};

Result<ModelConfig> ReadConfig(const platform::Path& folder) {
  const platform::Path path = folder / "config.json";
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
  return ParseModelConfig(text, path.string());
}

// A model whose output is its embedding may repeat the embedding as the output in the file. If the
// output there is different, transformers 4 drops it and transformers 5 uses it, so it is refused.
Status RequireTied(const WeightFiles& files, const platform::Path& folder) {
  const auto output = files.weights().find(kOutput), embedding = files.weights().find(kEmbedding);
  if (output == files.weights().end() || embedding == files.weights().end()) return {};
  const TensorBytes& a = output->second.tensor;
  const TensorBytes& b = embedding->second.tensor;
  if (a.dtype == b.dtype && a.data == b.data) return {};
  return Fail({ExitCode::kConfiguration,
               "config.json says tie_word_embeddings, but lm_head.weight is another tensor than "
               "model.embed_tokens.weight: transformers 4 ignores it, and transformers 5 uses it",
               folder.string(),
               "set tie_word_embeddings to false, or remove lm_head.weight from the file"});
}

}  // namespace

std::int64_t WeightBytes(const Decoder& decoder) {
  const auto of = [](const torch::Tensor& tensor) {
    return tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0;
  };
  std::int64_t bytes = of(decoder.embedding) + of(decoder.final_norm);
  if (!decoder.config.tied_embeddings) bytes += of(decoder.output);
  for (const DecoderLayer& layer : decoder.layers) {
    bytes += of(layer.input_norm) + of(layer.mlp_norm) + of(layer.attention_output_norm) +
             of(layer.mlp_output_norm) + of(layer.query_norm) + of(layer.key_norm);
    for (const Linear& linear : layer.projections) bytes += linear.weight.bytes() + of(linear.bias);
  }
  return bytes;
}

Result<Decoder> LoadDecoder(const platform::Path& folder, const DecoderOptions& options) {
  EBB_ASSIGN_OR_RETURN(const ModelConfig config, ReadConfig(folder));
  EBB_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(folder));
  Loader loader(files, folder);
  // For a folder with fewer layers than config.json says, the Error says so, rather than which
  // tensor is missing.
  std::int64_t layers = 0;
  while (layers < config.layers && loader.Has(LayerPrefix(layers) + "input_layernorm.weight"))
    ++layers;
  const Builder builder(
      [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        return loader.Take(name, shape);
      },
      options, [&](const std::string& name) { loader.RefuseNonFinite(name); });
  Decoder decoder = builder.Build(config, layers);
  if (config.tied_embeddings) {
    EBB_RETURN_IF_ERROR(RequireTied(files, folder));
    loader.Ignore(kOutput);
  }
  EBB_RETURN_IF_ERROR(loader.Finish(config));
  if (layers != config.layers)
    return Fail({ExitCode::kConfiguration,
                 "the model has the weights of " + std::to_string(layers) +
                     " layers, but config.json says " + std::to_string(config.layers),
                 folder.string(), ""});
  return decoder;
}

Result<Decoder> RandomDecoder(const platform::Path& folder, const DecoderOptions& options,
                              std::uint64_t seed) {
  EBB_ASSIGN_OR_RETURN(const ModelConfig config, ReadConfig(folder));
  constexpr double kDeviation = 0.02;  // deviation with which transformers begins
  std::uint64_t index = 0;
  const Builder builder(
      [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        const torch::NoGradGuard no_grad;
        torch::manual_seed(SeedFor(seed, index++));
        if (name.find("norm") != std::string::npos)
          return torch::full(shape, config.norms_around_one ? 0 : 1, options.wanted);
        if (name.ends_with(".bias")) return torch::zeros(shape, options.wanted);
        return torch::empty(shape, options.wanted).normal_(0, kDeviation);
      },
      options, [](const std::string&) {});
  return builder.Build(config, config.layers);
}

}  // namespace ebb::train
