// Checks comments and the map of the tree: how comments begin, and that the files which they and
// docs/HACKING.md name exist.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "tree_for_test.h"

namespace ebb {
namespace {

namespace fs = std::filesystem;

// The first lines of comments in a file, with their numbers. `mark` begins a comment.
std::vector<std::pair<int, std::string>> BeginningsOfComments(const fs::path& file,
                                                              const std::string& mark) {
  const std::regex comment("^\\s*" + mark);
  std::vector<std::pair<int, std::string>> beginnings;
  std::ifstream stream(file);
  int number = 0;
  bool inside = false;  // of a block of comments: only its first line begins something
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const bool is_comment = std::regex_search(line, comment);
    if (is_comment && !inside) beginnings.emplace_back(number, line);
    inside = is_comment;
  }
  return beginnings;
}

// Programs in Python and in shell; those in bench/ have no ending.
std::vector<fs::path> ScriptsOfTheTree() {
  std::vector<fs::path> scripts{fs::path(EBB_SOURCE_DIR) / "dev"};
  for (const char* folder : {"tests", "bench", "python", "deploy"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(EBB_SOURCE_DIR) / folder)) {
      const std::string ending = entry.path().extension();
      const bool is_script =
          ending == ".py" || ending == ".sh" || (ending.empty() && folder == std::string("bench"));
      if (entry.is_regular_file() && is_script) scripts.push_back(entry.path());
    }
  return scripts;
}

// A comment begins with the thing that it is about: docs/VOICE.md, Comments in code.
TEST(Layering, CommentsBeginWithTheirSubject) {
  const std::regex riddle(R"(^\s*(//[/!]?<?|#) ?(Of|What|It|Its|They|Their|Them|Those)\b)");
  std::vector<std::pair<fs::path, std::string>> files;
  for (const char* folder : {"src", "tests", "bench"}) {
    const fs::path root = fs::path(EBB_SOURCE_DIR) / folder;
    for (const std::string& file : SourcesUnder(root)) files.emplace_back(root / file, "//");
  }
  for (const fs::path& script : ScriptsOfTheTree()) files.emplace_back(script, "#");
  int comments = 0;
  for (const auto& [file, mark] : files)
    for (const auto& [number, line] : BeginningsOfComments(file, mark)) {
      ++comments;
      EXPECT_FALSE(std::regex_search(line, riddle)) << file << ":" << number << ": " << line;
    }
  EXPECT_GT(comments, 6000);
}

// A comment that names a file of the tree must name one that exists.
TEST(Layering, CommentsNameFilesThatExist) {
  const fs::path root = EBB_SOURCE_DIR;
  std::set<std::string> paths, names;
  for (const char* folder : {"src", "tests", "bench"})
    for (const std::string& file : SourcesUnder(root / folder)) {
      paths.insert(std::string(folder) + "/" + file);
      names.insert(fs::path(file).filename().string());
    }
  const std::regex named(R"(([A-Za-z0-9_./-]*[a-z0-9_]\.(?:h|cc))\b)");
  const std::regex foreign("^(tensorflow|torch|codecarbon)/|^rocm_smi\\.h$");
  int looked = 0;
  for (const std::string& path : paths) {
    std::ifstream stream(root / path);
    for (std::string line; std::getline(stream, line);) {
      const auto comment = line.find("//");
      if (comment == std::string::npos) continue;
      for (std::sregex_iterator found(line.begin() + static_cast<std::ptrdiff_t>(comment),
                                      line.end(), named);
           found != std::sregex_iterator(); ++found) {
        const std::string name = (*found)[1];
        if (std::regex_search(name, foreign)) continue;
        const std::string sibling = (fs::path(path).parent_path() / name).lexically_normal();
        EXPECT_TRUE(paths.contains(name) || paths.contains("src/" + name) ||
                    paths.contains(sibling) || names.contains(name))
            << path << " names " << name;
        ++looked;
      }
    }
  }
  EXPECT_GT(looked, 50);
}

// docs/HACKING.md tells people which files to touch.
TEST(Layering, TheMapNamesFilesThatExist) {
  const fs::path root = EBB_SOURCE_DIR;
  std::set<std::string> paths{"/CHANGELOG.md", "/CMakeLists.txt", "/README.md"};
  for (const char* folder : {"src", "tests", "bench", "docs", "deploy", "cmake", "python", "web"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      paths.insert("/" + fs::relative(entry.path(), root).string());
  const auto exists = [&](const std::string& name) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return path.ends_with("/" + name); });
  };
  const std::string map = TextOf(root / "docs/HACKING.md");
  const std::regex named("`([A-Za-z0-9_./-]*[A-Za-z0-9_]\\.(h|cc|py|js|json|yaml|yml|md|txt))`");
  int looked = 0;
  for (std::sregex_iterator found(map.begin(), map.end(), named); found != std::sregex_iterator();
       ++found) {
    const std::string name = (*found)[1];
    // These stand for any name.
    if (name == "_test.cc" || name.find("NAME") != std::string::npos) continue;
    EXPECT_TRUE(exists(name)) << "docs/HACKING.md names " << name;
    ++looked;
  }
  EXPECT_GT(looked, 200);
}

}  // namespace
}  // namespace ebb
