#pragma once
// Configurations and series that ship with Ebb, by the names that documents use: from any folder,
// beside an installed program (PREFIX/share/ebb) or in the clone that it was built in.

#include <filesystem>
#include <string>

namespace ebb::platform {

/// The folder with `configs` and `data`; empty: nothing ships with this program.
std::filesystem::path ShippedFolder();

/// `path` itself if it is there, or if nothing ships by that name: "configs/test.yaml".
std::string Shipped(const std::string& path);
/// The same for carbon intensity, where a zone is enough if one series of it ships: "US-CAL-CISO".
std::string ShippedSeries(const std::string& path);

/// The two, in this folder.
std::string ShippedIn(const std::filesystem::path& folder, const std::string& path);
std::string ShippedSeriesIn(const std::filesystem::path& folder, const std::string& path);

}  // namespace ebb::platform
