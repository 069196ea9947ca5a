#include "train/files/model_file.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "train/devices/finite.h"
#include "train/files/safetensors.h"
#include "train/files/tensor_of_bytes.h"
#include "train/files/weight_codes.h"

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr const char* kModelKey = "ebb.model";
constexpr const char* kScaleSuffix = ".scale";
constexpr std::uint64_t kReadLimitBytes = 64ULL << 30;

tl::unexpected<Error> Refuse(const platform::Path& path, std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), path.string(),
               "name the model.safetensors of a finished training of ebb-train"});
}

struct Codes {
  Tensor codes;   // int8, of the weight's shape
  Tensor scales;  // {outputs}
};

Codes CodesOf(const Tensor& weight) {
  const std::int64_t rows = weight.size(0), columns = weight.numel() / rows;
  const Tensor values = weight.to(torch::kFloat32).contiguous();
  Codes coded{torch::empty(weight.sizes(), torch::dtype(torch::kInt8)), torch::empty({rows})};
  for (std::int64_t row = 0; row < rows; ++row)
    coded.scales.data_ptr<float>()[row] =
        EncodeInt8({values.data_ptr<float>() + row * columns, static_cast<std::size_t>(columns)},
                   coded.codes.data_ptr<std::int8_t>() + row * columns);
  return coded;
}

Tensor Decoded(const TensorBytes& codes, const TensorBytes& scales) {
  Tensor weight = torch::empty(codes.shape);
  const Tensor scale = TensorOver(scales, torch::kFloat32, nullptr);
  const std::int64_t rows = scale.numel(), columns = rows > 0 ? weight.numel() / rows : 0;
  for (std::int64_t row = 0; row < rows; ++row)
    DecodeInt8(
        reinterpret_cast<const std::int8_t*>(codes.data.data()) + row * columns,
        scale.data_ptr<float>()[row],
        std::span(weight.data_ptr<float>() + row * columns, static_cast<std::size_t>(columns)));
  return weight;
}

using TensorMap = std::map<std::string, TensorBytes>;

// Returns the tensor of that name as numbers, if the file has it in that shape.
std::optional<Tensor> Find(const TensorMap& stored, const std::string& name,
                           const std::vector<std::int64_t>& shape) {
  const auto found = stored.find(name);
  if (found == stored.end() || found->second.shape != shape) return std::nullopt;
  const TensorBytes& bytes = found->second;
  if (const auto type = WeightType(bytes.dtype)) return TensorOver(bytes, *type, nullptr);
  const auto scales = stored.find(name + kScaleSuffix);
  if (bytes.dtype != "I8" || shape.empty() || scales == stored.end() ||
      scales->second.dtype != "F32" ||
      scales->second.shape != std::vector<std::int64_t>{shape.front()})
    return std::nullopt;
  return Decoded(bytes, scales->second);
}

// Fills the model. All its tensors must be in the file, and no others.
Status Fill(LoadedModel& loaded, const TensorMap& stored, const platform::Path& path) {
  std::size_t used = 0;
  for (auto [name, tensor] : ModelTensors(*loaded.model, "", "")) {
    const auto value = Find(stored, name, tensor.sizes().vec());
    if (!value)
      return Refuse(path, "the file lacks the tensor " + name + " of the model " +
                              loaded.info.name + ", or has it in another type or shape");
    const bool coded = stored.at(name).dtype == "I8";
    if (coded) loaded.form = WeightForm::kInt8;
    used += coded ? 2 : 1;
    tensor.copy_(*value);
  }
  if (used == stored.size()) return {};
  return Refuse(path, "the file has tensors that the model " + loaded.info.name + " has not");
}

Result<LoadedModel> Load(const platform::Path& path, const SafetensorsView& view) {
  const auto name = view.metadata.find(kModelKey);
  if (name == view.metadata.end())
    return Refuse(path, "does not say which model it is: its metadata lack ebb.model");
  auto info = FindModel(name->second);
  if (!info) return Refuse(path, info.error().what);
  LoadedModel loaded{.info = std::move(*info), .model = nullptr};
  loaded.model = loaded.info.make();
  const torch::NoGradGuard no_grad;
  TensorMap stored;
  for (const TensorBytes& tensor : view.tensors) stored.emplace(tensor.name, tensor);
  EBB_RETURN_IF_ERROR(Fill(loaded, stored, path));
  if (const auto bad = FirstNonFinite(ModelTensors(*loaded.model, "", "")))
    return Refuse(
        path, "the tensor " + *bad + " has numbers that are not finite: the training had diverged");
  loaded.model->eval();
  for (Tensor parameter : loaded.model->parameters()) parameter.set_requires_grad(false);
  return loaded;
}

}  // namespace

bool IsWeight(const Tensor& tensor) { return tensor.dim() >= 2; }

Status SaveModel(const platform::Path& path, const Classifier& model, const std::string& name,
                 WeightForm form) {
  NamedTensors tensors;
  for (auto& [tensor_name, tensor] : Portable(ModelTensors(model, "", ""))) {
    if (form == WeightForm::kPlain || !IsWeight(tensor)) {
      tensors.emplace_back(tensor_name, tensor);
      continue;
    }
    Codes coded = CodesOf(tensor);
    if (!coded.scales.isfinite().all().item<bool>())
      return Fail({ExitCode::kConfiguration, "a weight of " + tensor_name + " is not finite",
                   path.string(), "the model has diverged: train it with a lower learning rate"});
    tensors.emplace_back(tensor_name, std::move(coded.codes));
    tensors.emplace_back(tensor_name + kScaleSuffix, std::move(coded.scales));
  }
  return platform::WriteFileAtomically(
      path, EncodeSafetensors(BytesOf(tensors), {{"format", "pt"}, {kModelKey, name}}));
}

Result<LoadedModel> LoadModel(const platform::Path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return Refuse(path, "there is no such file");
  EBB_ASSIGN_OR_RETURN(const std::string file, platform::ReadFile(path, kReadLimitBytes));
  EBB_ASSIGN_OR_RETURN(const SafetensorsView view, DecodeSafetensors(file, path.string()));
  EBB_ASSIGN_OR_RETURN(LoadedModel loaded, Load(path, view));
  loaded.file_bytes = file.size();
  return loaded;
}

}  // namespace ebb::train
