#pragma once
// Facts in the name of a configuration file: what it configures, and the directory in which its
// relative paths begin. Works on texts only and looks at no file.

#include <string>
#include <string_view>

namespace ebb::config {

/// "configs/sweeps/digits.yaml" -> "digits"; `otherwise` if nothing is left.
std::string FileStem(std::string_view path, std::string_view otherwise);
/// "configs/sweeps/digits.yaml" -> "configs/sweeps"; "" for a bare name.
std::string FolderOf(const std::string& path);
/// `path` itself if it is absolute, else below `folder`.
std::string Beside(const std::string& folder, const std::string& path);

}  // namespace ebb::config
