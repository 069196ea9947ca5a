#include "platform/line_tail.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

class LineTailTest : public ::testing::Test {
 protected:
  void Append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  static std::vector<std::string> Lines(LineTail& tail, std::uint64_t most = LineTail::kMostBytes) {
    std::vector<std::string> lines;
    tail.Read([&](std::string_view line) { lines.emplace_back(line); }, most);
    return lines;
  }
  using Expected = std::vector<std::string>;
  const Path path_ = ScratchDirectory("line-tail") / "lines.txt";
};

TEST_F(LineTailTest, GivesEachWholeLineOnce) {
  LineTail tail(path_);
  EXPECT_EQ(Lines(tail), Expected{}) << "there is no file";
  Append("one\n\ntw");
  EXPECT_EQ(Lines(tail), (Expected{"one", ""}));
  EXPECT_EQ(Lines(tail), Expected{});
  Append("o\nthree\n");
  EXPECT_EQ(Lines(tail), (Expected{"two", "three"}));
}

TEST_F(LineTailTest, BeginsWhereItIsTold) {
  Append("old\nnew\n");
  LineTail tail(path_, 4);
  EXPECT_EQ(Lines(tail), Expected{"new"});
}

TEST_F(LineTailTest, ReadsAFileThatWasWrittenAnewFromItsBeginning) {
  Append("first life\nsecond line\n");
  LineTail tail(path_);
  EXPECT_EQ(Lines(tail).size(), 2u);
  std::ofstream(path_) << "anew\n";
  EXPECT_EQ(Lines(tail), Expected{"anew"});
}

TEST_F(LineTailTest, AFloodIsReadInPartsAndALineWithoutEndIsLeftOut) {
  Append("aaaa\nbbbb\ncccc\n");
  LineTail tail(path_);
  EXPECT_EQ(Lines(tail, 7), Expected{"aaaa"});
  EXPECT_EQ(Lines(tail, 10), (Expected{"bbbb", "cccc"}));
  Append(std::string(23, 'x') + "\nshort\n");
  Expected lines;
  for (int i = 0; i < 6; ++i)
    for (std::string& line : Lines(tail, 10)) lines.push_back(std::move(line));
  EXPECT_EQ(lines, Expected{"short"});
}

TEST_F(LineTailTest, SaysWhetherThereMayBeMore) {
  Append("aaaa\nbbbb\ncc");
  LineTail tail(path_);
  const auto ignore = [](std::string_view) {};
  EXPECT_TRUE(tail.Read(ignore, 7));
  EXPECT_TRUE(tail.Read(ignore, 7));
  EXPECT_FALSE(tail.Read(ignore, 7)) << "the last line is not whole yet";
}

}  // namespace
}  // namespace ebb::platform
