#pragma once
// The weights of a Hugging Face model folder: model.safetensors, or the shards that
// model.safetensors.index.json lists. Files are mapped, not read: a tensor's bytes come from the
// disk when they are used.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "platform/mapped_file.h"
#include "train/files/safetensors.h"

namespace ebb::train {

class WeightFiles {
 public:
  static Result<WeightFiles> Open(const platform::Path& folder);
  static Result<WeightFiles> OpenFile(const platform::Path& file);
  /// The files that Open would read, including the index.
  static Result<std::vector<platform::Path>> NamesIn(const platform::Path& folder);

  struct Weight {
    TensorBytes tensor;
    std::shared_ptr<const platform::MappedFile> file;  ///< keeps the bytes alive
  };
  /// All weights by name.
  const std::map<std::string, Weight>& weights() const { return weights_; }
  const Metadata& metadata() const { return metadata_; }

 private:
  Status Add(const platform::Path& file);

  std::map<std::string, Weight> weights_;
  Metadata metadata_;
};

}  // namespace ebb::train
