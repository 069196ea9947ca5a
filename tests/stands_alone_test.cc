// Checks that the checkout stands alone: shipped files name nothing outside it, and tests write
// where no other test does.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "tree_for_test.h"

namespace ebb {
namespace {

namespace fs = std::filesystem;

// CTest runs the cases of one file side by side: two cases that write to the same name would fail
// sometimes.
TEST(Layering, TestsWriteWhereNoOtherDoes) {
  int looked = 0;
  for (const char* folder : {"src", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(EBB_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      // The test of the C++ API includes only ebb.hpp.
      if (!IsTest(name) || name == "stands_alone_test.cc" || name == "library_cpp_test.cc")
        continue;
      std::ifstream stream(entry.path());
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      for (const char* shared : {"TempDir()", "temp_directory_path", "mkdtemp", "\"/tmp/ebb"})
        EXPECT_EQ(text.find(shared), std::string::npos)
            << name << " names " << shared << ": use testing/scratch_directory.h";
      ++looked;
    }
  EXPECT_GT(looked, 200);
}

// Shipped files work on their own, because a user has only this checkout.
TEST(StandsAlone, NothingThatShipsNamesAFileOutsideTheCheckout) {
  const fs::path root = EBB_SOURCE_DIR;
  std::vector<fs::path> files{root / "README.md", root / "data" / "README.md"};
  for (const char* folder : {"configs", "deploy", "src", "python", "web"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && entry.path().extension() != ".gz")
        files.push_back(entry.path());
  ASSERT_GT(files.size(), 200u);
  for (const fs::path& path : files) {
    const std::string name = fs::relative(path, root).string();
    // The paths that tests look for; they skip if a path is missing.
    if (name == "src/testing/source_tree.cc") continue;
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    for (const char* outside : {"shared/data", "../shared", "/root/"})
      EXPECT_EQ(text.str().find(outside), std::string::npos) << name << " names " << outside;
  }
}

TEST(StandsAlone, PathsInConfigurationsStayInTheCheckout) {
  const fs::path root = EBB_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const fs::path folder = fs::relative(entry.path().parent_path(), root);
    std::ifstream stream(entry.path());
    for (std::string word; stream >> word;) {
      if (!word.starts_with("../")) continue;
      const fs::path meant = (folder / word).lexically_normal();
      EXPECT_FALSE(meant.string().starts_with("..")) << entry.path() << " names " << word;
    }
  }
}

}  // namespace
}  // namespace ebb
