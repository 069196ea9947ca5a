#include "train/language/weights/weight_files.h"

#include <set>
#include <utility>

#include "base/json_node.h"
#include "platform/path_facts.h"

namespace ebb::train {
namespace {

constexpr std::uint64_t kIndexLimitBytes = 64ULL << 20;

tl::unexpected<Error> Refuse(const platform::Path& file, std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), file.string(), std::move(next)});
}

// True for a file name without a folder, because shards are in the folder of their index.
bool IsPlainFileName(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != ".." &&
         name.find('\0') == std::string::npos;
}

// Reads the index: tensor name -> file name.
Result<std::map<std::string, std::string>> ReadIndex(const platform::Path& index) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(index, kIndexLimitBytes));
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, index.string()));
  const JsonNode* map = root.Find("weight_map");
  if (map == nullptr || !map->is_object()) return Refuse(index, "has no weight_map");
  std::map<std::string, std::string> shards;
  for (const JsonMember& member : map->members) {
    const auto file = member.value.AsText();
    if (!file || !IsPlainFileName(*file))
      return Refuse(index, "the tensor " + member.name + " is in no file of this folder");
    shards[member.name] = *file;
  }
  return shards;
}

}  // namespace

Status WeightFiles::Add(const platform::Path& path) {
  EBB_ASSIGN_OR_RETURN(const auto file, platform::MappedFile::Open(path));
  EBB_ASSIGN_OR_RETURN(SafetensorsView view, DecodeSafetensors(file->bytes(), path.string()));
  for (TensorBytes& tensor : view.tensors) {
    const std::string name = tensor.name;
    if (!weights_.emplace(name, Weight{std::move(tensor), file}).second)
      return Refuse(path, "the tensor " + name + " is in another file of this folder too");
  }
  metadata_.merge(view.metadata);
  return {};
}

Result<WeightFiles> WeightFiles::OpenFile(const platform::Path& file) {
  WeightFiles files;
  EBB_RETURN_IF_ERROR(files.Add(file));
  return files;
}

// The choice is that of transformers: a single file takes precedence over an index.
Result<std::vector<platform::Path>> WeightFiles::NamesIn(const platform::Path& folder) {
  const platform::Path index = folder / "model.safetensors.index.json";
  const platform::Path single = folder / "model.safetensors";
  if (platform::Exists(single)) return std::vector<platform::Path>{single};
  if (!platform::Exists(index))
    return Refuse(folder, "has neither model.safetensors nor model.safetensors.index.json",
                  "save the model with save_pretrained(..., safe_serialization=True)");
  EBB_ASSIGN_OR_RETURN(const auto shards, ReadIndex(index));
  std::set<platform::Path> files{index};
  for (const auto& [tensor, file] : shards) files.insert(folder / file);
  return std::vector<platform::Path>(files.begin(), files.end());
}

Result<WeightFiles> WeightFiles::Open(const platform::Path& folder) {
  EBB_ASSIGN_OR_RETURN(const std::vector<platform::Path> names, NamesIn(folder));
  WeightFiles files;
  for (const platform::Path& name : names)
    if (name.extension() != ".json") EBB_RETURN_IF_ERROR(files.Add(name));
  if (names.size() == 1) return files;
  EBB_ASSIGN_OR_RETURN(const auto shards, ReadIndex(folder / "model.safetensors.index.json"));
  for (const auto& [tensor, file] : shards) {
    if (!files.weights_.contains(tensor))
      return Refuse(folder / file, "lacks the tensor " + tensor + ", which the index says it has");
  }
  return files;
}

}  // namespace ebb::train
