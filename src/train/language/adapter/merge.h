#pragma once
// `ebb-train merge`: writes the model of a Hugging Face folder with an adapter added into its
// weights to another such folder. Only one tensor at a time is in memory.

#include <cstdint>

#include "base/result.h"
#include "train/language/adapter/merge_options.h"

namespace ebb::train {

/// The size at which transformers cuts a model into files.
inline constexpr std::uint64_t kShardBytes = 5'000'000'000;

/// Makes the output folder whole or not at all. Exceptions of LibTorch become an Error.
Status Merge(const MergeOptions& options, std::uint64_t shard_bytes = kShardBytes);

}  // namespace ebb::train
