#include "train/files/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/check.h"
#include "platform/digest.h"
#include "train/devices/finite.h"
#include "train/files/safetensors.h"
#include "train/files/tensor_of_bytes.h"

namespace ebb::train {
namespace {

constexpr const char* kSchema = "ebb.checkpoint/1";
constexpr const char* kStateKey = "ebb.checkpoint";
constexpr const char* kDigestKey = "sha256";
constexpr std::uint64_t kReadLimitBytes = 64ULL << 30;

at::Generator GeneratorOf(torch::DeviceType device) {
  return at::globalContext().defaultGenerator(torch::Device(device));
}

NamedTensors RandomStates(torch::Device device) {
  NamedTensors states = {{"rng.cpu", GeneratorOf(torch::kCPU).get_state()}};
  if (device.is_cuda()) states.emplace_back("rng.cuda", GeneratorOf(torch::kCUDA).get_state());
  return states;
}

// One digest over the state and over every tensor's name and bytes, whatever their order in the
// file.
std::string Digest(const std::string& state, std::vector<TensorBytes> tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorBytes& a, const TensorBytes& b) { return a.name < b.name; });
  std::string summary = state;
  for (const TensorBytes& tensor : tensors)
    summary += "\n" + tensor.name + " " + platform::Sha256Hex(tensor.data);
  return platform::Sha256Hex(summary);
}

tl::unexpected<Error> Refuse(const platform::Path& path, std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), path.string(),
               "start afresh without --resume, or restore the checkpoint"});
}

using TensorMap = std::map<std::string, TensorBytes>;

Status RequireMatch(const TensorMap& stored, const NamedTensors& wanted,
                    const platform::Path& path) {
  for (const auto& [name, tensor] : wanted) {
    const auto found = stored.find(name);
    if (found == stored.end()) return Refuse(path, "the checkpoint lacks the tensor " + name);
    if (found->second.dtype != DtypeName(tensor.scalar_type()) ||
        found->second.shape != tensor.sizes().vec())
      return Refuse(
          path, "the checkpoint's tensor " + name + " has another type or shape than the model's");
  }
  return {};
}

torch::Tensor Borrow(const TensorBytes& bytes, const torch::TensorOptions& options) {
  // from_blob takes a mutable pointer, but the result is only read.
  return torch::from_blob(const_cast<char*>(bytes.data.data()), bytes.shape, options);
}

void RestoreTensors(const TensorMap& stored, const NamedTensors& wanted) {
  const torch::NoGradGuard no_grad;
  for (auto [name, tensor] : wanted)
    tensor.copy_(Borrow(stored.at(name), torch::dtype(tensor.scalar_type())));
}

void RestoreRandomStates(const TensorMap& stored, torch::Device device) {
  const auto restore = [&](const char* name, torch::DeviceType type) {
    const auto found = stored.find(name);
    if (found == stored.end()) return;
    GeneratorOf(type).set_state(Borrow(found->second, torch::dtype(torch::kUInt8)).clone());
  };
  restore("rng.cpu", torch::kCPU);
  if (device.is_cuda()) restore("rng.cuda", torch::kCUDA);
}

// Refuses changed inputs or, if the run allows them, records them in the state.
Status TakeChangedInputs(const nlohmann::json& stored, const WantedCheckpoint& wanted,
                         const platform::Path& path, TrainingState& state) {
  for (const std::string& name : ChangedInputs(stored, wanted.run.inputs)) {
    if (!wanted.allow_changed)
      return Fail({ExitCode::kConfiguration, name + " has changed since the training began",
                   path.string(),
                   "restore it, start afresh without --resume, or go on with --allow-changed, "
                   "which the result says"});
    auto& noted = state.changed_inputs;
    if (std::find(noted.begin(), noted.end(), name) == noted.end()) noted.push_back(name);
  }
  return {};
}

