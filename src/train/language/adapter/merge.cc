#include "train/language/adapter/merge.h"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "platform/file.h"
#include "train/files/tensor_of_bytes.h"
#include "train/language/adapter/adapter.h"
#include "train/language/weights/weight_files.h"
#include "train/library_errors.h"

namespace ebb::train {
namespace {

using platform::Path;

constexpr const char* kEmbedding = "model.embed_tokens.weight";  // the model has its type
constexpr const char* kOutput = "lm_head.weight";
constexpr const char* kIndexFile = "model.safetensors.index.json";

std::string ShardName(std::size_t index, std::size_t count) {
  if (count == 1) return "model.safetensors";
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", index + 1, count);
  return name;
}

// Distributes the tensors over files in order of their names, each file up to `shard_bytes`.
std::vector<std::vector<TensorBytes>> Shards(const WeightFiles& files, std::uint64_t shard_bytes) {
  std::vector<std::vector<TensorBytes>> shards;
  std::uint64_t bytes = 0;
  for (const auto& [name, weight] : files.weights()) {
    const std::uint64_t size = weight.tensor.data.size();
    if (shards.empty() || (bytes + size > shard_bytes && !shards.back().empty())) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += size;
    shards.back().push_back(weight.tensor);
  }
  return shards;
}

// The projections' weights by name, with their pairs; null for a weight without a pair.
std::map<std::string, const LoraPair*> Projections(const Adapter& adapter) {
  std::map<std::string, const LoraPair*> projections;
  for (std::size_t layer = 0; layer < adapter.layers.size(); ++layer)
    for (std::size_t i = 0; i < kProjectionCount; ++i) {
      const auto& pair = adapter.layers[layer][i];
      projections[LayerPrefix(static_cast<std::int64_t>(layer)) + kProjectionNames[i].path +
                  ".weight"] = pair ? &*pair : nullptr;
    }
  return projections;
}

// Produces the pieces of one file: its header, then each tensor, merged when its turn comes.
class Pieces {
 public:
  Pieces(std::vector<TensorBytes> tensors, const Metadata& metadata, const Adapter& adapter,
         const OuterWeights& outer, const WeightFiles& files)
      : tensors_(std::move(tensors)),
        header_(SafetensorsHeader(tensors_, metadata)),
        projections_(Projections(adapter)),
        outer_{{kEmbedding, outer.embedding}, {kOutput, outer.output}},
        trained_on_(adapter.trained_on),
        files_(files) {}

  std::string_view Next() {
    if (!std::exchange(begun_, true)) return header_;
    while (next_ < tensors_.size()) {
      const TensorBytes& tensor = tensors_[next_++];
      if (tensor.data.empty()) continue;
      const auto outer = outer_.find(tensor.name);
      if (outer != outer_.end() && outer->second.defined()) {
        merged_ = outer->second.to(*WeightType(tensor.dtype)).contiguous();
        return BytesOf(tensor.name, merged_).data;
      }
      const auto projection = projections_.find(tensor.name);
      if (projection == projections_.end()) return tensor.data;
      const auto& weight = files_.weights().at(tensor.name);
      merged_ =
          Merge(TensorOver(tensor, *WeightType(tensor.dtype), weight.file), projection->second);
      return BytesOf(tensor.name, merged_).data;
    }
    return {};
  }

 private:
  // An adapter that was trained on weights in few bits is added to the weights as decoded from
  // these bits.
  torch::Tensor Merge(const torch::Tensor& weight, const LoraPair* pair) const {
    const torch::Tensor base =
        trained_on_ == BaseWeights::kPlain
            ? weight
            : FrozenMatrix::Stored(weight, trained_on_, torch::dtype(torch::kFloat32)).Whole();
    const torch::Tensor merged = pair == nullptr ? base : MergedWeight(base, *pair);
    return merged.to(weight.scalar_type()).contiguous();
  }

