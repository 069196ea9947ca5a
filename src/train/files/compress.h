#pragma once
// `ebb-train compress`: makes the file of a trained image classifier smaller. Small weights become
// zero (magnitude pruning: Han et al. 2015, arXiv 1506.02626; one threshold for all layers, as in
// Blalock et al. 2020, arXiv 2003.03033, "Global Magnitude"), weights get 8 bits, or both. The
// model is not trained again.

#include <cstdint>

#include "base/result.h"
#include "train/model.h"
#include "train/options/compress_options.h"

namespace ebb::train {

/// Sets floor(share x count) of the weights (not biases) of the smallest magnitude to zero. Returns
/// the number of weights that are zero afterwards.
std::int64_t Prune(Classifier& model, double share);

struct Compressed {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

/// Exceptions of LibTorch become an Error.
Result<Compressed> Compress(const CompressOptions& options);

}  // namespace ebb::train
