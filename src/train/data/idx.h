#pragma once
// The IDX format of the MNIST files (Y. LeCun, C. Cortes, C. Burges, "The MNIST database"): two
// zero bytes, a type byte (8 = unsigned byte), the number of dimensions, each dimension as a
// big-endian 32-bit number, then the data. Every claim of a header is checked against the bytes
// that are there; errors name the file and the cause.

#include <string>
#include <vector>

#include "base/result.h"
#include "train/data/dataset.h"

namespace ebb::train {

/// A file's decompressed content and the name for messages.
struct NamedContent {
  std::string name;
  std::string bytes;
};

/// Joins an images file (three dimensions) and a labels file (one dimension, values below
/// kClasses).
Result<Dataset> ParseIdxDataset(const NamedContent& images, const NamedContent& labels);

/// The reverse of parsing: the content of an images file and of a labels file.
std::string EncodeIdxImages(const Dataset& dataset);
std::string EncodeIdxLabels(const Dataset& dataset);

}  // namespace ebb::train
