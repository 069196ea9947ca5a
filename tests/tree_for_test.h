#pragma once
// The source files of the tree and their includes, for the tests of its rules.

#include <filesystem>
#include <string>
#include <vector>

namespace ebb {

struct Include {
  std::string file;  // relative to src/
  int line = 0;
  std::string target;
};
/// The includes of all files under src/.
std::vector<Include> AllIncludes();
std::string Where(const Include& include);

bool IsTest(const std::string& file);
std::string RoomOf(const std::string& path);
std::string TextOf(const std::filesystem::path& path);
/// The C++ files under a folder of the tree, as paths relative to the folder.
std::vector<std::string> SourcesUnder(const std::filesystem::path& folder);

}  // namespace ebb