  std::vector<TensorBytes> tensors_;
  std::string header_;
  std::map<std::string, const LoraPair*> projections_;
  std::map<std::string, torch::Tensor> outer_;
  BaseWeights trained_on_;
  const WeightFiles& files_;
  torch::Tensor merged_;
  bool begun_ = false;
  std::size_t next_ = 0;
};

Status WriteWeights(const Path& folder, const WeightFiles& files, const Adapter& adapter,
                    const OuterWeights& outer, std::uint64_t shard_bytes) {
  auto shards = Shards(files, shard_bytes);
  nlohmann::ordered_json map;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = ShardName(i, shards.size());
    for (const TensorBytes& tensor : shards[i]) {
      map[tensor.name] = name;
      bytes += tensor.data.size();
    }
    Pieces pieces(std::move(shards[i]), files.metadata(), adapter, outer, files);
    EBB_RETURN_IF_ERROR(
        platform::WriteFileAtomically(folder / name, [&] { return pieces.Next(); }));
  }
  if (shards.size() == 1) return {};
  const nlohmann::ordered_json index = {{"metadata", {{"total_size", bytes}}},
                                        {"weight_map", std::move(map)}};
  return platform::WriteFileAtomically(folder / kIndexFile, index.dump(2) + "\n");
}

bool HoldsWeights(const Path& file) {
  return file.extension() == ".safetensors" || file.extension() == ".bin" ||
         file.filename() == kIndexFile || file.filename() == "pytorch_model.bin.index.json";
}

// Copies configuration, tokenizer, licence.
Status CopyTheRest(const Path& from, const Path& to) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(from, code)) {
    if (!entry.is_regular_file() || HoldsWeights(entry.path())) continue;
    std::filesystem::copy_file(entry.path(), to / entry.path().filename(), code);
    if (code) break;
  }
  if (!code) return {};
  return Fail({ExitCode::kUnavailable, "cannot copy its files: " + code.message(), from.string(),
               "is there room, and may they be read?"});
}

// A model whose output is its embedding has one tensor for both.
Status RequireStillTied(const Decoder& decoder, const OuterWeights& outer,
                        const std::string& adapter) {
  if (!decoder.config.tied_embeddings) return {};
  Decoder changed = decoder;
  Use(outer, changed);
  if (torch::equal(changed.embedding, changed.output)) return {};
  return Fail({ExitCode::kConfiguration,
               "the adapter makes lm_head and embed_tokens differ, but config.json of the model "
               "says tie_word_embeddings",
               adapter, "use it as an adapter; it cannot be merged into this model"});
}

Status MergeInto(const Path& folder, const MergeOptions& options, std::uint64_t shard_bytes) {
  std::error_code code;
  for (const std::string& named : {options.base, options.adapter})
    if (!std::filesystem::is_directory(named, code))
      return Fail({ExitCode::kConfiguration, "is not a folder", named,
                   named == options.base ? "name the folder of the model with --base"
                                         : "name the folder of an adapter with --adapter"});
  EBB_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(options.base));
  const auto any = files.weights().find(kEmbedding);
  const auto type =
      any == files.weights().end() ? std::nullopt : WeightType(any->second.tensor.dtype);
  // If the folder does not hold a model, the decoder says what is wrong.
  EBB_ASSIGN_OR_RETURN(const Decoder decoder,
                       LoadDecoder(options.base, torch::dtype(type.value_or(torch::kFloat32))));
  OuterWeights outer;
  EBB_ASSIGN_OR_RETURN(const Adapter adapter, LoadAdapter(options.adapter, decoder, &outer));
  EBB_RETURN_IF_ERROR(RequireStillTied(decoder, outer, options.adapter));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(folder));
  EBB_RETURN_IF_ERROR(WriteWeights(folder, files, adapter, outer, shard_bytes));
  return CopyTheRest(options.base, folder);
}

}  // namespace

Status Merge(const MergeOptions& options, std::uint64_t shard_bytes) {
  const Path output = Path(options.output).lexically_normal();
  std::error_code code;
  if (std::filesystem::exists(output, code))
    return Fail({ExitCode::kConfiguration, "is there already", output.string(),
                 "name another folder with --output, or remove it"});
  const Path folder = (output.has_filename() ? output : output.parent_path()).string() + ".part";
  Status merged = WithLibraryErrors([&] { return MergeInto(folder, options, shard_bytes); });
  if (merged) {
    std::filesystem::rename(folder, output, code);
    if (code)
      merged = Fail({ExitCode::kUnavailable, "cannot be made: " + code.message(), output.string(),
                     "may you write there?"});
  }
  if (!merged) std::filesystem::remove_all(folder, code);
  return merged;
}

}  // namespace ebb::train
