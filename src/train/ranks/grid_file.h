#pragma once
// Reads the file in which Ebb keeps the intensity of the electricity of a program while it runs:
// grid.json in EBB_RUN_DIR (docs/training-program.md). The writer is local/process/grid_file.h.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::train {

/// Grams per kWh that the device uses, with the PUE. nullopt: there is no such file, or it does not
/// say.
std::optional<double> ReadGridFile(const std::string& path);
/// The same of the file's text.
std::optional<double> GramsPerKwhOf(std::string_view text);

}  // namespace ebb::train
