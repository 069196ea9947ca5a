#pragma once
// Users by name.

#include <filesystem>
#include <string>

namespace ebb::platform {

/// Whose file it is: the user's name, or "uid 1001" where the system knows none; "" where the file
/// cannot be seen.
std::string OwnerOf(const std::filesystem::path& file);

}  // namespace ebb::platform
