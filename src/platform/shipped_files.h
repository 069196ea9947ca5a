#pragma once
// Finds the configurations and series that ship with Ebb by the names that documents use. They lie
// beside an installed program (PREFIX/share/ebb) or in the clone that it was built in, and are
// found from any working directory.

#include <filesystem>
#include <string>

namespace ebb::platform {

/// The folder with `configs` and `data`; empty if no files ship with this program.
std::filesystem::path ShippedFolder();

/// The path of a shipped file such as "configs/test.yaml". Returns `path` itself if that file
/// exists, or if no shipped file has that name.
std::string Shipped(const std::string& path);
/// The path of a shipped series of carbon intensity. The zone alone is enough if one series of it
/// ships: "US-CAL-CISO".
std::string ShippedSeries(const std::string& path);

/// Both look-ups in this folder.
std::string ShippedIn(const std::filesystem::path& folder, const std::string& path);
std::string ShippedSeriesIn(const std::filesystem::path& folder, const std::string& path);

}  // namespace ebb::platform
