#include "train/language/adapter/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "base/text.h"
#include "platform/digest.h"
#include "train/devices/finite.h"
#include "train/files/tensor_of_bytes.h"
#include "train/language/adapter/lora_linear.h"
#include "train/language/generation/input_file.h"
#include "train/language/weights/weight_files.h"

namespace ebb::train {
namespace {

constexpr const char* kConfigFile = "adapter_config.json";
constexpr const char* kWeightFile = "adapter_model.safetensors";
constexpr const char* kTrainedOn = "ebb.base_weights";  // key in the file's metadata

std::string Prefix(std::size_t layer, std::size_t projection) {
  return "base_model.model.model.layers." + std::to_string(layer) + "." +
         kProjectionNames[projection].path + ".";
}

torch::TensorOptions AdapterOptions(const Decoder& decoder) {
  return torch::dtype(torch::promote_types(decoder.type(), torch::kFloat32))
      .device(decoder.device());
}

// Random numbers of Ebb's own generator, so that they are the same on every version of LibTorch.
torch::Tensor Uniform(const std::array<std::int64_t, 2>& sizes, double bound, std::uint64_t seed) {
  torch::Tensor tensor = torch::empty({sizes[0], sizes[1]}, torch::dtype(torch::kFloat32));
  Random random(seed);
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(random.Uniform(-bound, bound));
  return tensor;
}

LoraPair MakePair(const Decoder& decoder, const Linear& linear, const ModuleLora& module,
                  bool decomposed, std::uint64_t seed) {
  const torch::TensorOptions options = AdapterOptions(decoder);
  const std::int64_t out = linear.weight.rows(), in = linear.weight.columns();
  LoraPair pair;
  pair.scaling = module.scaling;
  pair.a = Uniform({module.rank, in}, 1 / std::sqrt(static_cast<double>(in)), seed).to(options);
  pair.b = torch::zeros({out, module.rank}, options);
  if (decomposed) pair.magnitude = RowNorms(linear.weight, pair);
  return pair;
}

void RequireGradients(Adapter& adapter) {
  for (auto [name, tensor] : adapter.Tensors()) tensor.set_requires_grad(true);
}

// Takes the tensors of an adapter out of its file.
class Taker {
 public:
  Taker(const WeightFiles& files, std::string file, torch::TensorOptions options)
      : files_(files), file_(std::move(file)), options_(options) {}

  torch::Tensor Take(const std::string& name, const std::vector<std::int64_t>& shape) {
    ++taken_;
    const auto found = files_.weights().find(name);
    if (found == files_.weights().end()) return Refuse("the adapter lacks the tensor " + name);
    const TensorBytes& bytes = found->second.tensor;
    const auto type = WeightType(bytes.dtype);
    if (!type || bytes.shape != shape)
      return Refuse("the adapter's tensor " + name +
                    " has another shape or type than the model asks for");
    torch::Tensor tensor = TensorOver(bytes, *type, found->second.file).to(options_).clone();
    if (!IsFinite(tensor))
      return Refuse("the adapter's tensor " + name +
                    " has numbers that are not finite: its training had diverged");
    return tensor;
  }

  // If the file has a copy of the model's weight, as PEFT may save beside the learned tensors, the
  // two must be equal.
  void RequireSame(const std::string& name, const torch::Tensor& weight) {
    if (!files_.weights().contains(name)) return;
    const torch::Tensor copy = Take(name, weight.sizes().vec());
    if (copy.defined() && !torch::equal(copy.to(weight.scalar_type()), weight))
      Refuse("the adapter's tensor " + name + " is another one than the model's: it belongs to " +
             "another model");
  }

  Status Finish() const {
    if (error_) return Fail(*error_);
    if (taken_ == files_.weights().size()) return {};
    return Fail({ExitCode::kConfiguration,
                 "the adapter has tensors for modules that target_modules does not name", file_,
                 ""});
  }

 private:
  torch::Tensor Refuse(std::string what) {
    if (!error_) error_ = Error{ExitCode::kConfiguration, std::move(what), file_, ""};
    return {};
  }

