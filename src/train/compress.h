#pragma once
// `ebb-train compress`: the file of a trained image classifier with small weights set to zero
// (magnitude pruning: Han et al. 2015, arXiv 1506.02626; one threshold for all layers, as in
// Blalock et al. 2020, arXiv 2003.03033, "Global Magnitude"), with weights in 8 bits, or both.
// Nothing is trained again.

#include <cstdint>

#include "base/result.h"
#include "train/compress_options.h"
#include "train/model.h"

namespace ebb::train {

/// Sets floor(share x count) of the weights (not biases) of the smallest magnitude to zero. Returns
/// how many are zero then.
std::int64_t Prune(Classifier& model, double share);

struct Compressed {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

/// What LibTorch throws becomes an Error.
Result<Compressed> Compress(const CompressOptions& options);

}  // namespace ebb::train
