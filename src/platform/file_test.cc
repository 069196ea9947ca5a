#include "platform/file.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "platform/digest.h"
#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

Path Scratch(const std::string& name) {
  static const Path directory = ScratchDirectory("file");
  return directory / name;
}

std::string Gzip(const std::string& text) {
  const Path path = Scratch("gzip.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return *ReadFile(path);
}

TEST(File, AtomicWriteReplacesAndLeavesNoTemporary) {
  const Path path = Scratch("atomic/state.txt");
  std::filesystem::create_directories(path.parent_path());
  ASSERT_TRUE(WriteFileAtomically(path, "old"));
  ASSERT_TRUE(WriteFileAtomically(path, "new"));
  EXPECT_EQ(*ReadFile(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(File, AFullDiskIsAnErrorThatSaysSo) {
  // /dev/full can be opened but refuses every write with ENOSPC.
  auto writer = LineWriter::Open("/dev/full");
  ASSERT_TRUE(writer) << writer.error().Message();
  const Status written = writer->Append("row");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().Message().find("free some disk space"), std::string::npos);
}

TEST(File, MissingFilesAndDirectoriesAreNamed) {
  EXPECT_NE(ReadFile("/nonexistent/x").error().Message().find("/nonexistent/x"), std::string::npos);
  EXPECT_NE(ReadFile("/tmp").error().Message().find("directory"), std::string::npos);
  EXPECT_FALSE(ReadFile("/proc/self/status", 10));
}

TEST(File, WhatIsForTheOwnerOnlyIsNobodyElses) {
  using std::filesystem::perms;
  const auto permissions = [](const Path& path) {
    return std::filesystem::status(path).permissions();
  };
  const Path directory = Scratch("private") / "below" / "it";
  std::filesystem::remove_all(directory.parent_path());
  ASSERT_TRUE(EnsureWritableDirectory(directory, Readers::kOwner));
  EXPECT_EQ(permissions(directory), perms::owner_all);
  const Path file = directory / "secret";
  ASSERT_TRUE(WriteFileAtomically(file, "1"));
  EXPECT_NE(permissions(file), perms::owner_read | perms::owner_write);
  ASSERT_TRUE(WriteFileAtomically(file, "2", Readers::kOwner));
  EXPECT_EQ(permissions(file), perms::owner_read | perms::owner_write);
  ASSERT_TRUE(WriteFileAtomically(file, "3"));
  EXPECT_EQ(permissions(file), perms::owner_read | perms::owner_write) << "it keeps them";
  // The owner of an existing directory decides who may read it.
  std::filesystem::permissions(directory, perms::owner_all | perms::group_all);
  ASSERT_TRUE(EnsureWritableDirectory(directory, Readers::kOwner));
  EXPECT_EQ(permissions(directory), perms::owner_all | perms::group_all);
  EXPECT_FALSE(EnsureWritableDirectory(file / "x", Readers::kOwner));
}

TEST(File, GzipIsReadTransparently) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(*MaybeGunzip(Gzip(text), "t", 1 << 20), text);
  EXPECT_EQ(*MaybeGunzip(*Compress(text), "t", 1 << 20), text);
  EXPECT_EQ(*MaybeGunzip(*Compress(""), "t", 1 << 20), "");
  EXPECT_EQ(*MaybeGunzip(Gzip("a") + Gzip("b"), "t", 1 << 20), "ab");
  EXPECT_EQ(*MaybeGunzip("plain", "t", 1 << 20), "plain");
}

TEST(File, TruncatedAndDamagedGzipAreErrors) {
  const std::string whole = Gzip(std::string(100'000, 'y') + "tail");
  for (const std::size_t keep : {3ul, 12ul, whole.size() / 2, whole.size() - 1})
    EXPECT_FALSE(MaybeGunzip(whole.substr(0, keep), "t", 1 << 20)) << keep;
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 0x55;
  EXPECT_FALSE(MaybeGunzip(damaged, "t", 1 << 20));
  EXPECT_FALSE(MaybeGunzip(whole, "t", 1000)) << "the limit holds for the decompressed size";
}

TEST(File, LineWriterClosesOffALineThatACrashCutShort) {
  const Path path = Scratch("lines.jsonl");
  std::ofstream(path) << "whole\nhal";
  {
    auto writer = LineWriter::Open(path);
    ASSERT_TRUE(writer->Append("next"));
  }
  EXPECT_EQ(*ReadFile(path), "whole\nhal\nnext\n");
}

TEST(Digest, MatchesThePublishedTestVectors) {
  // Test vectors of RFC 1321 and FIPS 180-4.
  EXPECT_EQ(Md5Hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // Test cases 2 and 6 of RFC 4231.
  EXPECT_EQ(HmacSha256Hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HmacSha256Hex(std::string(131, '\xaa'),
                          "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// Many commands make directories, and few of them have an --output-dir.
TEST(EnsureWritableDirectory, SaysNothingOfFlagsThatACommandMayNotHave) {
  const Path file = ScratchDirectory() / "file";
  ASSERT_TRUE(WriteFileAtomically(file, ""));
  const Status made = EnsureWritableDirectory(file / "below");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().Message().find("--"), std::string::npos) << made.error().Message();
  EXPECT_NE(made.error().Message().find("choose a directory"), std::string::npos);
}

TEST(CheckWritableByOwnerOnly, RefusesWhatOthersCanWrite) {
  const Path file = ScratchDirectory() / "file";
  ASSERT_TRUE(WriteFileAtomically(file, ""));
  EXPECT_TRUE(CheckWritableByOwnerOnly(file));
  std::filesystem::permissions(file, std::filesystem::perms{0646});
  EXPECT_FALSE(CheckWritableByOwnerOnly(file));
  EXPECT_FALSE(CheckWritableByOwnerOnly(file / "none"));
}

}  // namespace
}  // namespace ebb::platform
