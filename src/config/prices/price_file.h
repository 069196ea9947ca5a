#pragma once
// Reads electricity prices from a file: a time-of-use tariff in YAML (Compute Gardener's schedules
// are accepted as they are), a YAML file that names a day-ahead CSV file and how to read it, or
// such a CSV file by itself. Format and rules: docs/prices.md. All mistakes of a file are reported
// together, each with file and line. Pure but for LoadPrices, which reads files.

#include <functional>
#include <string>

#include "base/result.h"
#include "prices/price_source.h"

namespace ebb::config {

/// Reads a file that the YAML names. Only the fuzz target passes a reader that uses no files.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

/// `name` is for messages; a day-ahead file is looked for in its directory.
Result<prices::PriceSource> ParsePrices(const std::string& text, const std::string& name,
                                        const FileReader& read_file);

/// Reads a day-ahead series if the path ends in .csv or .csv.gz, or if the file is XML (ENTSO-E) or
/// a zip archive with one file; any other file is YAML. `name`: a path, or the name of a file that
/// ships with Ebb (platform/shipped_files.h).
Result<prices::PriceSource> LoadPrices(const std::string& name);

}  // namespace ebb::config
