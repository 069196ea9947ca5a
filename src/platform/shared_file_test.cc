#include "platform/shared_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "platform/line_tail.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

class SharedFileTest : public ::testing::Test {
 protected:
  SharedFileTest() { std::ofstream(token_) << "secret\n"; }
  const Path folder_ = ScratchDirectory("shared-file");
  const Path token_ = folder_ / "token", file_ = folder_ / "file";
};

TEST_F(SharedFileTest, ReadsARegularFileInParts) {
  std::ofstream(file_) << "0123456789";
  const auto file = SharedFile::Open(file_);
  ASSERT_TRUE(file) << file.error().Message();
  EXPECT_EQ(file->size(), 10u);
  EXPECT_EQ(file->Read(0, 100), "0123456789");
  EXPECT_EQ(file->Read(4, 3), "456");
  EXPECT_EQ(file->Read(20, 3), "");
  EXPECT_EQ(*ReadSharedFile(file_, 10), "0123456789");
  EXPECT_FALSE(ReadSharedFile(file_, 9)) << "longer than the limit";
  EXPECT_FALSE(SharedFile::Open(folder_ / "nothing"));
}

// A link, a pipe, a directory or a device in the place of the file is refused at once.
TEST_F(SharedFileTest, ALinkAPipeADirectoryAndADeviceAreRefused) {
  const auto refused = [&](const char* what) {
    const auto file = SharedFile::Open(file_);
    EXPECT_FALSE(file) << what;
    EXPECT_FALSE(ReadSharedFile(file_)) << what;
    LineTail tail(file_);
    tail.Read([&](std::string_view line) { ADD_FAILURE() << what << " gave " << line; });
    EXPECT_FALSE(LineWriter::Open(file_)) << what << " is not written to";
    std::filesystem::remove(file_);
  };
  ASSERT_EQ(::symlink(token_.c_str(), file_.c_str()), 0);
  refused("a link");
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  refused("a pipe");
  std::filesystem::create_directory(file_);
  refused("a directory");
  ASSERT_EQ(::symlink("/dev/zero", file_.c_str()), 0);
  refused("a link to a device");
}

TEST_F(SharedFileTest, AnotherNameOfAFileIsRefusedWhereItWouldBeShown) {
  ASSERT_EQ(::link(token_.c_str(), file_.c_str()), 0);
  EXPECT_TRUE(SharedFile::Open(file_));
  EXPECT_FALSE(SharedFile::Open(file_, HardLinks::kRefused));
}

TEST_F(SharedFileTest, AFileIsReplacedWithoutWritingThroughALinkInTheWay) {
  const Path temporary = file_.string() + ".tmp" + std::to_string(::getpid());
  ASSERT_EQ(::symlink(token_.c_str(), temporary.c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(file_, "new"));
  EXPECT_EQ(*ReadFile(file_), "new");
  EXPECT_EQ(*ReadFile(token_), "secret\n");
}

}  // namespace
}  // namespace ebb::platform
