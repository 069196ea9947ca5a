#pragma once
// Users by name.

#include <filesystem>
#include <string>

namespace ebb::platform {

/// The name of a file's owner, or "uid 1001" if the system has no name for it; "" if the file
/// cannot be seen.
std::string OwnerOf(const std::filesystem::path& file);

}  // namespace ebb::platform
