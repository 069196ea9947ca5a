#include "sites/files/folder.h"

#include <gmock/gmock.h>

#include <fstream>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::sites {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class FolderTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((from_.root() / name).parent_path());
    std::ofstream(from_.root() / name) << text;
  }
  static bool Nothing(const std::string&) { return false; }

  const fs::path directory_ = ScratchDirectory("folder");
  Folder from_{directory_ / "from", directory_ / "incoming-from"};
  Folder to_{directory_ / "to", directory_ / "incoming"};
};

TEST_F(FolderTest, ListsFilesButNotLinks) {
  Write("b/c", "text");
  Write("a", "");
  fs::create_symlink("/etc/passwd", from_.root() / "link");
  fs::create_directory_symlink("/etc", from_.root() / "folder");
  const auto files = *from_.List(Nothing, {});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "a");
  EXPECT_EQ(files[1].path, "b/c");
  EXPECT_EQ(files[1].size, 4U);
  EXPECT_FALSE(from_.List(Nothing, {.bytes = 3}));
  EXPECT_EQ(from_.List([](const std::string& path) { return path == "b/"; }, {})->size(), 1U);
}

TEST_F(FolderTest, ItsSizeIsThatOfTheFilesThatAreSent) {
  Write("a", "1");
  Write("data/big", "22222");
  Write("x/data/y", "333");
  Write("x/database", "4444");
  EXPECT_EQ(from_.Size(Nothing, {}), 13U);
  EXPECT_EQ(from_.Size(LeavesOut({"data"}), {}), 5U);
  EXPECT_EQ(from_.Size(LeavesOut({"x/data"}), {}), 10U);
  EXPECT_EQ(from_.List(LeavesOut({"data"}), {})->size(), 2U);
}

TEST_F(FolderTest, AFileComesInPartsAndGetsItsNameAtTheEnd) {
  Write("x/y", "hello");
  const FileFact file = from_.Describe("x/y");
  EXPECT_FALSE(to_.Have(file)->complete);
  EXPECT_EQ(*to_.Put(file, 0, "hel"), 3U);
  EXPECT_EQ(to_.Have(file)->bytes, 3U) << "a cut transfer goes on here";
  EXPECT_FALSE(fs::exists(to_.root() / "x/y"));
  EXPECT_FALSE(to_.Put(file, 4, "o")) << "a hole";
  EXPECT_EQ(*to_.Put(file, 3, "lo"), 5U);
  EXPECT_TRUE(to_.Have(file)->complete);
  EXPECT_EQ(to_.Describe("x/y"), file) << "with its time and permissions";
}

TEST_F(FolderTest, AnEmptyFileComesToo) {
  Write("empty", "");
  const FileFact file = from_.Describe("empty");
  EXPECT_FALSE(to_.Have(file)->complete);
  EXPECT_TRUE(to_.Put(file, 0, ""));
  EXPECT_TRUE(fs::exists(to_.root() / "empty"));
}

TEST_F(FolderTest, OtherContentThanWasSaidIsRefused) {
  Write("x", "hello");
  const FileFact file = from_.Describe("x");
  EXPECT_FALSE(to_.Put(file, 0, "hellO"));
  EXPECT_FALSE(fs::exists(to_.root() / "x"));
  EXPECT_EQ(to_.Have(file)->bytes, 0U) << "it begins anew";
}

TEST_F(FolderTest, NothingIsWrittenThroughALink) {
  Write("x/y", "hello");
  const FileFact file = from_.Describe("x/y");
  fs::create_directories(to_.root());
  fs::create_directories(directory_ / "elsewhere");
  fs::create_directory_symlink(directory_ / "elsewhere", to_.root() / "x");
  EXPECT_FALSE(to_.Put(file, 0, "hello"));
  EXPECT_FALSE(fs::exists(directory_ / "elsewhere/y"));
}

TEST_F(FolderTest, OthersAreRemovedBelowAFolder) {
  Write("checkpoints/old", "1");
  Write("checkpoints/new", "2");
  Write("other", "3");
  from_.RemoveOthers("checkpoints", {from_.Describe("checkpoints/new")});
  std::vector<std::string> names;
  const auto files = *from_.List(Nothing, {});
  for (const FileFact& file : files) names.push_back(file.path);
  EXPECT_THAT(names, ElementsAre("checkpoints/new", "other"));
}

}  // namespace
}  // namespace ebb::sites
