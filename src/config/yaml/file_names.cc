#include "config/yaml/file_names.h"

namespace ebb::config {

std::string FileStem(std::string_view path, std::string_view otherwise) {
  if (const auto slash = path.rfind('/'); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  for (const std::string_view ending : {".yaml", ".yml"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return std::string(path.empty() ? otherwise : path);
}

std::string FolderOf(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string Beside(const std::string& folder, const std::string& path) {
  if (path.starts_with('/') || folder.empty()) return path;
  return folder + "/" + path;
}

}  // namespace ebb::config