Status RequireFinite(const TensorMap& stored, const NamedTensors& wanted,
                     const platform::Path& path) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : wanted)
    tensors.emplace_back(name, Borrow(stored.at(name), torch::dtype(tensor.scalar_type())));
  const auto bad = FirstNonFinite(tensors);
  if (!bad) return {};
  return Fail({ExitCode::kConfiguration,
               "the checkpoint's tensor " + *bad +
                   " has numbers that are not finite: the training "
                   "had diverged",
               path.string(),
               "start afresh without --resume, or go on regardless with --on-divergence go-on"});
}

}  // namespace

NamedTensors RestoredTensors(const CheckpointTensors& parts) {
  NamedTensors tensors = parts.trained;
  for (const Adam::Slot& slot : parts.optimizer.slots()) {
    tensors.emplace_back("opt." + slot.name + ".exp_avg", slot.exp_avg);
    tensors.emplace_back("opt." + slot.name + ".exp_avg_sq", slot.exp_avg_sq);
  }
  return tensors;
}

Status SaveCheckpoint(const platform::Path& path, const CheckpointTensors& parts,
                      const TrainingState& state, const RunIdentity& run) {
  NamedTensors tensors = Portable(RestoredTensors(parts));
  for (auto& random_state : RandomStates(parts.device)) tensors.push_back(std::move(random_state));
  const nlohmann::ordered_json description = {{"schema", kSchema},
                                              {"configuration", run.fingerprint},
                                              {"inputs", run.inputs},
                                              {"state", ToJson(state)}};
  const std::string text = description.dump();
  std::vector<TensorBytes> views = BytesOf(tensors);
  const Metadata metadata = {{kStateKey, text}, {kDigestKey, Digest(text, views)}};
  return platform::WriteFileAtomically(path, EncodeSafetensors(std::move(views), metadata));
}

Result<TrainingState> LoadCheckpoint(const platform::Path& path, const CheckpointTensors& parts,
                                     const WantedCheckpoint& wanted) {
  EBB_ASSIGN_OR_RETURN(const std::string file, platform::ReadFile(path, kReadLimitBytes));
  EBB_ASSIGN_OR_RETURN(const SafetensorsView view, DecodeSafetensors(file, path.string()));
  const auto text = view.metadata.find(kStateKey);
  const auto digest = view.metadata.find(kDigestKey);
  if (text == view.metadata.end() || digest == view.metadata.end())
    return Refuse(path, "is not a checkpoint of ebb-train");
  if (Digest(text->second, view.tensors) != digest->second)
    return Refuse(path, "the checkpoint is damaged: its digest does not match its content");
  const auto json = nlohmann::json::parse(text->second, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("schema", "") != kSchema)
    return Refuse(path,
                  "the checkpoint has another format than this version's " + std::string(kSchema));
  EBB_RETURN_IF_ERROR(RequireSameFingerprint(json.value("configuration", nlohmann::json()),
                                             wanted.run.fingerprint, path.string()));
  EBB_ASSIGN_OR_RETURN(TrainingState state,
                       TrainingStateFromJson(json.value("state", nlohmann::json()), path.string()));
  EBB_RETURN_IF_ERROR(
      TakeChangedInputs(json.value("inputs", nlohmann::json()), wanted, path, state));
  TensorMap stored;
  for (const TensorBytes& tensor : view.tensors) stored.emplace(tensor.name, tensor);
  const NamedTensors restored = RestoredTensors(parts);
  EBB_RETURN_IF_ERROR(RequireMatch(stored, restored, path));
  if (wanted.on_divergence == OnDivergence::kStop)
    EBB_RETURN_IF_ERROR(RequireFinite(stored, restored, path));
  EBB_RETURN_IF_ERROR(
      RequireMatch(stored, {{"rng.cpu", GeneratorOf(torch::kCPU).get_state()}}, path));
  RestoreTensors(stored, restored);
  RestoreRandomStates(stored, parts.device);
  parts.optimizer.set_steps(state.optimizer_steps);
  return state;
}

std::string ParametersSha256(const Classifier& model) {
  const NamedTensors portable = Portable(ModelTensors(model, "", ""));
  return Digest("", BytesOf(portable));
}

}  // namespace ebb::train
