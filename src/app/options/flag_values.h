#pragma once
// Values of flags that several commands take. A value that cannot be read is a usage error that
// names its flag.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/publication.h"

namespace ebb::app {

Result<Time> TimeOf(const std::string& flag, const std::string& text);
Result<Duration> DurationOf(const std::string& flag, const std::string& text);
/// --publication-lag, for which this is the help.
Result<core::Publication> PublicationOf(const std::string& text);
inline constexpr const char* kPublicationLagHelp =
    "for a trace: how long after its end an interval was published (default 1h where it was "
    "measured); none: known as it begins";
/// 0 to 1.
Result<double> PriceWeightOf(const std::string& text);
/// Devices as CUDA_VISIBLE_DEVICES names them, with commas between: indices, or GPU-... and MIG-...
/// identifiers; none twice.
Result<std::vector<std::string>> GpusOf(const std::string& flag, const std::string& text);

}  // namespace ebb::app
