#pragma once
// `ebb-train merge`: the model of a Hugging Face folder with an adapter added into its weights, as
// another such folder. One tensor at a time is in memory.

#include <cstdint>

#include "base/result.h"
#include "train/language/merge_options.h"

namespace ebb::train {

/// As transformers cuts a model into files.
inline constexpr std::uint64_t kShardBytes = 5'000'000'000;

/// Makes the output folder whole or not at all. What LibTorch throws becomes an Error.
Status Merge(const MergeOptions& options, std::uint64_t shard_bytes = kShardBytes);

}  // namespace ebb::train
