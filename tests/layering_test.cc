// The tree keeps its promises: every include follows an allowed arrow, every third-party header
// stays in its rooms, and no third-party header is in a header of ours.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ebb {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

// Which rooms a room may include (itself is always allowed). docs/HACKING.md draws the same table.
const std::map<std::string, Rooms> kAllowed{
    {"base", {}},
    {"core", {"base"}},
    {"forecast", {"base", "core"}},
    {"prices", {"base", "core"}},
    {"plan", {"base", "core"}},
    {"engine", {"base", "core", "plan"}},
    {"runtime", {"base", "core", "plan", "engine"}},
    {"platform", {"base", "runtime"}},
    {"store", {"base", "core", "engine", "runtime", "platform", "sweep"}},
    {"signals", {"base", "core", "forecast", "runtime", "platform"}},
    {"trackers", {"base", "platform"}},
    {"meter", {"base", "core", "platform"}},
    {"local", {"base", "core", "engine", "runtime", "platform", "meter"}},
    {"sim", {"base", "core", "plan", "engine", "runtime"}},
    {"sweep", {"base", "core"}},
    {"report", {"base", "core", "plan", "engine", "platform", "sim", "sweep"}},
    {"audit", {"base", "core", "plan", "engine", "runtime", "platform", "store"}},
    {"config", {"base", "core", "prices", "plan", "platform", "signals", "sim", "sweep"}},
    {"service",
     {"base", "core", "plan", "engine", "runtime", "platform", "store", "local", "meter", "sweep",
      "report"}},
    {"web",
     {"base", "core", "forecast", "plan", "engine", "platform", "store", "local", "report",
      "service"}},
    {"cli", {"base",     "core",   "forecast", "prices",   "plan",  "engine", "runtime",
             "platform", "store",  "signals",  "meter",    "local", "sim",    "sweep",
             "report",   "config", "service",  "trackers", "web",   "audit"}},
    // A second composition root: what it shares with a command line lies in cli.
    {"lib", {"base", "core", "runtime", "platform", "signals", "meter", "local", "report", "cli"}},
    {"train", {"base", "platform"}},
    {"testing", {"base", "core", "plan", "engine", "runtime"}},
};

// A third-party header by the beginning of its name, and the rooms that may include it.
const std::vector<std::pair<std::string, Rooms>> kThirdParty{
    {"torch/", {"train"}},
    {"ATen/", {"train"}},
    {"c10/", {"train"}},
    {"CLI/", {"cli", "train"}},
    {"yaml-cpp/", {"config"}},
    {"curl/", {"platform"}},
    {"openssl/", {"platform"}},
    {"zlib.h", {"platform"}},
    {"Eigen/", {"report"}},
    {"nlohmann/",
     {"audit", "base", "cli", "engine", "local", "report", "signals", "trackers", "train", "web"}},
    {"lemon/", {"plan"}},
    {"sqlite3.h", {"store"}},
    {"date/", {"prices"}},
    {"httplib.h", {"web"}},
};
// The one third-party type in our headers: tl::expected, as ebb::Result.
const std::string kResultHeader = "base/result.h";

struct Include {
  std::string file;  // relative to src/
  int line = 0;
  std::string target;
};

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

std::string Where(const Include& include) {
  return "src/" + include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(Layering, EveryIncludeFollowsAnAllowedArrow) {
  const auto includes = AllIncludes();
  ASSERT_GT(includes.size(), 200u);
  for (const Include& include : includes) {
    const std::string from = RoomOf(include.file);
    ASSERT_TRUE(kAllowed.contains(from)) << "src/" << from << " is in no room of the table";
    const std::string to = RoomOf(include.target);
    if (!kAllowed.contains(to) || to == from) continue;
    if (to == "testing" && IsTest(include.file)) continue;
    EXPECT_TRUE(kAllowed.at(from).contains(to)) << Where(include);
  }
}

// What computes the figures is not what checks them.
TEST(Layering, TheAuditHasItsOwnArithmetic) {
  for (const Include& include : AllIncludes()) {
    if (RoomOf(include.file) != "audit" || IsTest(include.file)) continue;
    for (const char* shared :
         {"core/accounting.h", "core/budget.h", "core/cost.h", "core/counterfactual.h",
          "core/ledger.h", "core/ledger_union.h", "core/run.h", "core/uncertainty.h"})
      EXPECT_NE(include.target, shared) << Where(include);
  }
}

TEST(Layering, ThirdPartyHeadersStayInTheirRoomsAndOutOfOurHeaders) {
  for (const Include& include : AllIncludes()) {
    for (const auto& [prefix, rooms] : kThirdParty) {
      if (!include.target.starts_with(prefix) || IsTest(include.file)) continue;
      EXPECT_TRUE(rooms.contains(RoomOf(include.file))) << Where(include);
      // LibTorch tensors are the words of src/train; everywhere else headers are ours alone.
      const bool header = include.file.ends_with(".h");
      EXPECT_TRUE(!header || RoomOf(include.file) == "train" || include.file == kResultHeader)
          << Where(include);
    }
  }
}

TEST(Layering, NoRoomIsEmpty) {
  for (const auto& [room, allowed] : kAllowed) {
    const fs::path path = fs::path(EBB_SOURCE_DIR) / "src" / room;
    ASSERT_TRUE(fs::is_directory(path)) << path;
    EXPECT_NE(fs::directory_iterator(path), fs::directory_iterator()) << path;
  }
}

// CTest runs the cases of one file side by side: a name that two of them write to fails one, some
// day.
TEST(Layering, TestsWriteWhereNoOtherDoes) {
  int looked = 0;
  for (const char* folder : {"src", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(EBB_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      // The C++ face is tested with nothing of ours but that face.
      if (!IsTest(name) || name == "layering_test.cc" || name == "library_cpp_test.cc") continue;
      std::ifstream stream(entry.path());
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      for (const char* shared : {"TempDir()", "temp_directory_path", "mkdtemp", "\"/tmp/ebb"})
        EXPECT_EQ(text.find(shared), std::string::npos)
            << name << " names " << shared << ": use testing/scratch_directory.h";
      ++looked;
    }
  EXPECT_GT(looked, 200);
}

// What ships stands alone: a stranger has this checkout and nothing beside it.
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
    if (name == "src/testing/source_tree.cc") continue;  // where tests look, and then skip
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
