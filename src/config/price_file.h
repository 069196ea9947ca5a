#pragma once
// Electricity prices from a file: a time-of-use tariff in YAML (Compute Gardener's schedules are
// accepted as they are), a YAML file that names a day-ahead CSV file and how to read it, or such a
// CSV file by itself. Format and rules: docs/prices.md. All mistakes of a file are reported
// together, each with file and line. Pure but for LoadPrices, which reads files.

#include <functional>
#include <string>

#include "base/result.h"
#include "prices/price_source.h"

namespace ebb::config {

/// Reads a file that the YAML names; only the fuzz target does without files.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

/// `name` is for messages, and a day-ahead file lies beside it.
Result<prices::PriceSource> ParsePrices(const std::string& text, const std::string& name,
                                        const FileReader& read_file);

/// A path that ends in .csv or .csv.gz, any XML (of ENTSO-E) and any zip archive (of one file) is a
/// day-ahead series; anything else is YAML. `name`: a path, or of a file that ships
/// (platform/shipped_files.h).
Result<prices::PriceSource> LoadPrices(const std::string& name);

}  // namespace ebb::config
