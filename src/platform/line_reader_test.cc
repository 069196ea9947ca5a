#include "platform/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

using ::testing::HasSubstr;

class LineReaderTest : public ::testing::Test {
 protected:
  Path Write(const std::string& content) {
    EXPECT_TRUE(WriteFileAtomically(path_, content));
    return path_;
  }
  static Result<std::vector<std::string>> Lines(const Path& path, std::size_t limit = 100) {
    EBB_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path, limit));
    std::vector<std::string> lines;
    std::string line;
    for (;;) {
      EBB_ASSIGN_OR_RETURN(const bool more, reader.Next(line));
      if (!more) return lines;
      lines.push_back(line);
      EXPECT_EQ(reader.Where(), path.string() + ":" + std::to_string(lines.size()));
    }
  }

  const Path folder_ = ScratchDirectory();
  const Path path_ = folder_ / "lines";
};

TEST_F(LineReaderTest, GivesLinesWithoutTheirEnds) {
  EXPECT_EQ(*Lines(Write("a\r\nb\n\nlast")), (std::vector<std::string>{"a", "b", "", "last"}));
  EXPECT_EQ(*Lines(Write("a\n")), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(Lines(Write(""))->empty());
}

TEST_F(LineReaderTest, ReadsGzipAsItReadsPlainText) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 100'000; ++i) {
    expected.push_back("line " + std::to_string(i * 7919));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(*Lines(Write(text)), expected);
  EXPECT_EQ(*Lines(Write(*Compress(text))), expected);
}

TEST_F(LineReaderTest, NamesWhereAFileIsDamaged) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = *Compress(text);
  const auto cut = Lines(Write(packed.substr(0, packed.size() / 2)));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().Message(), HasSubstr("truncated"));
  EXPECT_THAT(cut.error().where, HasSubstr("lines:"));
  std::string broken = packed;
  broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 0x55);
  broken[broken.size() / 2 + 1] = static_cast<char>(broken[broken.size() / 2 + 1] ^ 0x55);
  EXPECT_FALSE(Lines(Write(broken)));
}

TEST_F(LineReaderTest, RefusesALineOverItsLimit) {
  EXPECT_TRUE(Lines(Write("a\n" + std::string(100, 'x') + "\n")));
  for (const std::size_t length : {101U, 1'000'000U}) {
    const auto lines = Lines(Write("a\n" + std::string(length, 'x')));
    ASSERT_FALSE(lines);
    EXPECT_THAT(lines.error().Message(), HasSubstr("lines:2: the line is longer than 100 bytes"));
  }
  EXPECT_FALSE(Lines(folder_));
  EXPECT_FALSE(Lines(folder_ / "missing"));
}

}  // namespace
}  // namespace ebb::platform
