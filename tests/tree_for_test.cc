#include "tree_for_test.h"

#include <fstream>
#include <iterator>

namespace ebb {

namespace fs = std::filesystem;

bool IsTest(const std::string& file) {
  return file.find("_test.cc") != std::string::npos || file.find("_for_test.") != std::string::npos;
}

std::vector<Include> AllIncludes() {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream stream(entry.path());
    std::string text;
    for (int line = 1; std::getline(stream, text); ++line) {
      if (!text.starts_with("#include ")) continue;
      const auto open = text.find_first_of("\"<");
      const auto close = text.find_first_of("\">", open + 1);
      includes.push_back({fs::relative(entry.path(), root).string(), line,
                          text.substr(open + 1, close - open - 1)});
    }
  }
  return includes;
}

std::string RoomOf(const std::string& path) { return path.substr(0, path.find('/')); }

std::string TextOf(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> SourcesUnder(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc")
      files.push_back(fs::relative(entry.path(), folder).string());
  }
  return files;
}

std::string Where(const Include& include) {
  return "src/" + include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

}  // namespace ebb
