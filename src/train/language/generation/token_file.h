#pragma once
// Reads sequences that are tokens already: JSON lines with "input_ids" and, if not every token is
// to be learned, "loss_mask" of the same length. Plain or gzip.

#include <cstdint>

#include "base/result.h"
#include "platform/file.h"
#include "train/text/records/text_data.h"

namespace ebb::train {

struct TokenFileOptions {
  platform::Path path;
  std::int64_t vocabulary = 0;  ///< every id is below it
  std::size_t max_tokens = 512;
  double validation_share = 0.2;
  std::uint64_t split_seed = 42;
  bool packed = false;
};

/// Errors name file and line. A sequence with nothing to predict is left out.
Result<TextData> LoadTokenFile(const TokenFileOptions& options);

}  // namespace ebb::train
