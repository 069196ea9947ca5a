#include "local/supervisor/attempt_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "platform/sparse_file.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

class AttemptLog : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove(file_);
    stream_.open(file_, std::ios::app);
  }
  // Lines of ten bytes that count up.
  void Print(int lines) {
    for (int i = 0; i < lines; ++i) {
      std::string number = std::to_string(printed_++);
      stream_ << std::string(9 - number.size(), '0') << number << '\n';
    }
    stream_.flush();
  }
  bool CanDrop() {
    LogTrimmer trimmer(file_, 8192);
    trimmer.Look();
    return !trimmer.trouble();
  }
  std::uint64_t KeptBytes() const {
    struct stat facts {};
    ::stat(file_.c_str(), &facts);
    return static_cast<std::uint64_t>(facts.st_blocks) * 512;
  }

  const fs::path file_ = ScratchDirectory("log") / "log";
  std::ofstream stream_;
  int printed_ = 0;
};

TEST_F(AttemptLog, KeepsTheNewestWithinTheLimitAndEveryOffset) {
  Print(2000);
  if (!CanDrop()) GTEST_SKIP() << "this file system has no holes";
  LogTrimmer trimmer(file_, 100'000);
  for (int i = 0; i < 100; ++i) {
    Print(2000);
    trimmer.Look();
    EXPECT_LE(KeptBytes(), 130'000u);
  }
  EXPECT_FALSE(trimmer.trouble());
  EXPECT_EQ(fs::file_size(file_), 10u * 202'000u) << "offsets stay";
  const auto first = ReadLog(file_, 0, 1 << 20);
  ASSERT_TRUE(first);
  EXPECT_GE(first->text.size(), 45'000u);
  EXPECT_EQ(first->begin % 10, 0u) << "a whole line";
  EXPECT_EQ(std::stoul(first->text.substr(0, 9)), first->begin / 10);
  EXPECT_TRUE(first->text.ends_with("000201999\n"));
}

TEST_F(AttemptLog, AReaderThatFollowsMissesOnlyWhatWasDroppedBeforeItCame) {
  Print(2000);
  if (!CanDrop()) GTEST_SKIP() << "this file system has no holes";
  LogTrimmer trimmer(file_, 50'000);
  std::uint64_t offset = 0;
  unsigned long next = 0;
  for (int i = 0; i < 50; ++i) {
    Print(1 + 137 * i % 4000);
    trimmer.Look();
    for (;;) {
      const auto part = ReadLog(file_, offset, 7'000);
      ASSERT_TRUE(part);
      if (part->text.empty()) break;
      if (part->begin == offset) {
        EXPECT_EQ(offset / 10, next);
      }
      offset = part->begin + part->text.size();
      next = offset / 10;
    }
    EXPECT_EQ(offset, fs::file_size(file_));
  }
}

TEST_F(AttemptLog, WithoutALimitEverythingIsKept) {
  Print(5000);
  LogTrimmer trimmer(file_, 0);
  trimmer.Look();
  const auto part = ReadLog(file_, 49'990, 100);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->begin, 49'990u);
  EXPECT_EQ(part->text, "000004999\n");
  EXPECT_EQ(ReadLog(file_, 0, 1 << 20)->text.size(), 50'000u);
  EXPECT_FALSE(ReadLog("/nothing/here", 0, 10));
}

}  // namespace
}  // namespace ebb::local