  const WeightFiles& files_;
  std::string file_;
  torch::TensorOptions options_;
  std::size_t taken_ = 0;
  std::optional<Error> error_;
};

Result<BaseWeights> TrainedOn(const Metadata& metadata, const std::string& file) {
  const auto found = metadata.find(kTrainedOn);
  if (found == metadata.end()) return BaseWeights::kPlain;
  if (const auto weights = BaseWeightsNamed(found->second)) return *weights;
  return Fail({ExitCode::kConfiguration,
               "the adapter was trained on base weights " + Quoted(found->second) +
                   ", which this version does not know",
               file, ""});
}

// Calls visit(layer, projection, linear, module), which makes the pair, for every module that is
// adapted.
template <typename Visit>
Adapter Built(const Decoder& decoder, const LoraSettings& settings, const AdaptedModules& modules,
              const Visit& visit) {
  Adapter adapter{settings, {}, decoder.base_weights};
  adapter.layers.resize(decoder.layers.size());
  for (std::size_t layer = 0; layer < decoder.layers.size(); ++layer)
    for (std::size_t i = 0; i < kProjectionCount; ++i)
      if (const auto& module = modules.layers[layer][i])
        adapter.layers[layer][i] = visit(layer, i, decoder.layers[layer].projections[i], *module);
  return adapter;
}

Result<AdaptedModules> ModulesFor(const Decoder& decoder, const LoraSettings& settings,
                                  const std::string& file) {
  return ModulesOf(settings, static_cast<std::int64_t>(decoder.layers.size()), file);
}

bool ChangesOuter(const LoraSettings& settings, const AdaptedModules& modules) {
  return modules.embedding || modules.output || settings.rules.saved_embedding ||
         settings.rules.saved_output;
}

// lm_head with its adapter applied or replaced by the saved one; undefined if it stays the same.
torch::Tensor OuterOutput(Taker& taker, const LoraSettings& settings,
                          const std::optional<ModuleLora>& module, const torch::Tensor& weight) {
  const std::string prefix = "base_model.model.lm_head.";
  if (settings.rules.saved_output) return taker.Take(prefix + "weight", weight.sizes().vec());
  if (!module) return {};
  taker.RequireSame(prefix + "base_layer.weight", weight);
  LoraPair pair;
  pair.scaling = module->scaling;
  pair.a = taker.Take(prefix + "lora_A.weight", {module->rank, weight.size(1)});
  pair.b = taker.Take(prefix + "lora_B.weight", {weight.size(0), module->rank});
  if (settings.decomposed)
    pair.magnitude = taker.Take(prefix + "lora_magnitude_vector", {weight.size(0)});
  const bool is_whole =
      pair.a.defined() && pair.b.defined() && pair.magnitude.defined() == settings.decomposed;
  return is_whole ? MergedWeight(weight, pair) : torch::Tensor{};
}

// The same for embed_tokens; its two matrices are those of a linear module, transposed.
torch::Tensor OuterEmbedding(Taker& taker, const LoraSettings& settings,
                             const std::optional<ModuleLora>& module, const torch::Tensor& weight) {
  const std::string prefix = "base_model.model.model.embed_tokens.";
  if (settings.rules.saved_embedding) return taker.Take(prefix + "weight", weight.sizes().vec());
  if (!module) return {};
  taker.RequireSame(prefix + "base_layer.weight", weight);
  LoraPair pair;
  pair.scaling = module->scaling;
  pair.a = taker.Take(prefix + "lora_embedding_B", {weight.size(1), module->rank});
  pair.b = taker.Take(prefix + "lora_embedding_A", {module->rank, weight.size(0)});
  if (!pair.a.defined() || !pair.b.defined()) return {};
  pair.a = pair.a.t();
  pair.b = pair.b.t();
  return MergedWeight(weight, pair);
}

Status RefuseOuter(const LoraSettings& settings, const AdaptedModules& modules,
                   const Decoder& decoder, bool is_asked_for, const std::string& file) {
  const auto refuse = [&](std::string what) {
    return Fail({ExitCode::kConfiguration, std::move(what), file, ""});
  };
  if (!is_asked_for && ChangesOuter(settings, modules))
    return refuse("the adapter changes lm_head or embed_tokens, which Ebb does not train");
  if (modules.embedding && decoder.config.scaled_embeddings)
    return refuse(
        "an adapter of embed_tokens is not supported for this model type, which scales "
        "its embedding: versions of PEFT scale it, or not");
  return {};
}

}  // namespace

NamedTensors Adapter::Tensors() const {
  NamedTensors tensors;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (std::size_t i = 0; i < kProjectionCount; ++i) {
      const auto& pair = layers[layer][i];
      if (!pair) continue;
      tensors.emplace_back(Prefix(layer, i) + "lora_A.weight", pair->a);
      tensors.emplace_back(Prefix(layer, i) + "lora_B.weight", pair->b);
      if (pair->magnitude.defined())
        tensors.emplace_back(Prefix(layer, i) + "lora_magnitude_vector", pair->magnitude);
    }
  }
  return tensors;
}

