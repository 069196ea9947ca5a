#pragma once
// Owners of files.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace ebb::platform {

/// The name of a file's owner, or "uid 1001" if the system has no name for it; "" if the file
/// cannot be seen.
std::string OwnerOf(const std::filesystem::path& file);
/// The number of a file's owner; nullopt if the file cannot be seen.
std::optional<uid_t> OwnerIdOf(const std::filesystem::path& file);

/// The name of the user of this process, or its number if the system has no name for it.
std::string UserOfProcess();

}  // namespace ebb::platform
