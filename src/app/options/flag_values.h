#pragma once
// Reads values of flags that several commands share. A value that cannot be read is a usage error
// that names its flag.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/signal/publication.h"

namespace ebb::app {

Result<Time> TimeOf(const std::string& flag, const std::string& text);
Result<Duration> DurationOf(const std::string& flag, const std::string& text);
/// The value of --publication-lag.
Result<core::Publication> PublicationOf(const std::string& text);
/// A number from 0 to 1.
Result<double> PriceWeightOf(const std::string& text);
/// A list of different devices as in CUDA_VISIBLE_DEVICES, separated by commas: indices, or GPU-...
/// and MIG-... identifiers.
Result<std::vector<std::string>> GpusOf(const std::string& flag, const std::string& text);

}  // namespace ebb::app