Adapter MakeAdapter(const Decoder& decoder, const LoraSettings& settings, std::uint64_t seed) {
  const auto modules = ModulesFor(decoder, settings, "");
  EBB_CHECK(modules.has_value());
  Adapter adapter = Built(
      decoder, settings, *modules,
      [&](std::size_t layer, std::size_t index, const Linear& linear, const ModuleLora& module) {
        return MakePair(decoder, linear, module, settings.decomposed,
                        SeedFor(seed, layer * kProjectionCount + index));
      });
  RequireGradients(adapter);
  return adapter;
}

Status SaveAdapter(const platform::Path& folder, const Adapter& adapter,
                   const std::string& base_model) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(folder));
  const NamedTensors portable = Portable(adapter.Tensors());
  Metadata metadata{{"format", "pt"}};
  if (adapter.trained_on != BaseWeights::kPlain) metadata[kTrainedOn] = Name(adapter.trained_on);
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
      folder / kWeightFile, EncodeSafetensors(BytesOf(portable), metadata)));
  return platform::WriteFileAtomically(folder / kConfigFile,
                                       AdapterConfigJson(adapter.settings, base_model));
}

Result<Adapter> LoadAdapter(const platform::Path& folder, const Decoder& decoder,
                            OuterWeights* outer) {
  const platform::Path config_path = folder / kConfigFile;
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadInput(config_path));
  EBB_ASSIGN_OR_RETURN(const LoraSettings settings, ParseAdapterConfig(text, config_path.string()));
  EBB_ASSIGN_OR_RETURN(const AdaptedModules modules,
                       ModulesFor(decoder, settings, config_path.string()));
  EBB_RETURN_IF_ERROR(
      RefuseOuter(settings, modules, decoder, outer != nullptr, config_path.string()));
  EBB_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::OpenFile(folder / kWeightFile));
  Taker taker(files, (folder / kWeightFile).string(), AdapterOptions(decoder));
  Adapter adapter = Built(
      decoder, settings, modules,
      [&](std::size_t layer, std::size_t index, const Linear& linear, const ModuleLora& module) {
        const std::int64_t out = linear.weight.rows(), in = linear.weight.columns();
        LoraPair pair;
        pair.scaling = module.scaling;
        pair.a = taker.Take(Prefix(layer, index) + "lora_A.weight", {module.rank, in});
        pair.b = taker.Take(Prefix(layer, index) + "lora_B.weight", {out, module.rank});
        if (settings.decomposed)
          pair.magnitude = taker.Take(Prefix(layer, index) + "lora_magnitude_vector", {out});
        return pair;
      });
  if (outer != nullptr) {
    const torch::NoGradGuard no_grad;
    outer->embedding = OuterEmbedding(taker, settings, modules.embedding, decoder.embedding);
    outer->output = OuterOutput(taker, settings, modules.output, decoder.output);
    for (torch::Tensor* weight : {&outer->embedding, &outer->output})
      if (weight->defined()) *weight = weight->to(decoder.type());
  }
  EBB_RETURN_IF_ERROR(taker.Finish());
  EBB_ASSIGN_OR_RETURN(adapter.trained_on,
                       TrainedOn(files.metadata(), (folder / kWeightFile).string()));
  RequireGradients(adapter);
  return adapter;
}

void Use(const OuterWeights& outer, Decoder& decoder) {
  if (outer.embedding.defined()) decoder.embedding = outer.embedding;
  if (outer.output.defined()) decoder.output = outer.output;
  decoder.config.tied_embeddings = decoder.output.is_same(decoder.embedding);
}

torch::Tensor MergedWeight(const torch::Tensor& weight, const LoraPair& pair) {
  const torch::NoGradGuard no_grad;
  torch::Tensor sum =
      torch::addmm(weight.to(pair.a.scalar_type()), pair.b, pair.a, 1, pair.scaling);
  if (pair.magnitude.defined()) sum = sum * (pair.magnitude / sum.norm(2, 1)).unsqueeze(1);
  return sum.to(weight.scalar_type());
}

std::string AdapterSha256(const Adapter& adapter) {
  std::string summary;
  for (const auto& [name, tensor] : Portable(adapter.Tensors()))
    summary += name + " " + platform::Sha256Hex(BytesOf(name, tensor).data) + "\n";
  return platform::Sha256Hex(summary);
}

}  // namespace ebb::train
